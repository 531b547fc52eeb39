//! Live events: written in the transaction of the change they tell, read in order.

use async_trait::async_trait;
use domain::{ConversationId, HandoffId, OutboundId, Timestamp, Trigger, WorkspaceId};
use serde_json::{Value, json};

use super::{Driver, Look, Row, Sql, SqlStore, Tx, work};
use crate::{Live, LiveEvent, LiveId, LiveKind, News, Point, StoreResult, statement};

/// Events examined by one pruning, so that it never holds the writer for long.
const PRUNE_AT_ONCE: i64 = 5_000;

const ADD_EVENT: Sql = Sql::each(
    "INSERT INTO live_events (workspace_id, kind, conversation_id, subject, at, payload) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
);

// A delivery event is written only if the statement before it just gave the message that status.
const ADD_DELIVERY_EVENT: Sql = Sql::each(
    "INSERT INTO live_events (workspace_id, kind, conversation_id, subject, at, payload) \
     SELECT o.workspace_id, ?6, o.conversation_id, ?5, ?3, ?7 FROM outbox o \
     WHERE o.workspace_id = ?1 AND o.id = ?2 AND o.updated_at = ?3 AND o.status = ?4",
);

const ADD_ORPHAN_EVENT: Sql = Sql::both(
    "INSERT INTO live_events (workspace_id, kind, conversation_id, subject, at, payload) \
     SELECT o.workspace_id, ?4, o.conversation_id, ?5, ?3, ?6 FROM outbox o \
     WHERE o.workspace_id = ?1 AND o.conversation_id = ?2 AND o.updated_at = ?3 \
            AND (o.status = 'ambiguous') IS TRUE ORDER BY o.seq DESC LIMIT 1",
);

// Announce the handoff only if this transaction inserted it; if an open one existed, it was
// announced then.
const ADD_HANDOFF_EVENT: Sql = Sql::both(
    "INSERT INTO live_events (workspace_id, kind, conversation_id, subject, at, payload) \
     SELECT h.workspace_id, ?4, h.conversation_id, ?5, ?3, ?6 FROM handoffs h \
     WHERE h.workspace_id = ?1 AND h.id = ?2",
);

// Only events below the snapshot's horizon are read, because all transactions before them have
// ended: a transaction still under way has an xid at or above the horizon, so no event can appear
// behind the reader.
const AFTER: Sql = Sql {
    sqlite: "SELECT 0, seq, kind, conversation_id, subject, at, payload FROM live_events \
             WHERE workspace_id = ?1 AND seq > ?3 AND kind <> 'pruned' \
             ORDER BY seq LIMIT ?4",
    postgres: "SELECT xid, seq, kind, conversation_id, subject, at, payload FROM live_events \
               WHERE workspace_id = ?1 AND (xid, seq) > (?2, ?3) AND kind <> 'pruned' \
                     AND xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint \
               ORDER BY xid, seq LIMIT ?4",
    each: false,
};

// A `pruned` row stands for the events deleted before it, so it is the workspace's first row.
const MISSED: Sql = Sql {
    sqlite: "SELECT CASE WHEN kind = 'pruned' AND seq > ?3 THEN 1 ELSE 0 END FROM live_events \
             WHERE workspace_id = ?1 ORDER BY seq LIMIT 1",
    postgres: "SELECT CASE WHEN kind = 'pruned' AND (xid, seq) > (?2, ?3) THEN 1 ELSE 0 END \
               FROM live_events WHERE workspace_id = ?1 ORDER BY xid, seq LIMIT 1",
    each: false,
};

const SOON: Sql = Sql {
    sqlite: "SELECT 1 WHERE ?1 IS NULL",
    postgres: "SELECT 1 FROM live_events WHERE workspace_id = ?1 \
                     AND xid >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint LIMIT 1",
    each: false,
};

const END: Sql = Sql {
    sqlite: "SELECT 0, coalesce(max(seq), 0) FROM live_events WHERE workspace_id = ?1",
    postgres: "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, 0::bigint \
               FROM workspaces WHERE id = ?1",
    each: false,
};

/// The newest event within one pruning that is old enough to be deleted.
const LAST_OLD: Sql = Sql {
    sqlite: "SELECT 0, seq FROM (SELECT seq, at FROM live_events WHERE workspace_id = ?1 \
                    ORDER BY seq LIMIT ?3) o \
             WHERE at < ?2 ORDER BY seq DESC LIMIT 1",
    postgres: "SELECT xid, seq FROM (SELECT xid, seq, at FROM live_events WHERE workspace_id = ?1 \
                      ORDER BY xid, seq LIMIT ?3) o \
               WHERE at < ?2 ORDER BY xid DESC, seq DESC LIMIT 1",
    each: false,
};

const FORGET: Sql = Sql {
    sqlite: "DELETE FROM live_events WHERE workspace_id = ?1 AND seq < ?3 RETURNING 1",
    postgres: "DELETE FROM live_events WHERE workspace_id = ?1 AND (xid, seq) < (?2, ?3) RETURNING 1",
    each: false,
};

const MARK_PRUNED: Sql = Sql {
    sqlite: "UPDATE live_events SET kind = 'pruned' \
             WHERE workspace_id = ?1 AND seq = ?3",
    postgres: "UPDATE live_events SET kind = 'pruned' \
               WHERE workspace_id = ?1 AND xid = ?2 AND seq = ?3",
    each: false,
};

