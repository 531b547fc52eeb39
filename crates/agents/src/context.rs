//! The context port: time, tools and a model's judgement, each call a journaled step.

use async_trait::async_trait;
use domain::{Confidence, Timestamp};
use serde_json::{Map, Value};
use thiserror::Error;

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ToolError {
    /// The tool did nothing, and says why.
    #[error("{0}")]
    Refused(String),
    /// Nobody knows whether it acted; a person has been asked to find out.
    #[error("the outcome is unknown: {0}")]
    Unknown(String),
    #[error("there is no tool `{0}`")]
    NoSuchTool(String),
    /// The turn can no longer commit; whatever it returns is discarded.
    #[error("the turn was interrupted")]
    Interrupted,
}

/// What is put to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The name of a prompt of the pack, `prompts/<name>.md`.
    pub prompt: String,
    /// What is filled into it.
    pub values: Map<String, Value>,
    /// The answers allowed; none of them asks for free text.
    pub choices: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// One of the choices, where there were any.
    pub answer: String,
    pub confidence: Confidence,
}

#[async_trait]
pub trait Context: Send {
    /// When the turn began; the same when it is run again.
    fn now(&self) -> Timestamp;

    /// Calls a tool. Run again, a turn gets what the first call returned.
    async fn call(&mut self, tool: &str, input: Value) -> Result<Value, ToolError>;

    /// Puts a question to the model, if one is configured. An agent works without an answer.
    async fn judge(&mut self, _question: &Question) -> Option<Judgement> {
        None
    }
}
