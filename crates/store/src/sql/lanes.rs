//! Claiming, keeping and giving up lanes.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use domain::{ConversationId, NodeId, Timestamp, WorkspaceId};
use uuid::Uuid;

use super::load::{LOCK_LANE, LaneQueries, LaneState, go_on_or_give_up, lane_query, lane_state};
use super::status::{becomes, rank};
use super::{Driver, Look, Row, Sql, SqlStore, Tx, live, work};
use crate::{Claim, LaneWork, Lanes, Lease, Point, Room, StoreError, StoreResult, statement};

/// How long a lane that cannot be read is left alone.
const PARK_MS: i64 = 60_000;

/// Lanes examined in one further query once a lane without room stood before others; those without
/// room are put aside.
const FURTHER_LANES: usize = 256;
/// Further queries for lanes in one claim.
const FURTHER_LOOKS: usize = 8;
/// Workspace queues that one claim looks at.
const QUEUES: usize = 16;

const DUE_LANES: Sql = Sql {
    sqlite: "SELECT workspace_id, conversation_id, fence, holder FROM lanes \
             WHERE wake_at <= ?1 AND queued = 0 ORDER BY wake_at LIMIT ?2",
    // SKIP LOCKED, because a lane that another node is just claiming need not be waited for.
    postgres: "SELECT workspace_id, conversation_id, fence, holder FROM lanes \
               WHERE wake_at <= ?1 AND queued = 0 ORDER BY wake_at LIMIT ?2 \
               FOR UPDATE SKIP LOCKED",
    each: false,
};

const NEXT_QUEUE: Sql = Sql::both(
    "SELECT workspace_id FROM lanes WHERE queued = 1 AND workspace_id > ?1 \
     ORDER BY workspace_id LIMIT 1",
);

const QUEUED_LANES: Sql = Sql {
    sqlite: "SELECT workspace_id, conversation_id, fence, holder FROM lanes \
             WHERE workspace_id = ?3 AND wake_at <= ?1 AND queued = 1 ORDER BY wake_at LIMIT ?2",
    postgres: "SELECT workspace_id, conversation_id, fence, holder FROM lanes \
               WHERE workspace_id = ?3 AND wake_at <= ?1 AND queued = 1 ORDER BY wake_at LIMIT ?2 \
               FOR UPDATE SKIP LOCKED",
    each: false,
};

// Lanes with an operator's message lead their workspace's queue, because a customer who talks to a
// person would else wait for all that the bot has still to answer. Due nearly three centuries before
// its message was written, such a lane comes before any other, and after those of earlier messages.
const QUEUE_LANE: Sql = Sql::each(concat!(
    "UPDATE lanes SET queued = 1, wake_at = coalesce((SELECT o.created_at - 9000000000000 \
                 FROM outbox o WHERE o.workspace_id = lanes.workspace_id \
                 AND o.conversation_id = lanes.conversation_id AND o.rank <= ",
    rank!(sending),
    " AND o.priority = 0 AND o.next_attempt_at <= ?3 ORDER BY o.seq LIMIT 1), wake_at) \
     WHERE workspace_id = ?1 AND conversation_id = ?2",
));

// A lane whose holder vanished during a trial has `on_trial` raised to 2: that lane caused the
// crash.
const CLAIM_LANE: Sql = Sql::each(
    "UPDATE lanes SET holder = ?3, fence = fence + 1, wake_at = ?4, queued = 0, \
            crashed = crashed + ?5, \
            on_trial = CASE WHEN ?5 = 1 AND on_trial > 0 THEN 2 ELSE on_trial END \
     WHERE workspace_id = ?1 AND conversation_id = ?2",
);

// A lane that waits out the backoff of a failed turn is not claimed.
const CLAIM_IDLE: Sql = Sql::each(concat!(
    "UPDATE lanes SET holder = ?3, fence = fence + 1, wake_at = ?4, queued = 0, events_due_at = NULL \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND holder IS NULL \
            AND (not_before IS NULL OR not_before <= ?5) RETURNING ",
    lane_state!(),
    ", fence",
));

const MARK_ORPHANS_AMBIGUOUS: Sql = Sql::both(concat!(
    "UPDATE outbox SET ",
    becomes!(ambiguous),
    ", updated_at = ?3, \
            error = 'the node that was sending it disappeared' \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND status = 'sending' AND rank <= ",
    rank!(sending),
));

