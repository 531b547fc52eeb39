//! Intake: each arrival once, its lane due, a whole delivery in one commit.

use async_trait::async_trait;
use domain::{Burst, Channel, ConversationId, DeliveryReport, EventId, Timestamp, WorkspaceId};
use uuid::Uuid;

use super::{
    Driver, Param, Sql, SqlStore, Tx, edits, forget, lanes, media, notes, reports, senders, work,
};
use crate::{
    Accepted, Arrival, Claim, Deleted, Inbox, LaneWork, Point, Pruned, Renamed, SessionWrite,
    StoreResult, Stored, Unreadable, statement,
};

/// Age from which a new arrival is quarantined instead of answered. Providers repeat a message for
/// at most a week, so an older unknown message was not held back by the provider; a person looks at
/// it first.
const TOO_OLD_MS: i64 = 8 * 24 * 60 * 60 * 1000;
const TOO_OLD: &str = "sent more than 8 days ago: a replay, or a provider that was away for long; retry it if it should be answered";

pub(super) const PENDING: &str = "pending";

pub(super) const ADD_ARRIVAL: Sql = Sql::each(
    "INSERT INTO webhook_inbox (workspace_id, id, channel_id, external_id, conversation_id, kind, \
            status, payload, sent_at, received_at, reason) \
     VALUES (?1, ?2, ?3, ?4, ?5, 'message', ?9, ?6, ?7, ?8, ?10) \
     ON CONFLICT (workspace_id, channel_id, external_id) DO NOTHING RETURNING id",
);

const ADD_UNREADABLE: Sql = Sql::both(
    "INSERT INTO webhook_inbox (workspace_id, id, channel_id, external_id, kind, status, payload, \
            reason, sent_at, received_at) \
     VALUES (?1, ?2, ?3, ?4, 'unreadable', 'quarantined', ?5, ?6, ?7, ?7) \
     ON CONFLICT (workspace_id, channel_id, external_id) DO NOTHING",
);

// A held lane keeps its `wake_at`, which is the end of the lease; its holder finds the arrival
// before it gives the lane up. The arrival is ready at once and has no time, because the holder's
// commit may have read the clock before the arrival did: a time a few milliseconds ahead would have
// it give the lane up when nobody is woken any more.
const LANE_DUE_AT_ONCE: Sql = Sql::each(
    "UPDATE lanes SET events_due_at = NULL, \
            queued = CASE WHEN holder IS NOT NULL THEN queued ELSE ?4 END, \
            wake_at = CASE WHEN holder IS NOT NULL THEN wake_at \
                 WHEN wake_at IS NULL OR wake_at > ?3 THEN ?3 ELSE wake_at END \
     WHERE workspace_id = ?1 AND conversation_id = ?2",
);

// The lane is due when it was quiet since the last message, but no later than the cap after the
// first one. Waking too early is harmless: the lane is then found not ready and is given up until
// it is.
const LANE_DUE_WHEN_QUIET: Sql = Sql::each(
    "UPDATE lanes SET burst_since = coalesce(burst_since, ?3), \
            events_due_at = CASE WHEN coalesce(burst_since, ?3) + ?5 < ?4 \
                 THEN coalesce(burst_since, ?3) + ?5 ELSE ?4 END, \
            wake_at = CASE WHEN holder IS NOT NULL THEN wake_at \
                 WHEN wake_at IS NULL OR wake_at > ?4 THEN ?4 ELSE wake_at END \
     WHERE workspace_id = ?1 AND conversation_id = ?2",
);

/// Arrivals examined by one pruning, so that it never holds the writer for long.
const PRUNE_AT_ONCE: i64 = 1_000;

// Arrival ids are in the order of arrival, so the primary key finds the oldest and no index is
// needed.
const OLDEST: Sql = Sql::both(
    "SELECT id, received_at FROM webhook_inbox WHERE workspace_id = ?1 AND id > ?2 \
     ORDER BY id LIMIT ?3",
);

const PRUNE: Sql = Sql::both(
    "DELETE FROM webhook_inbox WHERE workspace_id = ?1 AND id > ?2 AND id <= ?3 \
            AND status = 'done' AND received_at < ?4 RETURNING 1",
);

pub(super) const STATEMENTS: &[Sql] = &[ADD_UNREADABLE];

/// Upkeep: a bounded piece at a time, in the order of the ids.
pub(super) const BESIDE: &[Sql] = &[OLDEST, PRUNE];

/// Statements that are run for many at once.
pub(super) const EACH: &[Sql] = &[ADD_ARRIVAL, LANE_DUE_AT_ONCE, LANE_DUE_WHEN_QUIET];

