//! A model that records how it was asked and answers as scripted.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::{Cost, ModelEvent, ModelPart, ModelReply, StopReason, Usage, VirtualClock};
use llm::{
    Ask, CallFailure, Events, FailureKind, Limits, ModelSource, ModelVendor, Models, Prices,
    Provider,
};
use store::When;

use super::agents::Skipping;
use super::{Crowd, Faults, Gate, World};

pub(crate) const MODEL: &str = "prueba-1";

/// The tokens that every call takes, whether it succeeds or fails.
pub(crate) const USAGE: Usage = Usage { input: 10, output: 20, cache_read: 0, cache_write: 0 };

/// The cost of a call: a token is a thousand billionths of a dollar.
pub(crate) const PRICE: Cost = Cost(30_000);

#[derive(Clone)]
pub(crate) enum Tells {
    Say(&'static str),
    Fail(FailureKind),
    /// Says this, and then fails.
    Half(&'static str, FailureKind),
    /// Says the first, waits at the gate, says the second.
    Pause(&'static str, Gate, &'static str),
    /// Stands in the crowd, and says `ok`.
    Stand(Crowd),
    /// Says nothing for as long as it is waited for.
    Hang,
}

/// Answers with `ok` whatever the script does not say otherwise of.
#[derive(Clone)]
pub(crate) struct Oracle {
    clock: VirtualClock,
    faults: Faults,
    script: Arc<Mutex<VecDeque<Tells>>>,
    asked: Arc<Mutex<Vec<(String, Duration)>>>,
}

impl Oracle {
    pub(crate) fn of(world: &World) -> Self {
        let (script, asked) = Default::default();
        Self { clock: world.clock.clone(), faults: world.faults.clone(), script, asked }
    }

    /// This oracle as all the models there are, without pauses between attempts.
    pub(crate) fn models(&self) -> Models {
        self.models_at_once(64)
    }

    /// The same, asked no more than so many questions at once.
    pub(crate) fn models_at_once(&self, at_once: usize) -> Models {
        let prices = format!("{MODEL}: {{ input: 1.0, output: 1.0 }}");
        let source = ModelSource {
            provider: Arc::new(self.clone()),
            vendor: ModelVendor::Any,
            models: Vec::new(),
        };
        let limits = Limits { at_once, per_minute: 60_000, ..Limits::default() };
        let clock = Arc::new(self.clock.clone());
        let prices = Prices::parse(&prices).expect("prices");
        Models::new(vec![source], prices, limits, clock, Arc::new(|_| 0))
    }

    pub(crate) fn script(&self, tells: impl IntoIterator<Item = Tells>) {
        self.script.lock().unwrap().extend(tells);
    }

    /// The questions put to the oracle, in order, whether answered or failed.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(words, _)| words.clone()).collect()
    }

    /// How long it was given for each.
    pub(crate) fn given(&self) -> Vec<Duration> {
        self.asked.lock().unwrap().iter().map(|(_, within)| *within).collect()
    }
}

#[async_trait]
impl Provider for Oracle {
    fn name(&self) -> &str {
        "oráculo"
    }

    async fn call(
        &self,
        ask: &Ask<'_>,
        events: &mut Events<'_>,
    ) -> Result<ModelReply, CallFailure> {
        let away = |_| CallFailure::new(FailureKind::Unreachable, "planned");
        self.faults.hit("model.call", When::Before).await.map_err(away)?;
        let tells = self.script.lock().unwrap().pop_front().unwrap_or(Tells::Say("ok"));
        let words = words(ask);
        self.asked.lock().unwrap().push((words, ask.within));
        // Others have their turn while a model thinks.
        tokio::task::yield_now().await;
        self.faults.hit("model.call", When::After).await.map_err(away)?;
        match tells {
            Tells::Say(text) => Ok(told(text, events)),
            Tells::Fail(kind) => Err(CallFailure::new(kind, "as scripted").paid(USAGE)),
            Tells::Half(text, kind) => {
                events(ModelEvent::Text(text.to_owned()));
                Err(CallFailure::new(kind, "as scripted").paid(USAGE))
            }
            Tells::Pause(first, gate, second) => {
                events(ModelEvent::Text(first.to_owned()));
                gate.pass().await;
                events(ModelEvent::Text(second.to_owned()));
                Ok(reply(&format!("{first}{second}")))
            }
            Tells::Stand(crowd) => {
                crowd.stand().await;
                Ok(told("ok", events))
            }
            Tells::Hang => {
                let _skipping = Skipping::time();
                tokio::time::sleep(ask.within).await;
                let ms = i64::try_from(ask.within.as_millis()).expect("a short time");
                self.clock.advance_ms(ms);
                Err(CallFailure::new(FailureKind::TimeoutTotal, "as scripted").paid(USAGE))
            }
        }
    }
}

/// The last words of the request.
fn words(ask: &Ask<'_>) -> String {
    match ask.request.messages.last().and_then(|message| message.parts.last()) {
        Some(ModelPart::Text { text }) => text.clone(),
        other => panic!("no words: {other:?}"),
    }
}

fn told(text: &str, events: &mut Events<'_>) -> ModelReply {
    events(ModelEvent::Text(text.to_owned()));
    reply(text)
}

fn reply(text: &str) -> ModelReply {
    ModelReply {
        parts: vec![ModelPart::Text { text: text.to_owned() }],
        stop: StopReason::End,
        usage: USAGE,
        model: MODEL.to_owned(),
    }
}
