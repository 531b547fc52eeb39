//! The outbox: one owner per send, an intent before it, and a settled outcome after it.

use async_trait::async_trait;
use domain::{DeliveryStatus, OutboundId, Timestamp};

use crate::{LaneWork, Lease, StoreResult};

/// What became of the wish to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendOutcome {
    /// The intent is committed: send now, the approved template instead of the text if it says so.
    Go { as_template: bool },
    /// Do not send: a human owns the conversation now, or an earlier attempt is in doubt.
    Withheld,
    /// Do not send yet: somebody is about to take the conversation over.
    HeldBack,
    /// Do not send: the window has closed and there is no template to say it with. It waits for a
    /// person.
    OutsideWindow,
}

/// How a send ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    pub outbound: OutboundId,
    /// `Sent`, `Failed`, `Ambiguous`, or `Queued` for another attempt.
    pub status: DeliveryStatus,
    /// For `Queued`: when to try again.
    pub retry_at: Option<Timestamp>,
    pub error: Option<String>,
    pub provider_ref: Option<String>,
}

#[async_trait]
pub trait Outbox {
    /// Commits the intent to send, if the lane is held and the author may still speak. On a channel
    /// that `has_window` the customer's last message decides what may still be said, whoever says
    /// it; one that waits in the inbox counts.
    async fn intend_send(
        &self,
        lease: Lease,
        outbound: OutboundId,
        has_window: bool,
        now: Timestamp,
    ) -> StoreResult<SendOutcome>;

    /// Records how a send ended and returns the lane's next work, or gives the lane up. The fact
    /// is recorded even when the lane is lost, since it is true all the same.
    async fn settle_send(
        &self,
        lease: Lease,
        settlement: Settlement,
        now: Timestamp,
    ) -> StoreResult<Option<LaneWork>>;
}