const EXTEND: Sql = Sql::each(
    "UPDATE lanes SET wake_at = ?4 \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND fence = ?3 AND holder = ?5 RETURNING 1",
);

const HAND_BACK: Sql = Sql::both(
    "UPDATE lanes SET holder = NULL, wake_at = ?3 WHERE workspace_id = ?1 AND conversation_id = ?2",
);

const PARK: Sql = Sql::both(
    "UPDATE lanes SET holder = NULL, wake_at = ?3, last_error = ?4 \
     WHERE workspace_id = ?1 AND conversation_id = ?2",
);

// Queued lanes are due as soon as there is room, which has no time of its own; their `wake_at` is
// taken only if no other lane waits.
const NEXT_DUE: Sql = Sql::both(
    "SELECT coalesce((SELECT wake_at FROM lanes WHERE wake_at IS NOT NULL AND queued = 0 \
                 ORDER BY wake_at LIMIT 1), \
            (SELECT wake_at FROM lanes WHERE queued = 1 ORDER BY workspace_id LIMIT 1))",
);

/// Leases renewed in one commit. The bound keeps that commit short: it locks the lanes until it is
/// done, and any other commit for one of them waits, with everything committed together with it.
const RENEWED_AT_ONCE: usize = 32;

/// Statements that are run for many at once.
pub(super) const EACH: &[Sql] = &[CLAIM_LANE, CLAIM_IDLE, QUEUE_LANE, EXTEND];

pub(super) const STATEMENTS: &[Sql] =
    &[DUE_LANES, NEXT_QUEUE, QUEUED_LANES, MARK_ORPHANS_AMBIGUOUS, HAND_BACK, PARK, NEXT_DUE];

#[async_trait]
impl<D: Driver> Lanes for SqlStore<D> {
    async fn claim(
        &self,
        node: NodeId,
        now: Timestamp,
        lease_ms: i64,
        room: Room,
    ) -> StoreResult<Vec<LaneWork>> {
        let until = now.plus_ms(lease_ms);
        self.driver
            .write(
                Point::LaneClaim,
                work!(|tx, room| {
                    let taking = Claiming { node, now, until, room: &room, taken: BTreeMap::new() };
                    taking.claim(tx).await
                }),
            )
            .await
    }

    async fn heartbeat(
        &self,
        node: NodeId,
        leases: Vec<Lease>,
        until: Timestamp,
    ) -> StoreResult<Vec<Lease>> {
        let mut lost = Vec::new();
        for leases in leases.chunks(RENEWED_AT_ONCE) {
            let leases = leases.to_vec();
            let renewed = self.driver.write(
                Point::LaneHeartbeat,
                work!(|tx, leases| heartbeat(tx, node, &leases, until).await),
            );
            lost.extend(renewed.await?);
        }
        Ok(lost)
    }

    async fn release(&self, lease: Lease, now: Timestamp) -> StoreResult<Option<LaneWork>> {
        let _turn = self.turn_to_write(lease.workspace).await;
        self.driver
            .write(
                Point::LaneRelease,
                work!(|tx| {
                    lock_lane(tx, lease);
                    go_on_or_give_up(tx, lease, now).await
                }),
            )
            .await
    }

    async fn hand_back(&self, lease: Lease, wake_at: Timestamp) -> StoreResult<()> {
        let _turn = self.turn_to_write(lease.workspace).await;
        self.driver
            .write(
                Point::LaneRelease,
                work!(|tx| {
                    lock_lane(tx, lease);
                    tx.write(statement!(HAND_BACK, lease.workspace, lease.conversation, wake_at));
                    Ok(())
                }),
            )
            .await?;
        self.driver.wake_lanes();
        Ok(())
    }

    async fn next_due(&self) -> StoreResult<Option<Timestamp>> {
        self.driver
            .read(
                Look::engine(),
                work!(|tx| {
                    tx.scope_scheduler();
                    let rows = tx.query(statement!(NEXT_DUE)).await?;
                    rows.first().map_or(Ok(None), |row| row.opt_time(0))
                }),
            )
            .await
    }
}

