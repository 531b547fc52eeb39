//! Claiming, keeping and giving up lanes.

use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::{ConversationId, NodeId, Timestamp, WorkspaceId};

use super::load::{LOCK_LANE, LaneState, Reading, go_on_or_give_up, lane_query, lane_state};
use super::{Driver, Look, Sql, SqlStore, Tx, live, work};
use crate::{Claim, LaneWork, Lanes, Lease, Point, StoreError, StoreResult, statement};

/// How long a lane that cannot be read is left alone.
const PARK_MS: i64 = 60_000;

const DUE_LANES: Sql = Sql {
    sqlite: "SELECT workspace_id, conversation_id, fence, holder FROM lanes WHERE wake_at <= ?1 \
             ORDER BY wake_at LIMIT ?2",
    // A lane that another node is just claiming is skipped, not waited for.
    postgres: "SELECT workspace_id, conversation_id, fence, holder FROM lanes WHERE wake_at <= ?1 \
               ORDER BY wake_at LIMIT ?2 FOR UPDATE SKIP LOCKED",
    each: false,
};

const TAKE_LANE: Sql = Sql::each(
    "UPDATE lanes SET holder = ?3, fence = fence + 1, wake_at = ?4, crashed = crashed + ?5 \
     WHERE workspace_id = ?1 AND conversation_id = ?2",
);

// A lane that a failed turn keeps waiting is left to its time.
const TAKE_IDLE: Sql = Sql::each(concat!(
    "UPDATE lanes SET holder = ?3, fence = fence + 1, wake_at = ?4, events_due_at = ?5 \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND holder IS NULL \
            AND (not_before IS NULL OR not_before <= ?5) RETURNING ",
    lane_state!(),
    ", fence",
));

const ORPHANED_SENDS: Sql = Sql::both(
    "UPDATE outbox SET status = 'ambiguous', rank = 2, updated_at = ?3, \
            error = 'the node that was sending it disappeared' \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND status = 'sending' AND rank <= 1",
);

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

const NEXT_DUE: Sql = Sql::both("SELECT min(wake_at) FROM lanes");

/// Statements that are run for many at once.
pub(super) const EACH: &[Sql] = &[TAKE_LANE, TAKE_IDLE, EXTEND];

pub(super) const STATEMENTS: &[Sql] = &[DUE_LANES, ORPHANED_SENDS, HAND_BACK, PARK];

#[async_trait]
impl<D: Driver> Lanes for SqlStore<D> {
    async fn claim(
        &self,
        node: NodeId,
        now: Timestamp,
        lease_ms: i64,
        max: usize,
    ) -> StoreResult<Vec<LaneWork>> {
        let until = now.plus_ms(lease_ms);
        let limit = i64::try_from(max).unwrap_or(i64::MAX);
        self.driver
            .write(Point::LaneClaim, work!(|tx| claim(tx, node, now, until, limit).await))
            .await
    }

    async fn heartbeat(
        &self,
        node: NodeId,
        leases: Vec<Lease>,
        until: Timestamp,
    ) -> StoreResult<Vec<Lease>> {
        self.driver
            .write(
                Point::LaneHeartbeat,
                work!(|tx, leases| heartbeat(tx, node, &leases, until).await),
            )
            .await
    }

    async fn release(&self, lease: Lease, now: Timestamp) -> StoreResult<Option<LaneWork>> {
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

async fn claim<T: Tx>(
    tx: &mut T,
    node: NodeId,
    now: Timestamp,
    until: Timestamp,
    limit: i64,
) -> StoreResult<Vec<LaneWork>> {
    tx.scope_scheduler();
    let mut claimed: BTreeMap<WorkspaceId, Vec<Lease>> = BTreeMap::new();
    for row in tx.query(statement!(DUE_LANES, now, limit)).await? {
        let (workspace, conversation) = (row.uuid(0)?, row.uuid(1)?);
        let lease = Lease { workspace, conversation, fence: row.int(2)? + 1, until };
        let abandoned = !row.is_null(3);
        let crashed = i64::from(abandoned);
        tx.scope(workspace);
        tx.write(statement!(TAKE_LANE, workspace, conversation, node, until, crashed));
        if abandoned {
            tx.write(statement!(ORPHANED_SENDS, workspace, conversation, now));
            live::tell_orphans(tx, workspace, conversation, now);
        }
        claimed.entry(workspace).or_default().push(lease);
    }
    let mut works = Vec::new();
    for (workspace, leases) in claimed {
        tx.scope(workspace);
        let taken = read_states(tx, leases, now).await?;
        works.extend(read_work(tx, &taken, now).await?);
    }
    Ok(works)
}

/// Takes those of a tenant's lanes that nobody holds, due from now on, and reads their work.
pub(super) async fn take_idle<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    conversations: &[ConversationId],
    claim: Claim,
    now: Timestamp,
) -> StoreResult<Vec<LaneWork>> {
    let Claim { node, until, max } = claim;
    let conversations = &conversations[..max.min(conversations.len())];
    let take = |id: &ConversationId| statement!(TAKE_IDLE, workspace, *id, node, until, now);
    let answers = tx.query_all(conversations.iter().map(take).collect()).await?;
    let mut taken = Vec::with_capacity(conversations.len());
    for (conversation, rows) in conversations.iter().zip(answers) {
        if let Some(row) = rows.first() {
            let fence = row.int(8)?;
            let lease = Lease { workspace, conversation: *conversation, fence, until };
            let state = or_parked(tx, lease, LaneState::from_row(row), now);
            taken.extend(state.map(|state| (lease, state)));
        }
    }
    read_work(tx, &taken, now).await
}

/// The states of lanes of one tenant.
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

/// What was read of a lane. One that cannot be read is left alone for a while: it must not keep the
/// others from being worked.
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

/// The work of lanes of one tenant that were just taken.
async fn read_work<T: Tx>(
    tx: &mut T,
    taken: &[(Lease, LaneState)],
    now: Timestamp,
) -> StoreResult<Vec<LaneWork>> {
    let mut works = Vec::with_capacity(taken.len());
    let readings: Vec<_> =
        taken.iter().map(|(lease, state)| Reading::new(*lease, state, now, None)).collect();
    let queries: Vec<_> = readings.iter().map(Reading::queries).collect();
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