#[async_trait]
impl<D: Driver> Inbox for SqlStore<D> {
    async fn accept(
        &self,
        channel: &Channel,
        arrivals: Vec<Arrival>,
        claim: Option<Claim>,
        now: Timestamp,
    ) -> StoreResult<Stored> {
        let channel = channel.clone();
        let _turn = self.turn_to_arrive(channel.workspace).await;
        let stored = self
            .driver
            .write(
                Point::InboxAccept,
                work!(|tx, channel, arrivals| accept(tx, &channel, &arrivals, claim, now).await),
            )
            .await?;
        let taken = |one: &Accepted| {
            stored.claimed.iter().any(|work| work.lease.conversation == one.conversation)
        };
        if stored.accepted.iter().any(|one| !one.duplicate && !taken(one)) {
            self.driver.wake_lanes();
        }
        if stored.accepted.iter().any(|one| one.brought_file) {
            self.driver.signals().wake_media();
        }
        Ok(stored)
    }

    async fn note(
        &self,
        channel: &Channel,
        notes: Vec<Arrival>,
        place: SessionWrite,
        now: Timestamp,
    ) -> StoreResult<Vec<Accepted>> {
        let (channel, workspace) = (channel.clone(), channel.workspace);
        let _turn = self.turn_to_arrive(workspace).await;
        let noted = self
            .driver
            .write(
                Point::InboxNote,
                work!(|tx, channel, notes, place| {
                    notes::note(tx, &channel, &notes, &place, now).await
                }),
            )
            .await?;
        self.driver.announce_live(workspace);
        Ok(noted)
    }

    async fn keep_unreadable(
        &self,
        channel: &Channel,
        items: Vec<Unreadable>,
        now: Timestamp,
    ) -> StoreResult<()> {
        let channel = channel.clone();
        let _turn = self.turn_to_arrive(channel.workspace).await;
        self.driver
            .write(
                Point::InboxUnreadable,
                work!(|tx, channel, items| {
                    tx.scope(channel.workspace);
                    for item in items.iter() {
                        tx.write(statement!(
                            ADD_UNREADABLE,
                            channel.workspace,
                            item.event,
                            &channel.id,
                            &item.external_id,
                            &item.raw,
                            &item.reason,
                            now
                        ));
                    }
                    Ok(())
                }),
            )
            .await
    }

    async fn report(
        &self,
        workspace: WorkspaceId,
        reports: Vec<DeliveryReport>,
        now: Timestamp,
    ) -> StoreResult<usize> {
        let _turn = self.turn_to_arrive(workspace).await;
        let applied = self
            .driver
            .write(
                Point::InboxReport,
                work!(|tx, reports| reports::report(tx, workspace, &reports, now).await),
            )
            .await?;
        self.driver.announce_live(workspace);
        if applied.replaced {
            self.driver.wake_lanes();
        }
        Ok(applied.known)
    }

    async fn forget(
        &self,
        channel: &Channel,
        messages: Vec<Deleted>,
        now: Timestamp,
    ) -> StoreResult<()> {
        let channel = channel.clone();
        let _turn = self.turn_to_arrive(channel.workspace).await;
        self.driver
            .write(
                Point::InboxForget,
                work!(|tx, channel, messages| {
                    forget::forget(tx, &channel, &messages, now).await
                }),
            )
            .await?;
        self.driver.signals().wake_media();
        Ok(())
    }

    async fn rename(
        &self,
        channel: &Channel,
        renamed: Renamed,
        now: Timestamp,
    ) -> StoreResult<bool> {
        let channel = channel.clone();
        let _turn = self.turn_to_arrive(channel.workspace).await;
        self.driver
            .write(
                Point::InboxAccept,
                work!(|tx, channel, renamed| senders::rename(tx, &channel, &renamed, now).await),
            )
            .await
    }

    async fn prune(
        &self,
        workspace: WorkspaceId,
        before: Timestamp,
        after: Option<EventId>,
    ) -> StoreResult<Pruned> {
        let _turn = self.turn_to_write(workspace).await;
        self.driver
            .write(Point::InboxPrune, work!(|tx| prune(tx, workspace, before, after).await))
            .await
    }
}

async fn prune<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    before: Timestamp,
    after: Option<EventId>,
) -> StoreResult<Pruned> {
    tx.scope(workspace);
    let after = after.unwrap_or(EventId(Uuid::nil()));
    let looked_at = tx.query(statement!(OLDEST, workspace, after, PRUNE_AT_ONCE)).await?;
    let Some(last) = looked_at.last() else { return Ok(Pruned::default()) };
    let mut has_old = false;
    for row in &looked_at {
        has_old |= row.time(1)? < before;
    }
    // The ids that follow are younger still.
    if !has_old {
        return Ok(Pruned::default());
    }
    let last: EventId = last.uuid(0)?;
    let gone = tx.query(statement!(PRUNE, workspace, after, last, before)).await?;
    Ok(Pruned { rows: gone.len() as u64, next: Some(last) })
}

