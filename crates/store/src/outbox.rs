//! The outbox: one owner per send, an intent before it, and its outcome on record after it.

use async_trait::async_trait;
use domain::{DeliveryStatus, OutboundId, PairPace, Pii, Timestamp, WorkspaceId};

use crate::{LaneWork, Lease, StoreResult};

/// The answer to the wish to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clearance {
    /// The intent is committed: send now, the approved template instead of the text if it says so.
    Go { as_template: bool },
    /// Do not send: a human owns the conversation now, or an earlier attempt is ambiguous.
    Withheld,
    /// Do not send yet: somebody is about to take the conversation over.
    HeldBack,
    /// Do not send: the window has closed and the message has no template. The message waits for a
    /// person.
    OutsideWindow,
    /// Do not send: the customer's number is somebody else's by now, and they have no other name.
    Nowhere,
    /// Do not send yet: the message waits in the outbox until then, and so do those behind it.
    Wait { until: Timestamp },
}

/// The rules of a channel at the moment of sending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SendRules {
    /// Whether the 24-hour window limits every author's messages. The window is open from the
    /// customer's last message; a message that still waits in the inbox counts.
    pub has_window: bool,
    /// How fast messages of one conversation may follow each other, counted over all nodes.
    pub pair: Option<PairPace>,
    /// The whole channel waits until then.
    pub not_before: Option<Timestamp>,
}

/// How a send ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendOutcome {
    pub outbound: OutboundId,
    /// `Sent`, `Failed`, `Ambiguous`, or `Queued` for another attempt.
    pub status: DeliveryStatus,
    /// For `Queued`: when to try again.
    pub retry_at: Option<Timestamp>,
    pub error: Option<String>,
    pub provider_ref: Option<String>,
    /// Whether the attempt counts against the message; false when the whole channel was at fault.
    pub counts: bool,
    /// Whether the provider holds the window to be closed: until the customer writes, nothing but
    /// templates leaves.
    pub window_closed: bool,
}

impl SendOutcome {
    pub fn new(outbound: OutboundId, status: DeliveryStatus) -> Self {
        Self {
            outbound,
            status,
            retry_at: None,
            error: None,
            provider_ref: None,
            counts: true,
            window_closed: false,
        }
    }
}

#[async_trait]
pub trait Outbox {
    /// Commits the intent to send, if the lane is held, the author may still speak and the
    /// channel's rules allow it now. A `VersionConflict` if the customer is no longer reached under
    /// the address that was read, because that may be somebody else's.
    async fn intend_send(
        &self,
        lease: Lease,
        outbound: OutboundId,
        to: &Pii,
        rules: SendRules,
        now: Timestamp,
    ) -> StoreResult<Clearance>;

    /// Records how a send ended and returns the lane's next work, or gives the lane up. The fact
    /// is recorded even when the lane is lost, since it is true all the same.
    async fn record_send(
        &self,
        lease: Lease,
        outcome: SendOutcome,
        now: Timestamp,
    ) -> StoreResult<Option<LaneWork>>;

    /// Whether all of these messages were sent to the customer, as they were written. False for an
    /// empty list, and for a message that waits, failed, was withheld, is ambiguous or went out as
    /// an approved template, whose words are the provider's.
    async fn have_reached(
        &self,
        workspace: WorkspaceId,
        messages: &[OutboundId],
    ) -> StoreResult<bool>;
}
