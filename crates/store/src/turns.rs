//! The commit of a turn: session, audit rows, outbox and timers in one transaction or none.

use async_trait::async_trait;
use domain::{
    ArmTimer, Conversation, EventId, Handoff, HandoffId, NewOutbound, SessionId, SessionState,
    SessionStatus, TimerId, Timestamp, TurnEntry, TurnId,
};

use crate::{LaneWork, Lease, StoreResult};

/// The session as the turn leaves it.
#[derive(Clone, Debug)]
pub struct SessionWrite {
    pub id: SessionId,
    /// The version the turn read; `None` opens a new session.
    pub read_version: Option<i64>,
    /// The status the turn read.
    pub read_status: SessionStatus,
    /// The mode the turn read.
    pub read_mode: String,
    pub agent: String,
    pub agent_version: String,
    pub status: SessionStatus,
    pub mode: String,
    pub state: SessionState,
    /// When the session began.
    pub opened_at: Timestamp,
    /// The session that this one follows, because its window is over.
    pub closes: Option<SessionId>,
}

#[derive(Clone, Debug)]
pub struct TurnCommit {
    pub lease: Lease,
    pub turn: TurnId,
    /// When the turn began; a timer's silence is counted from then.
    pub began_at: Timestamp,
    pub now: Timestamp,
    /// The ownership epoch the turn read; a takeover since then makes the commit a conflict.
    pub read_epoch: i64,
    /// The conversation as read, unless the turn's own steps may have changed it. With it the
    /// commit need not read the conversation back for the lane's next work.
    pub carry: Option<Conversation>,
    /// `None` leaves the session as it is, as when a stale timer is dropped.
    pub session: Option<SessionWrite>,
    /// The inbox rows this turn has handled.
    pub handled: Vec<EventId>,
    /// The timers that fired in the turn.
    pub fired: Vec<TimerId>,
    /// Timers that were due but no longer applied, and why.
    pub skipped: Vec<(TimerId, String)>,
    /// Set when the events failed too often: they are quarantined with this reason.
    pub set_aside: Option<String>,
    /// When the newest message among them came.
    pub customer_wrote_at: Option<Timestamp>,
    pub entries: Vec<TurnEntry>,
    pub outbound: Vec<NewOutbound>,
    /// Whether committed messages count as sent, because their reader reads the store.
    pub delivers_by_commit: bool,
    /// Whether this run or an earlier one may have left a draft, which the commit then clears.
    pub drafted: bool,
    pub arm: Vec<(TimerId, ArmTimer)>,
    /// Keys of timers to cancel.
    pub cancel: Vec<String>,
    /// Gives the conversation to a human, under this id; the session is written with it.
    pub handoff: Option<(HandoffId, Handoff)>,
    /// The notice that this turn's messages give to a customer who waits for a person.
    pub notice: Option<Notice>,
}

/// The engine's own word to a customer who waits for a person. A commit with a notice that is no
/// longer true is a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// An operator attends; sent once for a handoff, and never after an operator's own words.
    Attending(HandoffId),
    /// No operator has come yet.
    Unattended(HandoffId),
}

#[async_trait]
pub trait Turns {
    /// Commits a turn if the lane is still held and session version and ownership are as read.
    /// Returns the lane's next work if something is ready, otherwise the lane is given up.
    async fn commit(&self, turn: TurnCommit) -> StoreResult<Option<LaneWork>>;

    /// Puts on record that a lane whose holders vanished is now tried alone, or no longer. If this
    /// holder vanishes during the trial, the lane caused it.
    async fn try_alone(&self, lease: Lease, alone: bool) -> StoreResult<()>;

    /// Counts a failed attempt: the events are not ready again before `retry_at`.
    async fn fail(
        &self,
        lease: Lease,
        reason: &str,
        retry_at: Timestamp,
        now: Timestamp,
    ) -> StoreResult<Option<LaneWork>>;
}
