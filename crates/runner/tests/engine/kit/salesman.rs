//! An agent that shows what a call comes to, and makes it when told anything else.

use std::sync::atomic::{AtomicU32, Ordering};

use agents::{Agent, AgentError, Context, Outcome, ToolError, TurnInput};
use async_trait::async_trait;
use domain::EventKind;
use serde_json::{Value, json};

use super::agents::NAME;

/// «mostrar» shows the call and asks for a yes to it; «mostrar y hacer» shows it and makes it in the
/// same turn; whatever else is said, it makes it.
pub(crate) struct Salesman {
    tool: &'static str,
    failures: AtomicU32,
}

impl Salesman {
    pub(crate) fn selling(tool: &'static str) -> Self {
        Self { tool, failures: AtomicU32::new(0) }
    }

    /// So many turns fail after the call was made.
    pub(crate) fn failing_after(self, times: u32) -> Self {
        self.failures.store(times, Ordering::SeqCst);
        self
    }

    fn input() -> Value {
        json!({ "fila": "caja" })
    }

    async fn make(&self, context: &mut dyn Context) -> Result<String, AgentError> {
        let said = match context.call(self.tool, Self::input()).await {
            Ok(output) => format!("done {}", output["number"]),
            Err(ToolError::Refused(reason)) => return Ok(format!("refused: {reason}")),
            Err(error) => error.to_string(),
        };
        let minus_one = |left: u32| left.checked_sub(1);
        match self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, minus_one) {
            Ok(_) => Err(AgentError { reason: "no model".to_owned() }),
            Err(_) => Ok(said),
        }
    }
}

#[async_trait]
impl Agent for Salesman {
    fn name(&self) -> &str {
        NAME
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let mut outcome = Outcome::unchanged(&input.mode, &input.state);
        let heard = input.events.iter().find_map(|event| match &event.kind {
            EventKind::Message(content) => content.words(),
            _ => None,
        });
        let Some(heard) = heard else { return Ok(outcome) };
        if heard.starts_with("mostrar") {
            let proposal = context.propose(self.tool, Self::input()).await;
            let mut proposal =
                proposal.map_err(|error| AgentError { reason: error.to_string() })?;
            proposal.said = "¿Confirmamos?".into();
            outcome.state.proposal = Some(proposal);
        }
        match heard.as_str() {
            "mostrar" => outcome.reply("¿Confirmamos?"),
            _ => outcome.reply(self.make(context).await?),
        }
        Ok(outcome)
    }
}