/// Statements that are run for many at once.
pub(super) const EACH: &[Sql] = &[ADD_EVENT, ADD_DELIVERY_EVENT];

pub(super) const STATEMENTS: &[Sql] = &[ADD_ORPHAN_EVENT, ADD_HANDOFF_EVENT, AFTER, SOON];

/// Upkeep, and the first look of a reader who was away: one entry of an index each.
pub(super) const BESIDE: &[Sql] = &[MISSED, END, LAST_OLD, FORGET, MARK_PRUNED];

#[async_trait]
impl<D: Driver> Live for SqlStore<D> {
    async fn live_after(
        &self,
        workspace: WorkspaceId,
        after: LiveId,
        limit: u32,
    ) -> StoreResult<News> {
        self.driver
            .read(Look::short(workspace), work!(|tx| live_after(tx, workspace, after, limit).await))
            .await
    }

    async fn live_end(&self, workspace: WorkspaceId) -> StoreResult<LiveId> {
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx| {
                    tx.scope(workspace);
                    let rows = tx.query(statement!(END, workspace)).await?;
                    rows.first().map_or(Ok(LiveId::default()), place)
                }),
            )
            .await
    }

    async fn prune_live(&self, workspace: WorkspaceId, before: Timestamp) -> StoreResult<u64> {
        let _turn = self.turn_to_write(workspace).await;
        self.driver.write(Point::LivePrune, work!(|tx| prune(tx, workspace, before).await)).await
    }
}

/// Writes a live event; operators see it once this transaction is committed.
pub(super) fn tell<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    kind: LiveKind,
    conversation: Option<ConversationId>,
    subject: impl ToString,
    payload: Value,
    now: Timestamp,
) {
    let (kind, subject) = (kind.as_str(), subject.to_string());
    tx.write(statement!(ADD_EVENT, workspace, kind, conversation, subject, now, payload));
}

/// Writes a message's new status, if the statement before this just gave it that status.
pub(super) fn tell_delivery<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    message: OutboundId,
    status: &str,
    now: Timestamp,
) {
    let (subject, kind) = (message.to_string(), LiveKind::Delivery.as_str());
    let payload = json!({ "status": status });
    tx.write(statement!(
        ADD_DELIVERY_EVENT,
        workspace,
        message,
        now,
        status,
        subject,
        kind,
        payload
    ));
}

/// Announces that a message which a vanished node was sending in this conversation is ambiguous, if
/// there is one.
pub(super) fn tell_orphans<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    conversation: ConversationId,
    now: Timestamp,
) {
    let (subject, kind) = (conversation.to_string(), LiveKind::Delivery.as_str());
    let payload = json!({ "status": "ambiguous" });
    tx.write(statement!(ADD_ORPHAN_EVENT, workspace, conversation, now, kind, subject, payload));
}

/// Announces that a conversation waits for a person, if it did not wait already.
pub(super) fn tell_new_handoff<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: HandoffId,
    trigger: Trigger,
    now: Timestamp,
) {
    let (subject, kind) = (id.to_string(), LiveKind::NewHandoff.as_str());
    let payload = json!({ "trigger": trigger });
    tx.write(statement!(ADD_HANDOFF_EVENT, workspace, id, now, kind, subject, payload));
}

async fn live_after<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    after: LiveId,
    limit: u32,
) -> StoreResult<News> {
    tx.scope(workspace);
    let LiveId { xid, seq } = after;
    let mut answers = tx
        .query_all(vec![
            statement!(AFTER, workspace, xid, seq, limit),
            statement!(MISSED, workspace, xid, seq),
            statement!(SOON, workspace),
        ])
        .await?;
    let soon = answers.pop().is_some_and(|rows| !rows.is_empty());
    let missed = answers.pop().unwrap_or_default();
    let missed = missed.first().map_or(Ok(0), |row| row.int(0))? == 1;
    let rows = answers.pop().unwrap_or_default();
    let more = rows.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
    let next = rows.last().map_or(Ok(after), place)?;
    // An event kind written by a newer recado is skipped.
    let known = |row: &&Row| row.text(2).is_ok_and(|kind| LiveKind::parse(kind).is_some());
    let events = rows.iter().filter(known).map(event).collect::<StoreResult<_>>()?;
    Ok(News { events, next, more, missed, soon })
}

fn place(row: &Row) -> StoreResult<LiveId> {
    Ok(LiveId { xid: row.int(0)?, seq: row.int(1)? })
}

fn event(row: &Row) -> StoreResult<LiveEvent> {
    Ok(LiveEvent {
        id: place(row)?,
        kind: row.word(2, LiveKind::parse)?,
        conversation: if row.is_null(3) { None } else { Some(row.uuid(3)?) },
        subject: row.text(4)?.to_owned(),
        at: row.time(5)?,
        payload: row.json(6)?,
    })
}

async fn prune<T: Tx>(tx: &mut T, workspace: WorkspaceId, before: Timestamp) -> StoreResult<u64> {
    tx.scope(workspace);
    let last = tx.query(statement!(LAST_OLD, workspace, before, PRUNE_AT_ONCE)).await?;
    let Some(row) = last.first() else { return Ok(0) };
    let LiveId { xid, seq } = place(row)?;
    let gone = tx.query(statement!(FORGET, workspace, xid, seq)).await?.len();
    tx.write(statement!(MARK_PRUNED, workspace, xid, seq));
    Ok(gone as u64)
}
