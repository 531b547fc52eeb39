//! The port through which a message leaves, and what can come of an attempt.

use async_trait::async_trait;
use domain::{Approved, OutboundId, Pii};

pub struct Outgoing<'a> {
    /// Our reference for the message; the provider's reports carry it back.
    pub reference: OutboundId,
    pub to: &'a Pii,
    pub text: &'a Pii,
    /// What is sent instead of the text, since the channel's window has closed.
    pub approved: Option<&'a Approved>,
}

/// The provider took the message; delivery is told later, by its reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub provider_ref: Option<String>,
}

/// Why no receipt came. The three cases differ in what is known, since only that decides
/// whether another attempt may double the message. No reason holds personal data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// Certainly not sent; worth another attempt, not before `after_ms`.
    #[error("not sent, to be tried again: {reason}")]
    Retry { reason: String, after_ms: Option<i64> },
    /// Certainly not sent and never will be.
    #[error("refused: {reason}")]
    Refused { reason: String },
    /// It may have been sent: nobody knows.
    #[error("unknown whether it was sent: {reason}")]
    Unknown { reason: String },
}

/// One attempt per call: retrying belongs to the outbox alone.
#[async_trait]
pub trait Sender: Send + Sync {
    async fn send(&self, message: Outgoing<'_>) -> Result<Receipt, SendError>;
}
