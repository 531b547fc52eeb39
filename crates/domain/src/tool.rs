//! How a tool's call fails: one type from the tool itself to the agent that asked for it.

use std::time::Duration;

use thiserror::Error;

/// A call that gave no answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ToolError {
    #[error("there is no tool `{0}`")]
    NoSuchTool(String),
    /// The input does not fit, in one sentence that a model may be shown.
    #[error("{0}")]
    BadInput(String),
    #[error("`{0}` needs an approval")]
    NeedsApproval(String),
    #[error("`{0}` is sent by the agent, as its reply")]
    IsAReply(String),
    #[error("`{tool}` was called too often: wait {} s", wait.as_millis().div_ceil(1000))]
    TooOften { tool: String, wait: Duration },
    /// The tool did nothing, and says why.
    #[error("{0}")]
    Refused(String),
    /// The tool may have acted. An agent hears so only after a person was asked to find out.
    #[error("the outcome is unknown: {0}")]
    Unknown(String),
    /// The turn can no longer commit; whatever it returns is discarded.
    #[error("the turn was interrupted")]
    Interrupted,
}
