//! Tools that a pack declares on a business's own systems over HTTP.

mod answer;
mod endpoint;
mod path;
mod system;
mod tool;

use thiserror::Error;

use crate::egress::{Blocked, SetupError};

pub use endpoint::{Endpoint, Verb};
pub(crate) use system::header;
pub use system::{System, SystemSettings};
pub use tool::HttpTool;

/// Why a declared tool or system cannot be used.
#[derive(Debug, Error)]
pub enum DeclarationError {
    #[error("the system `{id}` cannot be called: {reason}")]
    Address { id: String, reason: Blocked },
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The value is not told: it may be a secret.
    #[error("`{0}` and its value are no HTTP header")]
    Header(String),
    #[error("the path `{path}` of `{tool}` cannot be used: {reason}")]
    Path { tool: String, path: String, reason: String },
    #[error("`{tool}` uses `{input}`, which is not in its input")]
    NoSuchInput { tool: String, input: String },
    #[error(
        "the input `{input}` of `{tool}` goes nowhere: not into the path, the query or the body"
    )]
    Unused { tool: String, input: String },
    #[error("`{pointer}` of `{tool}` is no JSON pointer, such as /pedido/estado")]
    Pointer { tool: String, pointer: String },
}
