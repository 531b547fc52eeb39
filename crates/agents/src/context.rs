//! The context port: time and tools, each call a journaled step.

use async_trait::async_trait;
use domain::Timestamp;
use serde_json::Value;
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

#[async_trait]
pub trait Context: Send {
    /// When the turn began; the same when it is run again.
    fn now(&self) -> Timestamp;

    /// Calls a tool. Run again, a turn gets what the first call returned.
    async fn call(&mut self, tool: &str, input: Value) -> Result<Value, ToolError>;
}
