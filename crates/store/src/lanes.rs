//! Lanes: the right to act for a conversation now, and the work that waits in it.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    Conversation, ConversationId, Event, NodeId, Outbound, Session, Step, Timestamp, TurnId,
    WorkspaceId,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::StoreResult;

/// The right to act for one conversation. Every write made under it checks the fence, so a
/// holder that was paused past its lease can no longer commit or send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    pub workspace: WorkspaceId,
    pub conversation: ConversationId,
    pub fence: i64,
    /// When the lease ends unless renewed.
    pub until: Timestamp,
}

/// A request for lanes: the node, the end of their leases, and how many at most. Lanes beyond that
/// wait in their workspace's queue, and no longer stand before others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    pub node: NodeId,
    pub until: Timestamp,
    pub max: usize,
}

/// The room for due lanes: how many may be claimed, in all and of each workspace.
#[derive(Clone)]
pub struct Room {
    pub max: usize,
    /// How many more lanes of this workspace.
    pub of: Arc<dyn Fn(WorkspaceId) -> usize + Send + Sync>,
    /// The workspace after which this claim begins with the queued lanes: another for every claim,
    /// so that each workspace has its turn.
    pub after: WorkspaceId,
}

impl Room {
    /// The same room for every workspace.
    pub fn for_any(max: usize) -> Self {
        Self { max, of: Arc::new(|_| usize::MAX), after: WorkspaceId(Uuid::nil()) }
    }
}

/// A turn that has recorded a step: its id, time and events are fixed until it commits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenTurn {
    pub turn: TurnId,
    pub started_at: Timestamp,
    /// Ids of the inbox rows and timers that the turn answers.
    pub events: Vec<Uuid>,
}

/// The failed attempts at the waiting events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    /// Attempts that ended in an error.
    pub failed: u32,
    /// Leases that ran out with their holder gone, in a row.
    pub crashed: u32,
    /// Whether the last of those holders vanished while it tried this lane alone.
    pub crashed_alone: bool,
}

/// All that a holder needs to act, read in one go when the lane is claimed or kept.
#[derive(Clone, Debug)]
pub struct LaneWork {
    pub lease: Lease,
    pub conversation: Conversation,
    /// The session that is not closed, if any.
    pub session: Option<Session>,
    /// Messages and acts that are ready, and due timers, in the order they are to be handled.
    pub events: Vec<Event>,
    /// When the newest waiting message came, be it ready or still part of a burst; looked up only
    /// when a timer is due.
    pub newest_message_at: Option<Timestamp>,
    /// The next message to send, if one is due.
    pub outbound: Option<Outbound>,
    pub open_turn: Option<OpenTurn>,
    /// The steps that the open turn has recorded.
    pub steps: Vec<Step>,
    pub attempts: Attempts,
    /// Whether a waiting event was quarantined before and put back by a person.
    pub retried_by_hand: bool,
}

#[async_trait]
pub trait Lanes {
    /// Claims due lanes that no live node holds, as far as there is room, raises their fences and
    /// reads their work. Messages that a dead holder was sending become ambiguous. A lane whose
    /// workspace has no room is put in its workspace's queue, so that it does not stand before
    /// others; those with an operator's message lead that queue.
    async fn claim(
        &self,
        node: NodeId,
        now: Timestamp,
        lease_ms: i64,
        room: Room,
    ) -> StoreResult<Vec<LaneWork>>;

    /// Extends the leases that are still this node's; returns those that are not.
    async fn heartbeat(
        &self,
        node: NodeId,
        leases: Vec<Lease>,
        until: Timestamp,
    ) -> StoreResult<Vec<Lease>>;

    /// Keeps the lane and returns its work if something is ready at `now`; otherwise gives it up
    /// until its next event is due.
    async fn release(&self, lease: Lease, now: Timestamp) -> StoreResult<Option<LaneWork>>;

    /// Gives the lane up although work may be ready: another holder takes it from `wake_at` on.
    async fn hand_back(&self, lease: Lease, wake_at: Timestamp) -> StoreResult<()>;

    /// When the next lane becomes due, of all workspaces.
    async fn next_due(&self) -> StoreResult<Option<Timestamp>>;
}