/// Narrows to the tenant, locks the lane's row and fails if the fence has moved on.
pub(super) fn lock_lane<T: Tx>(tx: &mut T, lease: Lease) {
    tx.scope(lease.workspace);
    let lock = statement!(LOCK_LANE, lease.workspace, lease.conversation, lease.fence);
    tx.guard(lock, StoreError::LaneLost);
}

/// A claim under way.
struct Claiming<'a> {
    node: NodeId,
    now: Timestamp,
    until: Timestamp,
    room: &'a Room,
    taken: BTreeMap<WorkspaceId, Vec<Lease>>,
}

impl Claiming<'_> {
    async fn claim<T: Tx>(mut self, tx: &mut T) -> StoreResult<Vec<LaneWork>> {
        // Half of the room is for queued lanes, and no workspace may take more than a quarter of
        // that half; room that the common queue leaves is theirs too.
        let (half, all) = (self.room.max.div_ceil(2), self.room.max);
        let are_queued = self.claim_queued(tx, half, half.div_ceil(4)).await?;
        self.claim_due(tx).await?;
        if are_queued {
            self.claim_queued(tx, all, all).await?;
        }
        let mut works = Vec::new();
        for (workspace, leases) in self.taken {
            tx.scope(workspace);
            let taken = read_states(tx, leases, self.now).await?;
            works.extend(read_work(tx, &taken, self.now).await?);
        }
        Ok(works)
    }

    fn count(&self) -> usize {
        self.taken.values().map(Vec::len).sum()
    }

    fn room_of(&self, workspace: WorkspaceId) -> usize {
        (self.room.of)(workspace).saturating_sub(self.taken.get(&workspace).map_or(0, Vec::len))
    }

    /// Claims the longest due lanes of all workspaces, and puts aside those whose workspace has no
    /// room.
    async fn claim_due<T: Tx>(&mut self, tx: &mut T) -> StoreResult<()> {
        let mut look = self.room.max.saturating_sub(self.count());
        for _ in 0..FURTHER_LOOKS {
            if look == 0 {
                break;
            }
            tx.scope_scheduler();
            let limit = i64::try_from(look).unwrap_or(i64::MAX);
            let rows = tx.query(statement!(DUE_LANES, self.now, limit)).await?;
            let mut aside = false;
            for row in &rows {
                let workspace = row.uuid(0)?;
                if self.room_of(workspace) == 0 {
                    let conversation: ConversationId = row.uuid(1)?;
                    aside = true;
                    tx.scope(workspace);
                    tx.write(statement!(QUEUE_LANE, workspace, conversation, self.now));
                } else if self.count() < self.room.max {
                    self.claim_one(tx, row)?;
                }
            }
            if !aside || self.count() >= self.room.max {
                break;
            }
            look = FURTHER_LANES;
        }
        Ok(())
    }

    /// Claims up to `most` lanes in all from the workspaces' queues, up to `each` of a workspace
    /// that now has room. Returns whether any lane is queued.
    async fn claim_queued<T: Tx>(
        &mut self,
        tx: &mut T,
        most: usize,
        each: usize,
    ) -> StoreResult<bool> {
        let mut after = self.room.after;
        let mut seen = BTreeSet::new();
        while self.count() < most && seen.len() < QUEUES {
            tx.scope_scheduler();
            let from = |after: WorkspaceId| statement!(NEXT_QUEUE, after);
            let found = tx.query_all(vec![from(after), from(WorkspaceId(Uuid::nil()))]).await?;
            let Some(row) = found.iter().flatten().next() else { break };
            after = row.uuid(0)?;
            if !seen.insert(after) {
                break;
            }
            let room = self.room_of(after).min(each).min(most - self.count());
            if room > 0 {
                let limit = i64::try_from(room).unwrap_or(i64::MAX);
                let lanes = tx.query(statement!(QUEUED_LANES, self.now, limit, after)).await?;
                lanes.iter().try_for_each(|row| self.claim_one(tx, row))?;
            }
        }
        Ok(!seen.is_empty())
    }

    fn claim_one<T: Tx>(&mut self, tx: &mut T, row: &Row) -> StoreResult<()> {
        let (workspace, conversation) = (row.uuid(0)?, row.uuid(1)?);
        let lease = Lease { workspace, conversation, fence: row.int(2)? + 1, until: self.until };
        let abandoned = !row.is_null(3);
        let crashed = i64::from(abandoned);
        tx.scope(workspace);
        tx.write(statement!(CLAIM_LANE, workspace, conversation, self.node, self.until, crashed));
        if abandoned {
            tx.write(statement!(MARK_ORPHANS_AMBIGUOUS, workspace, conversation, self.now));
            live::tell_orphans(tx, workspace, conversation, self.now);
        }
        self.taken.entry(workspace).or_default().push(lease);
        Ok(())
    }
}

