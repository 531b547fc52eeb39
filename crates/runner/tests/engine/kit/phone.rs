//! A phone line that records what is sent over it and answers as scripted.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use channels::{ChannelTrouble, Outgoing, Receipt, SendError, Sender};
use domain::{Clock, OutboundId, Timestamp, VirtualClock};
use store::When;

use super::{Crowd, Faults, START};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Under the reference `wamid.N`, N being the number of the attempt.
    Accept,
    /// Certainly not sent; to be tried again, perhaps not before so many milliseconds.
    Retry(Option<i64>),
    /// Too soon for this customer.
    TooSoon,
    /// Too fast for this number.
    TooFast,
    NoAccount,
    WindowClosed,
    Refuse,
    Unknown,
    Panic,
}

#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    /// Since the start of the test.
    pub(crate) at_ms: i64,
    pub(crate) to: String,
    /// A template as `name(values)`.
    pub(crate) text: String,
    pub(crate) reference: OutboundId,
    pub(crate) answer: Answer,
}

/// Accepts whatever the script does not say otherwise of.
#[derive(Clone)]
pub(crate) struct Phone {
    clock: VirtualClock,
    faults: Faults,
    script: Arc<Mutex<VecDeque<Answer>>>,
    attempts: Arc<Mutex<Vec<Attempt>>>,
    /// Where messages to customers with this in their names stand before they are answered.
    slow: Arc<Mutex<Option<(String, Crowd)>>>,
}

impl Phone {
    pub(crate) fn new(clock: VirtualClock, faults: Faults) -> Self {
        Self {
            clock,
            faults,
            script: Arc::default(),
            attempts: Arc::default(),
            slow: Arc::default(),
        }
    }

    /// The answers to the next attempts, in order.
    pub(crate) fn script(&self, answers: impl IntoIterator<Item = Answer>) {
        self.script.lock().unwrap().extend(answers);
    }

    /// Sends to identities with this in their name are slow: such a send stands in the crowd.
    pub(crate) fn is_slow_to(&self, name: &str, crowd: &Crowd) {
        *self.slow.lock().unwrap() = Some((name.to_owned(), crowd.clone()));
    }

    pub(crate) fn attempts(&self) -> Vec<Attempt> {
        self.attempts.lock().unwrap().clone()
    }

    /// When each attempt was made, since the start of the test.
    pub(crate) fn attempted_at_ms(&self) -> Vec<i64> {
        self.attempts().iter().map(|attempt| attempt.at_ms).collect()
    }

    /// The texts of all attempts, in order, whether accepted or not.
    pub(crate) fn tried(&self) -> Vec<String> {
        self.attempts().into_iter().map(|attempt| attempt.text).collect()
    }

    /// The texts that were accepted, in order.
    pub(crate) fn sent(&self) -> Vec<String> {
        self.accepted(|_| true)
    }

    pub(crate) fn sent_to(&self, to: &str) -> Vec<String> {
        self.accepted(|attempt| attempt.to == to)
    }

    fn accepted(&self, wanted: impl Fn(&Attempt) -> bool) -> Vec<String> {
        let accepted = |attempt: &Attempt| attempt.answer == Answer::Accept && wanted(attempt);
        self.attempts().into_iter().filter(accepted).map(|attempt| attempt.text).collect()
    }

    /// Our reference for what was tried last.
    pub(crate) fn last_reference(&self) -> OutboundId {
        self.attempts().last().expect("an attempt").reference
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

/// A text, and what may be picked as `text [title][title]`.
fn spoken(message: &Outgoing<'_>) -> String {
    let titles: String = message.options.iter().map(|one| format!("[{}]", one.title)).collect();
    let text = message.text.reveal();
    if titles.is_empty() { text.clone() } else { format!("{text} {titles}") }
}

#[async_trait]
impl Sender for Phone {
    async fn send(&self, message: Outgoing<'_>) -> Result<Receipt, SendError> {
        let away = |_| SendError::Unknown { reason: "planned".into() };
        self.faults.hit("channel.send", When::Before).await.map_err(away)?;
        let answer = self.script.lock().unwrap().pop_front().unwrap_or(Answer::Accept);
        let number = self.attempts().len() + 1;
        self.attempts.lock().unwrap().push(Attempt {
            at_ms: self.now().since_ms(START),
            to: message.to.reveal().clone(),
            text: message.approved.map_or_else(
                || spoken(&message),
                |approved| format!("{}({})", approved.name, approved.values.join(", ")),
            ),
            reference: message.reference,
            answer,
        });
        let slow = self.slow.lock().unwrap().clone();
        if let Some((_, crowd)) = slow.filter(|(name, _)| message.to.reveal().contains(name)) {
            crowd.stand().await;
        }
        self.faults.hit("channel.send", When::After).await.map_err(away)?;
        match answer {
            Answer::Accept => Ok(Receipt { provider_ref: Some(format!("wamid.{number}")) }),
            Answer::Retry(after_ms) => Err(SendError::Retry { reason: "busy".into(), after_ms }),
            Answer::TooSoon => Err(SendError::TooSoon { reason: "131056".into(), after_ms: 6_000 }),
            Answer::TooFast => {
                let cause = ChannelTrouble::Pace;
                Err(SendError::ChannelWaits { reason: "130429".into(), cause })
            }
            Answer::NoAccount => {
                let cause = ChannelTrouble::Account;
                Err(SendError::ChannelWaits { reason: "190".into(), cause })
            }
            Answer::WindowClosed => Err(SendError::WindowClosed { reason: "131047".into() }),
            Answer::Refuse => Err(SendError::Refused { reason: "no such number".into() }),
            Answer::Unknown => Err(SendError::Unknown { reason: "no answer".into() }),
            Answer::Panic => panic!("the line broke"),
        }
    }
}
