//! A provider that acts as told, and a clock that is tokio's.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::{Clock, ModelEvent, ModelPart, ModelReply, StopReason, Timestamp, Usage};
use llm::{Ask, CallFailure, Events, FailureKind, Provider};

/// The usage of every call.
pub(crate) const USAGE: Usage = Usage { input: 10, output: 20, cache_read: 0, cache_write: 0 };

#[derive(Clone, Debug)]
pub(crate) enum Act {
    Say(&'static str),
    Stop(StopReason),
    Fail(FailureKind),
    FailFor(FailureKind, Duration),
    /// Says something after so long.
    Slow(Duration),
    Hang,
}

/// Does one act after another, the last one for ever.
pub(crate) struct Fake {
    id: &'static str,
    acts: Mutex<VecDeque<Act>>,
    asked: Mutex<Vec<String>>,
}

impl Fake {
    pub(crate) fn new(id: &'static str, acts: &[Act]) -> Arc<Self> {
        let acts = Mutex::new(acts.iter().cloned().collect());
        Arc::new(Self { id, acts, asked: Mutex::default() })
    }

    /// The models that were asked for.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn now_does(&self, acts: &[Act]) {
        *self.acts.lock().unwrap() = acts.iter().cloned().collect();
    }

    fn next(&self, model: &str) -> Act {
        self.asked.lock().unwrap().push(model.to_owned());
        let mut acts = self.acts.lock().unwrap();
        if acts.len() > 1 { acts.pop_front().unwrap() } else { acts[0].clone() }
    }
}

#[async_trait]
impl Provider for Fake {
    fn name(&self) -> &str {
        self.id
    }

    async fn call(
        &self,
        ask: &Ask<'_>,
        events: &mut Events<'_>,
    ) -> Result<ModelReply, CallFailure> {
        events(ModelEvent::Text(format!("{}…", self.id)));
        let failure = |kind| CallFailure::new(kind, "as told").paid(USAGE);
        match self.next(ask.model) {
            Act::Say(text) => Ok(reply(text, StopReason::End)),
            Act::Stop(stop) => Ok(reply("", stop)),
            Act::Fail(kind) => Err(failure(kind)),
            Act::FailFor(kind, wait) => {
                Err(CallFailure { retry_after: Some(wait), ..failure(kind) })
            }
            Act::Slow(wait) => {
                tokio::time::sleep(wait).await;
                Ok(reply("at last", StopReason::End))
            }
            Act::Hang => std::future::pending().await,
        }
    }
}

fn reply(text: &str, stop: StopReason) -> ModelReply {
    let parts = match text {
        "" => vec![],
        text => vec![ModelPart::Text { text: text.to_owned() }],
    };
    ModelReply { parts, stop, usage: USAGE, model: "m".into() }
}

/// Time as the paused runtime has it.
pub(crate) struct TokioClock(tokio::time::Instant);

impl TokioClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(tokio::time::Instant::now()))
    }

    pub(crate) fn ms(&self) -> i64 {
        i64::try_from(self.0.elapsed().as_millis()).unwrap()
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.ms())
    }
}