/// Claims the tenant's lanes among these that nobody holds, due from now on, and reads their work.
pub(super) async fn claim_idle<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    conversations: &[ConversationId],
    claim: Claim,
    now: Timestamp,
) -> StoreResult<Vec<LaneWork>> {
    let Claim { node, until, max } = claim;
    let conversations = &conversations[..max.min(conversations.len())];
    let take = |id: &ConversationId| statement!(CLAIM_IDLE, workspace, *id, node, until, now);
    let answers = tx.query_all(conversations.iter().map(take).collect()).await?;
    let mut taken = Vec::with_capacity(conversations.len());
    for (conversation, rows) in conversations.iter().zip(answers) {
        if let Some(row) = rows.first() {
            let fence = row.int(9)?;
            let lease = Lease { workspace, conversation: *conversation, fence, until };
            let state = or_parked(tx, lease, LaneState::from_row(row), now);
            taken.extend(state.map(|state| (lease, state)));
        }
    }
    read_work(tx, &taken, now).await
}

/// Reads the states of lanes of one tenant.
async fn read_states<T: Tx>(
    tx: &mut T,
    leases: Vec<Lease>,
    now: Timestamp,
) -> StoreResult<Vec<(Lease, LaneState)>> {
    let answers = tx.query_all(leases.iter().copied().map(lane_query).collect()).await?;
    let mut states = Vec::with_capacity(leases.len());
    for (lease, rows) in leases.into_iter().zip(answers) {
        let state = or_parked(tx, lease, LaneState::from_rows(&rows), now);
        states.extend(state.map(|state| (lease, state)));
    }
    Ok(states)
}

/// Returns the reading, or parks the lane for a while if its rows cannot be read, so that one bad
/// lane does not stop the others.
fn or_parked<T: Tx, R>(
    tx: &mut T,
    lease: Lease,
    read: StoreResult<R>,
    now: Timestamp,
) -> Option<R> {
    read.map_err(|error| {
        let (later, reason) = (now.plus_ms(PARK_MS), error.to_string());
        tx.write(statement!(PARK, lease.workspace, lease.conversation, later, reason));
    })
    .ok()
}

/// Reads the work of lanes of one tenant that were just claimed.
async fn read_work<T: Tx>(
    tx: &mut T,
    taken: &[(Lease, LaneState)],
    now: Timestamp,
) -> StoreResult<Vec<LaneWork>> {
    let mut works = Vec::with_capacity(taken.len());
    let readings: Vec<_> =
        taken.iter().map(|(lease, state)| LaneQueries::new(*lease, state, now, None)).collect();
    let queries: Vec<_> = readings.iter().map(LaneQueries::queries).collect();
    let counts: Vec<_> = queries.iter().map(Vec::len).collect();
    let mut answers = tx.query_all(queries.concat()).await?.into_iter();
    for (((lease, _), reading), count) in taken.iter().zip(readings).zip(counts) {
        let own: Vec<_> = answers.by_ref().take(count).collect();
        works.extend(or_parked(tx, *lease, reading.work(&mut own.into_iter()), now));
    }
    Ok(works)
}

async fn heartbeat<T: Tx>(
    tx: &mut T,
    node: NodeId,
    leases: &[Lease],
    until: Timestamp,
) -> StoreResult<Vec<Lease>> {
    tx.scope_scheduler();
    let extend = |lease: &Lease| {
        statement!(EXTEND, lease.workspace, lease.conversation, lease.fence, until, node)
    };
    let answers = tx.query_all(leases.iter().map(extend).collect()).await?;
    let lost = leases.iter().zip(answers).filter(|(_, rows)| rows.is_empty());
    Ok(lost.map(|(lease, _)| *lease).collect())
}