async fn accept<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    arrivals: &[Arrival],
    claim: Option<Claim>,
    now: Timestamp,
) -> StoreResult<Stored> {
    tx.scope(channel.workspace);
    let conversations = senders::conversations(tx, channel, arrivals, now).await?;
    let of = |arrival: &Arrival| conversations[arrival.item.from.external_id.reveal().as_str()];
    let insert = |arrival: &Arrival| {
        let payload = Param::json(&arrival.item.content);
        let sent_at = arrival.item.sent_at.unwrap_or(now);
        let too_old = is_too_old(arrival, now);
        statement!(
            ADD_ARRIVAL,
            channel.workspace,
            arrival.event,
            &channel.id,
            &arrival.item.external_id,
            of(arrival),
            payload,
            sent_at,
            now,
            if too_old { "quarantined" } else { PENDING },
            too_old.then_some(TOO_OLD)
        )
    };
    let edits = |arrival: &&Arrival| arrival.item.edits.is_some() && !is_too_old(arrival, now);
    let plain = arrivals.iter().filter(|arrival| !edits(arrival));
    let mut answers = tx.query_all(plain.map(insert).collect()).await?.into_iter();
    let mut accepted = Vec::with_capacity(arrivals.len());
    for arrival in arrivals {
        // Edits come after the delivery's other messages, because a message may be edited in the
        // delivery that brings it.
        if let Some(original) = arrival.item.edits.as_deref().filter(|_| edits(&arrival)) {
            accepted.push(edits::accept(tx, channel, arrival, original, of(arrival), now).await?);
            continue;
        }
        let is_new = answers.next().is_some_and(|rows| !rows.is_empty());
        accepted.push(Accepted {
            conversation: of(arrival),
            duplicate: !is_new,
            set_aside: is_new && is_too_old(arrival, now),
            brought_file: is_new && arrival.item.content.file().is_some(),
        });
    }
    for (arrival, one) in arrivals.iter().zip(&accepted) {
        if let Some(file) = arrival.item.content.file().filter(|_| one.brought_file) {
            media::add(tx, channel, arrival.event, of(arrival), file, now);
        }
    }
    let claimed = make_lanes_due(tx, channel, &accepted, claim, now).await?;
    Ok(Stored { accepted, claimed })
}

/// Makes the lanes of the new arrivals due, and claims as many of them as `claim` has room for.
async fn make_lanes_due<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    accepted: &[Accepted],
    claim: Option<Claim>,
    now: Timestamp,
) -> StoreResult<Vec<LaneWork>> {
    // Every node takes the lanes in the same order, so that two deliveries never deadlock.
    let mut fresh: Vec<_> = accepted
        .iter()
        .filter(|one| !one.duplicate && !one.set_aside)
        .map(|one| one.conversation)
        .collect();
    fresh.sort_unstable();
    fresh.dedup();
    let claim = claim.filter(|_| channel.burst.quiet_ms == 0);
    let claimed = match claim.filter(|claim| claim.max > 0 && !fresh.is_empty()) {
        Some(claim) => lanes::claim_idle(tx, channel.workspace, &fresh, claim, now).await?,
        None => Vec::new(),
    };
    let taken = |id: &ConversationId| claimed.iter().any(|work| work.lease.conversation == *id);
    // Lanes beyond the claim's room wait in their own workspace's queue.
    let room = claim.map_or(fresh.len(), |claim| claim.max);
    for (place, conversation) in fresh.iter().enumerate().filter(|(_, id)| !taken(id)) {
        let queue = if place < room { Queue::Common } else { Queue::Own };
        make_due_in(tx, channel.workspace, *conversation, channel.burst, now, queue);
    }
    Ok(claimed)
}

/// Whether the arrival is so old that a person must look at it before it is answered.
fn is_too_old(arrival: &Arrival, now: Timestamp) -> bool {
    arrival.item.sent_at.is_some_and(|sent_at| now.since_ms(sent_at) > TOO_OLD_MS)
}

/// The queue in which a due lane waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Queue {
    /// The queue of all workspaces, ordered by how long a lane is due.
    Common,
    /// The workspace's own queue, for lanes that found no room.
    Own,
}

pub(super) fn make_due<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    conversation: ConversationId,
    burst: Burst,
    now: Timestamp,
) {
    make_due_in(tx, workspace, conversation, burst, now, Queue::Common);
}

fn make_due_in<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    conversation: ConversationId,
    burst: Burst,
    now: Timestamp,
    queue: Queue,
) {
    tx.write(if burst.quiet_ms == 0 {
        let own = i64::from(queue == Queue::Own);
        statement!(LANE_DUE_AT_ONCE, workspace, conversation, now, own)
    } else {
        let quiet_at = now.plus_ms(burst.quiet_ms.min(burst.cap_ms));
        statement!(LANE_DUE_WHEN_QUIET, workspace, conversation, now, quiet_at, burst.cap_ms)
    });
}
