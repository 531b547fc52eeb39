//! Small agents: one that echoes and obeys, one in trouble, one at a gate, one that calls tools.

use std::future::pending;
use std::sync::atomic::{AtomicU32, Ordering};

use agents::{Agent, AgentError, Context, Outcome, ToolError, TurnInput};
use async_trait::async_trait;
use domain::{
    ArmTimer, Event, EventKind, Handoff, OperatorEvent, SessionStatus, TimerCondition, Trigger,
    Unattended,
};
use serde_json::{Value, json};

use super::{Asker, Gate};

pub(crate) const NAME: &str = "prueba";

/// Answers `#2 words` in the second turn of a session. Obeys `/arm KEY CONDITION MS`,
/// `/cancel KEY`, `/remind`, `/close`, `/handoff`, and `/attended MS`, a handoff with all its texts.
pub(crate) struct Echo;

fn words(event: &Event) -> Option<String> {
    match &event.kind {
        EventKind::Message(content) => content.words(),
        _ => None,
    }
}

fn obey(command: &str, context: &dyn Context, outcome: &mut Outcome) {
    match command.split(' ').collect::<Vec<_>>()[..] {
        ["/arm", key, condition, ms] => outcome.arm.push(ArmTimer {
            key: key.to_owned(),
            due_at: context.now().plus_ms(ms.parse().expect("milliseconds")),
            condition: TimerCondition::parse(condition).expect("a condition"),
            payload: json!({}),
        }),
        ["/cancel", key] => outcome.cancel.push(key.to_owned()),
        ["/remind"] => outcome.remind("a reminder"),
        ["/close"] => outcome.status = SessionStatus::Closed,
        ["/handoff"] => outcome.handoff = Some(Handoff::new(Trigger::Rule, "asked for")),
        ["/attended", ms] => {
            let unattended = Unattended {
                after_ms: ms.parse().expect("milliseconds"),
                text: "nadie todavía".to_owned(),
            };
            outcome.handoff = Some(Handoff {
                attending: Some("ya te atienden".to_owned()),
                unattended: Some(unattended),
                ..Handoff::new(Trigger::CustomerRequest, "wants a person")
            });
        }
        _ => panic!("no such command: {command}"),
    }
}

fn echo(input: &TurnInput, context: &dyn Context) -> Outcome {
    let mut outcome = Outcome::unchanged(&input.mode, &input.state);
    let number = input.state.data.get("turns").and_then(Value::as_i64).unwrap_or(0) + 1;
    outcome.state.data.insert("turns".to_owned(), json!(number));
    let heard: Vec<_> = input.events.iter().filter_map(words).collect();
    if !heard.is_empty() {
        outcome.reply(format!("#{number} {}", heard.join(" ")));
    }
    for command in heard.iter().filter(|words| words.starts_with('/')) {
        obey(command, context, &mut outcome);
    }
    for event in &input.events {
        match &event.kind {
            EventKind::Timer(timer) => outcome.remind(format!("timer {}", timer.key)),
            EventKind::Operator(OperatorEvent::Returned { by, note, mode, message }) => {
                let wishes = [mode.as_deref(), message.as_deref()].into_iter().flatten();
                let said = std::iter::once(note.as_deref().unwrap_or("-")).chain(wishes);
                outcome.reply(format!("back from {by}: {}", said.collect::<Vec<_>>().join(" ")));
            }
            EventKind::Message(_) => {}
        }
    }
    outcome
}

#[async_trait]
impl Agent for Echo {
    fn name(&self) -> &str {
        NAME
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        Ok(echo(input, context))
    }
}

/// An agent no channel asks for: on a node that has only this one, every turn fails.
pub(crate) struct Elsewhere;

