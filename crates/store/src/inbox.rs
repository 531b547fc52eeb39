//! The inbox: arrivals become durable here before anyone is told that they arrived.

use async_trait::async_trait;
use domain::{
    Channel, ContactId, ConversationId, DeliveryReport, EventId, Identity, Inbound, Timestamp,
    WorkspaceId,
};

use serde_json::Value;

use crate::{Claim, LaneWork, SessionWrite, StoreResult};

/// An inbound item with the ids it gets if it is new.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub item: Inbound,
    pub event: EventId,
    /// Used when the sender is not known yet.
    pub contact: ContactId,
    pub conversation: ConversationId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    pub conversation: ConversationId,
    /// Whether this was a second copy, which changed nothing.
    pub duplicate: bool,
    /// Whether the arrival is new and too old to be answered unseen: a person finds it in
    /// quarantine.
    pub set_aside: bool,
    /// Whether a file came with the arrival that is now to be fetched.
    pub brought_file: bool,
}

/// A delivery as it was stored.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    /// The outcome of each arrival, in their order.
    pub accepted: Vec<Accepted>,
    /// Lanes that were taken in the same commit, with their work.
    pub claimed: Vec<LaneWork>,
}

/// A customer who goes by other names than before, by the provider's own word.
#[derive(Clone, Debug)]
pub struct Renamed {
    pub from: Identity,
    pub to: Identity,
    /// When the names changed.
    pub at: Timestamp,
}

/// A message that was deleted where it was written.
#[derive(Clone, Debug)]
pub struct Deleted {
    /// The provider's id of the message.
    pub external_id: String,
    /// The id of the message's row in the inbox, should the message not have come yet.
    pub event: EventId,
}

/// An item of a delivery that could not be read, kept as it came.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// The same for every copy of the item.
    pub external_id: String,
    pub event: EventId,
    pub raw: Value,
    pub reason: String,
}

/// The outcome of pruning a piece of the inbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub rows: u64,
    /// Where the next piece begins, if more old arrivals may follow.
    pub next: Option<EventId>,
}

#[async_trait]
pub trait Inbox {
    /// Stores each arrival once, creating contact and conversation as needed, and makes its lane
    /// due; all in one commit that is durable when this returns. An edit takes the place of its
    /// message if that was not answered yet, or else is a message of its own. Lanes that became due
    /// at once and that nobody holds are claimed by `claim` in the same commit.
    async fn accept(
        &self,
        channel: &Channel,
        arrivals: Vec<Arrival>,
        claim: Option<Claim>,
        now: Timestamp,
    ) -> StoreResult<Stored>;

    /// Puts on record arrivals that nobody said, such as reactions, each once. Notes are no turn:
    /// no lane becomes due by them, and no timer or answer that waits for the customer is touched.
    /// Where no session is open, a session like `place` holds the line and is closed.
    async fn note(
        &self,
        channel: &Channel,
        notes: Vec<Arrival>,
        place: SessionWrite,
        now: Timestamp,
    ) -> StoreResult<Vec<Accepted>>;

    /// Keeps unreadable items in quarantine, each once, so that nothing that came is lost.
    async fn keep_unreadable(
        &self,
        channel: &Channel,
        items: Vec<Unreadable>,
        now: Timestamp,
    ) -> StoreResult<()>;

    /// Applies delivery reports by rank, in one commit; returns how many named a message of ours.
    async fn report(
        &self,
        workspace: WorkspaceId,
        reports: Vec<DeliveryReport>,
        now: Timestamp,
    ) -> StoreResult<usize>;

    /// Forgets the words of messages, whoever wrote them; a message that has not come yet will not
    /// be stored.
    async fn forget(
        &self,
        channel: &Channel,
        messages: Vec<Deleted>,
        now: Timestamp,
    ) -> StoreResult<()>;

    /// Lets a customer keep all that is theirs under new names. False if nobody goes by the old
    /// names, or somebody else by the new: two who were held apart are not made one.
    async fn rename(
        &self,
        channel: &Channel,
        renamed: Renamed,
        now: Timestamp,
    ) -> StoreResult<bool>;

    /// Deletes handled arrivals received before `before`, of a bounded number after the given one.
    async fn prune(
        &self,
        workspace: WorkspaceId,
        before: Timestamp,
        after: Option<EventId>,
    ) -> StoreResult<Pruned>;
}
