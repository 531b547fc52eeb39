//! An agent that asks models and calls tools as it was told, and says what came of each.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use agents::{Agent, AgentError, Context, ModelAsk, Outcome, Preview, TurnInput};
use async_trait::async_trait;
use domain::{ArmTimer, Budget, ModelMessage, ModelRequest, TimerCondition};
use serde_json::{Value, json};

use super::MODEL;
use super::agents::NAME;

/// The longest answer it asks for.
const MAX_TOKENS: u32 = 40;

#[derive(Clone)]
pub(crate) enum Act {
    /// A component, and what it is asked.
    Ask(&'static str, &'static str),
    Call(&'static str, Value),
    /// A timer under this key, due after so many milliseconds whatever happens.
    Arm(&'static str, i64),
}

#[derive(Clone)]
pub(crate) struct Asker {
    acts: Vec<Act>,
    budget: Budget,
    failures: Arc<AtomicU32>,
    panics: bool,
    /// The mode of the session before, in each run of a turn.
    previous: Arc<Mutex<Vec<Option<String>>>>,
}

impl Asker {
    pub(crate) fn doing(acts: &[Act]) -> Self {
        let (failures, previous) = Default::default();
        Self { acts: acts.to_vec(), budget: Budget::default(), failures, panics: false, previous }
    }

    pub(crate) fn within(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Fails at the end of its first runs.
    pub(crate) fn failing(self, times: u32) -> Self {
        self.failures.store(times, Ordering::SeqCst);
        self
    }

    pub(crate) fn panicking(self, times: u32) -> Self {
        Self { panics: true, ..self.failing(times) }
    }

    pub(crate) fn previous(&self) -> Vec<Option<String>> {
        self.previous.lock().unwrap().clone()
    }

    /// The request that the agent puts to a model.
    pub(crate) fn request(words: &str) -> ModelRequest {
        ModelRequest {
            messages: vec![ModelMessage::user(words)],
            max_tokens: MAX_TOKENS,
            ..ModelRequest::default()
        }
    }

    async fn act(&self, act: &Act, context: &mut dyn Context) -> String {
        match act {
            Act::Ask(component, words) => {
                let ask = ModelAsk {
                    component: (*component).to_owned(),
                    models: vec![MODEL.to_owned()],
                    budget: self.budget,
                    request: Self::request(words),
                };
                let whole =
                    |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
                let show: Preview<'_> = &whole;
                let came = match context.ask(&ask, Some(show)).await {
                    Ok(reply) => reply.text(),
                    Err(error) => format!("({error})"),
                };
                format!("{words}={came}")
            }
            Act::Call(tool, input) => {
                let came = match context.call(tool, input.clone()).await {
                    Ok(output) => output["number"].as_u64().map_or("ok".into(), |n| n.to_string()),
                    Err(error) => format!("({error})"),
                };
                format!("{tool}={came}")
            }
            Act::Arm(key, _) => format!("{key} armed"),
        }
    }

    fn timers(&self, context: &dyn Context) -> Vec<ArmTimer> {
        let armed = |act: &Act| match act {
            Act::Arm(key, ms) => Some(ArmTimer {
                key: (*key).to_owned(),
                due_at: context.now().plus_ms(*ms),
                condition: TimerCondition::Always,
                payload: json!({}),
            }),
            Act::Ask(..) | Act::Call(..) => None,
        };
        self.acts.iter().filter_map(armed).collect()
    }
}

#[async_trait]
impl Agent for Asker {
    fn name(&self) -> &str {
        NAME
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let previous = input.previous.as_ref().map(|session| session.mode.clone());
        self.previous.lock().unwrap().push(previous);
        let mut said = Vec::new();
        for act in &self.acts {
            said.push(self.act(act, context).await);
        }
        let minus_one = |left: u32| left.checked_sub(1);
        if self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, minus_one).is_ok() {
            assert!(!self.panics, "as told");
            return Err(AgentError { reason: "as told".to_owned() });
        }
        let mut outcome = Outcome::unchanged("visto", &input.state);
        outcome.reply(said.join(" "));
        outcome.arm = self.timers(context);
        Ok(outcome)
    }
}