#[async_trait]
impl Agent for Elsewhere {
    fn name(&self) -> &str {
        "otro"
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        Ok(echo(input, context))
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Trouble {
    Fail,
    Panic,
    Hang,
}

/// Comes to grief over messages with `veneno` in them, `times` times; otherwise echoes.
pub(crate) struct Troubled {
    trouble: Trouble,
    left: AtomicU32,
}

impl Troubled {
    pub(crate) fn new(trouble: Trouble, times: u32) -> Self {
        Self { trouble, left: AtomicU32::new(times) }
    }
}

#[async_trait]
impl Agent for Troubled {
    fn name(&self) -> &str {
        NAME
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let poison = input.events.iter().filter_map(words).any(|words| words.contains("veneno"));
        let minus_one = |left: u32| left.checked_sub(1);
        let left = || self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, minus_one).is_ok();
        if poison && left() {
            match self.trouble {
                Trouble::Fail => return Err(AgentError { reason: "no model".to_owned() }),
                Trouble::Panic => panic!("poisoned"),
                Trouble::Hang => {
                    let _skipping = Skipping::time();
                    pending::<()>().await;
                }
            }
        }
        Ok(echo(input, context))
    }
}

/// While this lives, time that nobody uses passes at once.
pub(crate) struct Skipping;

impl Skipping {
    pub(crate) fn time() -> Self {
        tokio::time::pause();
        Self
    }
}

impl Drop for Skipping {
    fn drop(&mut self) {
        tokio::time::resume();
    }
}

/// Waits at its gate, then calls tools if it has any to call, then echoes.
pub(crate) struct Gated {
    pub(crate) gate: Gate,
    pub(crate) calls: Vec<(&'static str, Value)>,
}

#[async_trait]
impl Agent for Gated {
    fn name(&self) -> &str {
        NAME
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        self.gate.pass().await;
        for (tool, input) in &self.calls {
            // The test looks at the call's result, not this agent.
            let _ = context.call(tool, input.clone()).await;
        }
        Ok(echo(input, context))
    }
}

/// Comes to its gate over messages with `veneno` in them, where its process ends; asks a model about
/// all others.
pub(crate) struct Deadly {
    pub(crate) gate: Gate,
    pub(crate) asker: Asker,
}

#[async_trait]
impl Agent for Deadly {
    fn name(&self) -> &str {
        NAME
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        if input.events.iter().filter_map(words).any(|words| words.contains("veneno")) {
            self.gate.pass().await;
        }
        self.asker.turn(input, context).await
    }
}

/// Asks a model about messages with a question mark, and echoes the others.
pub(crate) struct Curious(pub(crate) Asker);

#[async_trait]
impl Agent for Curious {
    fn name(&self) -> &str {
        NAME
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        match input.events.iter().filter_map(words).any(|words| words.contains('?')) {
            true => self.0.turn(input, context).await,
            false => Ok(echo(input, context)),
        }
    }
}

/// Calls its tools in order and answers with what each returned; fails `failures` times at the end.
pub(crate) struct Clerk {
    calls: Vec<(&'static str, Value)>,
    failures: AtomicU32,
}

impl Clerk {
    pub(crate) fn calling(calls: &[(&'static str, Value)]) -> Self {
        Self { calls: calls.to_vec(), failures: AtomicU32::new(0) }
    }

    pub(crate) fn failing(self, times: u32) -> Self {
        self.failures.store(times, Ordering::SeqCst);
        self
    }
}

#[async_trait]
impl Agent for Clerk {
    fn name(&self) -> &str {
        NAME
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let mut said = Vec::new();
        for (tool, call) in &self.calls {
            let returned = match context.call(tool, call.clone()).await {
                Ok(output) => match &output["number"] {
                    Value::Null => output.as_str().unwrap_or("?").to_owned(),
                    number => number.to_string(),
                },
                Err(ToolError::BadInput(reason) | ToolError::Refused(reason)) => {
                    format!("refused, {reason}")
                }
                Err(ToolError::Unknown(_)) => "unknown".to_owned(),
                Err(error) => error.to_string(),
            };
            said.push(format!("{tool}={returned}"));
        }
        let minus_one = |left: u32| left.checked_sub(1);
        if self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, minus_one).is_ok() {
            return Err(AgentError { reason: "no model".to_owned() });
        }
        let mut outcome = Outcome::unchanged(&input.mode, &input.state);
        outcome.reply(said.join(" "));
        Ok(outcome)
    }
}

/// Greets the contact by the name it knows, and takes what they write for their name from then on.
pub(crate) struct Listener;

#[async_trait]
impl Agent for Listener {
    fn name(&self) -> &str {
        NAME
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let known = input.contact.name.as_ref().map_or("nadie", |name| name.reveal());
        let mut outcome = Outcome::unchanged(&input.mode, &input.state);
        outcome.reply(format!("Hola, {known}"));
        for name in input.events.iter().filter_map(words) {
            let written = context.call("crm.contact.update", json!({ "nombre": name })).await;
            assert!(written.is_ok(), "{written:?}");
        }
        Ok(outcome)
    }
}
