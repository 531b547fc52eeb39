//! The port through which a message leaves, and the possible outcomes of an attempt.

use async_trait::async_trait;
use domain::{Approved, OutboundId, Pii, ReplyOption};

pub struct Outgoing<'a> {
    /// Our reference for the message; the provider's reports carry it back.
    pub reference: OutboundId,
    pub to: &'a Pii,
    pub text: &'a Pii,
    /// The template sent instead of the text, because the channel's window has closed.
    pub approved: Option<&'a Approved>,
    /// The options for the customer to pick from; [`crate::offered`] has made sure that they fit.
    pub options: &'a [ReplyOption],
    /// The words that open the options where they are shown as a list.
    pub list_title: &'a str,
}

/// The provider took the message; delivery is told later, by its reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub provider_ref: Option<String>,
}

/// The reason why no receipt came. The certainty decides whether another attempt may double the
/// message, and the fault decides who waits: the message or the channel. No reason holds personal
/// data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// Certainly not sent; worth another attempt, not before `after_ms`.
    #[error("not sent, to be tried again: {reason}")]
    Retry { reason: String, after_ms: Option<i64> },
    /// Certainly not sent: this customer had too many messages lately.
    #[error("not sent, too soon for this customer: {reason}")]
    TooSoon { reason: String, after_ms: i64 },
    /// Certainly not sent, and nothing else would be: the whole channel waits.
    #[error("not sent, the channel waits: {reason}")]
    ChannelWaits { reason: String, cause: ChannelTrouble },
    /// Certainly not sent: the provider holds the customer's window to be closed.
    #[error("not sent, the window is closed: {reason}")]
    WindowClosed { reason: String },
    /// Certainly not sent and never will be.
    #[error("refused: {reason}")]
    Refused { reason: String },
    /// The message may have been sent: nobody knows.
    #[error("unknown whether it was sent: {reason}")]
    Unknown { reason: String },
}

/// The reason why a whole channel waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelTrouble {
    /// The channel's number sends too fast.
    Pace,
    /// The channel's credentials or account are not accepted: a person has to mend them.
    Account,
}

/// A sender of messages. A call is one attempt, because retrying belongs to the outbox alone.
#[async_trait]
pub trait Sender: Send + Sync {
    async fn send(&self, message: Outgoing<'_>) -> Result<Receipt, SendError>;
}
