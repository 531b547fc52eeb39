//! The context port: time, tools, models and what was said, each call out a journaled step.

use async_trait::async_trait;
use domain::{
    Budget, ModelReply, ModelRequest, Proposal, Role, Spending, Timestamp, ToolError, ToolSpec,
};
use serde_json::Value;
use thiserror::Error;

/// A question to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelAsk {
    /// The part of the agent that asks: `detector`, `orchestrator`, `writer` or `judge`.
    pub component: String,
    /// The model wanted, then those that may stand in for it.
    pub models: Vec<String>,
    pub budget: Budget,
    pub request: ModelRequest,
}

/// Why there is no answer; an agent goes on without one.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ModelError {
    #[error("no model is configured")]
    NoModel,
    /// The budget does not allow the call.
    #[error("the budget is spent: {0}")]
    Spent(String),
    /// The model answered, and not in the form that was asked for: its words.
    #[error("the answer is not in its form: {0}")]
    Malformed(String),
    #[error("{0}")]
    Failed(String),
    /// The turn can no longer commit; whatever it returns is discarded.
    #[error("the turn was interrupted")]
    Interrupted,
}

/// A line of the session so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    pub role: Role,
    pub text: String,
}

/// The end of what was said in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Oldest first.
    pub lines: Vec<Spoken>,
    /// How many lines came before them.
    pub before: usize,
}

/// Decides how much of a growing text may already be shown: what it returns, or nothing.
pub type Preview<'p> = &'p (dyn Fn(&str) -> Option<String> + Sync);

#[async_trait]
pub trait Context: Send {
    /// When the turn began; the same when it is run again.
    fn now(&self) -> Timestamp;

    /// Calls a tool. Run again, a turn gets what the first call returned.
    async fn call(&mut self, tool: &str, input: Value) -> Result<Value, ToolError>;

    /// Reckons what a call would come to, for a summary that asks for the customer's yes to it. The
    /// words it is shown in are the caller's to fill in.
    async fn propose(&mut self, tool: &str, _input: Value) -> Result<Proposal, ToolError> {
        Err(ToolError::NoSuchTool(tool.to_owned()))
    }

    /// The tools of these names that there are, as a model sees them.
    fn tools(&self, _names: &[String]) -> Vec<ToolSpec> {
        Vec::new()
    }

    /// Whether any of these models can be asked.
    fn serves(&self, _models: &[String]) -> bool {
        false
    }

    /// Puts a question to a model, if one is configured. Run again, a turn gets the first answer.
    /// With a preview, the text is shown while it grows, where the channel can.
    async fn ask(
        &mut self,
        _ask: &ModelAsk,
        _preview: Option<Preview<'_>>,
    ) -> Result<ModelReply, ModelError> {
        Err(ModelError::NoModel)
    }

    /// The sums spent on models before this turn.
    async fn spending(&mut self) -> Spending {
        Spending::default()
    }

    /// The last lines of the session, without this turn's.
    async fn said(&mut self, _last: usize) -> Said {
        Said::default()
    }
}
