//! Quarantined events and reconcile items: lists them and resolves them, with a line in the audit
//! log.

use async_trait::async_trait;
use domain::{ConversationId, Timestamp, WorkspaceId};
use serde_json::json;
use uuid::Uuid;

use super::conversations::WAKE_FOR_SEND;
use super::inbox::make_due;
use super::ownership::return_to_bot;
use super::setup::audit;
use super::status::becomes;
use super::{Driver, Look, Row, Sql, SqlStore, Tx, live, work};
use crate::{
    Attention, AttentionFilter, LiveKind, Point, Quarantined, ReconcileItem, ReconcileKind,
    ReconcilePlace, Resolution, StoreError, StoreResult, statement,
};

const QUARANTINED_EVENTS: Sql = Sql::both(
    "SELECT id, conversation_id, kind, payload, reason, received_at FROM webhook_inbox \
     WHERE workspace_id = ?1 AND status = 'quarantined' AND id > ?2 \
            AND (CAST(?3 AS uuid) IS NULL OR conversation_id = ?3) ORDER BY id LIMIT ?4",
);

const QUARANTINED_TIMERS: Sql = Sql::both(
    "SELECT id, conversation_id, 'timer', payload, reason, due_at FROM timers \
     WHERE workspace_id = ?1 AND status = 'quarantined' AND id > ?2 \
            AND (CAST(?3 AS uuid) IS NULL OR conversation_id = ?3) ORDER BY id LIMIT ?4",
);

const RETRY_EVENT: Sql = Sql::both(
    "UPDATE webhook_inbox SET status = 'pending' \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'quarantined' AND kind <> 'unreadable' \
     RETURNING conversation_id, open_turn",
);

// A newer timer under the same key stands: the old one is put back only if the key was not armed
// anew since.
const RETRY_TIMER: Sql = Sql::both(
    "UPDATE timers SET status = 'armed', settled_at = NULL \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'quarantined' AND NOT EXISTS \
            (SELECT 1 FROM timers other WHERE other.workspace_id = timers.workspace_id \
             AND other.conversation_id = timers.conversation_id AND other.key = timers.key \
             AND other.status = 'armed') RETURNING conversation_id, open_turn",
);

const GO_ON_WITH: Sql = Sql::both(
    "UPDATE lanes SET open_turn = ?3 WHERE workspace_id = ?1 AND conversation_id = ?2 \
            AND open_turn IS NULL",
);

// The condition in the words of the partial index, so that the index is used.
macro_rules! needs_person {
    () => {
        "(status IN ('ambiguous', 'failed') OR outside_window = 1)"
    };
}

const OPEN_SENDS: Sql = Sql::both(concat!(
    "SELECT id, status, conversation_id, content, error, updated_at, seq FROM outbox \
     WHERE workspace_id = ?1 AND ",
    needs_person!(),
    " AND seq > ?2 AND (CAST(?3 AS uuid) IS NULL OR conversation_id = ?3) \
      ORDER BY seq LIMIT ?4",
));

const UNKNOWN_STEPS: Sql = Sql::both(
    "SELECT turn_id, step_key, conversation_id, tool, output, created_at FROM agent_steps \
     WHERE workspace_id = ?1 AND status = 'unknown' \
            AND (created_at, turn_id, step_key) > (?4, ?5, ?6) \
            AND (CAST(?2 AS uuid) IS NULL OR conversation_id = ?2) \
     ORDER BY created_at, turn_id, step_key LIMIT ?3",
);

const RESOLVE_SEND: Sql = Sql::both(concat!(
    "UPDATE outbox SET status = ?3, rank = ?4, outside_window = 0, updated_at = ?5 \
     WHERE workspace_id = ?1 AND id = ?2 AND ",
    needs_person!(),
    " RETURNING conversation_id",
));

const RESEND: Sql = Sql::both(concat!(
    "UPDATE outbox SET ",
    becomes!(queued),
    ", attempts = 0, next_attempt_at = ?3, \
            outside_window = 0, updated_at = ?3, epoch = (SELECT c.epoch FROM conversations c \
                 WHERE c.workspace_id = outbox.workspace_id AND c.id = outbox.conversation_id) \
     WHERE workspace_id = ?1 AND id = ?2 AND ",
    needs_person!(),
    " RETURNING conversation_id",
));

const RESOLVE_STEP: Sql = Sql::both(
    "UPDATE agent_steps SET status = ?4, settled_at = ?5 \
     WHERE workspace_id = ?1 AND turn_id = ?2 AND step_key = ?3 AND status = 'unknown' \
     RETURNING conversation_id",
);

/// Acts of people on what waits for one: they read lists of what failed, which are short.
pub(super) const BESIDE: &[Sql] = &[
    QUARANTINED_EVENTS,
    QUARANTINED_TIMERS,
    RETRY_EVENT,
    RETRY_TIMER,
    GO_ON_WITH,
    OPEN_SENDS,
    UNKNOWN_STEPS,
    RESOLVE_SEND,
    RESEND,
    RESOLVE_STEP,
];

#[async_trait]
impl<D: Driver> Attention for SqlStore<D> {
    async fn quarantined(
        &self,
        workspace: WorkspaceId,
        filter: &AttentionFilter<Uuid>,
    ) -> StoreResult<Vec<Quarantined>> {
        let filter = filter.clone();
        self.driver
            .read(
                Look::long(workspace),
                work!(|tx, filter| list_quarantined(tx, workspace, &filter).await),
            )
            .await
    }

    async fn retry(
        &self,
        workspace: WorkspaceId,
        id: Uuid,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()> {
        let by = by.to_owned();
        let _turn = self.turn_to_write(workspace).await;
        self.driver
            .write(Point::QuarantineRetry, work!(|tx, by| retry(tx, workspace, id, &by, now).await))
            .await?;
        self.driver.wake_lanes();
        self.driver.announce_live(workspace);
        Ok(())
    }

    async fn reconcile_items(
        &self,
        workspace: WorkspaceId,
        filter: &AttentionFilter<ReconcilePlace>,
    ) -> StoreResult<Vec<ReconcileItem>> {
        let filter = filter.clone();
        self.driver
            .read(
                Look::long(workspace),
                work!(|tx, filter| reconcile_items(tx, workspace, &filter).await),
            )
            .await
    }

    async fn reconcile(
        &self,
        workspace: WorkspaceId,
        id: &str,
        resolution: Resolution,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()> {
        let (id, by) = (id.to_owned(), by.to_owned());
        let _turn = self.turn_to_write(workspace).await;
        self.driver
            .write(
                Point::ReconcileResolve,
                work!(|tx, id, by| reconcile(tx, workspace, &id, resolution, &by, now).await),
            )
            .await?;
        self.driver.wake_lanes();
        self.driver.announce_live(workspace);
        Ok(())
    }
}

async fn list_quarantined<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    filter: &AttentionFilter<Uuid>,
) -> StoreResult<Vec<Quarantined>> {
    tx.scope(workspace);
    let (after, limit) = (filter.after.unwrap_or_default(), filter.limit);
    let list = |sql| statement!(sql, workspace, after, filter.conversation, limit);
    let answers = tx.query_all(vec![list(QUARANTINED_EVENTS), list(QUARANTINED_TIMERS)]).await?;
    let all: StoreResult<Vec<_>> = answers.iter().flatten().map(quarantined).collect();
    let mut all = all?;
    all.sort_by_key(|one| one.id);
    all.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(all)
}

fn quarantined(row: &Row) -> StoreResult<Quarantined> {
    Ok(Quarantined {
        id: row.uuid(0)?,
        conversation: if row.is_null(1) { None } else { Some(row.uuid(1)?) },
        kind: row.text(2)?.to_owned(),
        payload: row.json::<serde_json::Value>(3)?.to_string().into(),
        reason: row.opt_text(4)?.unwrap_or_default().to_owned(),
        received_at: row.time(5)?,
    })
}

async fn retry<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: Uuid,
    by: &str,
    now: Timestamp,
) -> StoreResult<()> {
    tx.scope(workspace);
    let found = tx
        .query_all(vec![
            statement!(RETRY_EVENT, workspace, id),
            statement!(RETRY_TIMER, workspace, id),
        ])
        .await?;
    let row = found.iter().flatten().next();
    let row = row.ok_or(StoreError::NotFound("quarantined event"))?;
    let conversation = row.uuid(0)?;
    if let Some(open) = row.opt_json::<serde_json::Value>(1)? {
        tx.write(statement!(GO_ON_WITH, workspace, conversation, open));
    }
    let resolution = Some("the failed events are tried again");
    return_to_bot(tx, workspace, conversation, by, resolution, now).await?;
    make_due(tx, workspace, conversation, domain::Burst::default(), now);
    audit(tx, workspace, by, "quarantine.retry", id, json!({}), now);
    live::tell(tx, workspace, LiveKind::Retried, Some(conversation), id, json!({ "by": by }), now);
    Ok(())
}

/// Lists messages first and, when they have come to their end, tool calls.
async fn reconcile_items<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    filter: &AttentionFilter<ReconcilePlace>,
) -> StoreResult<Vec<ReconcileItem>> {
    tx.scope(workspace);
    let (only, limit) = (filter.conversation, filter.limit);
    let mut items = Vec::new();
    let (sent, begun) = match filter.after.clone() {
        None => (Some(-1), None),
        Some(ReconcilePlace::Send(seq)) => (Some(seq), None),
        Some(ReconcilePlace::Step(at, turn, key)) => (None, Some((at, turn, key))),
    };
    if let Some(seq) = sent {
        let rows = tx.query(statement!(OPEN_SENDS, workspace, seq, only, limit)).await?;
        items = rows.iter().map(send).collect::<StoreResult<_>>()?;
    }
    let left = limit.saturating_sub(u32::try_from(items.len()).unwrap_or(limit));
    if left > 0 {
        let start = || (Timestamp::from_millis(i64::MIN), Uuid::nil(), String::new());
        let (at, turn, key) = begun.unwrap_or_else(start);
        let rows =
            tx.query(statement!(UNKNOWN_STEPS, workspace, only, left, at, turn, key)).await?;
        for row in &rows {
            items.push(step(row)?);
        }
    }
    Ok(items)
}

fn send(row: &Row) -> StoreResult<ReconcileItem> {
    let kind = match row.text(1)? {
        "failed" => ReconcileKind::Undelivered,
        "withheld" => ReconcileKind::OutsideWindow,
        _ => ReconcileKind::Ambiguous,
    };
    Ok(ReconcileItem {
        place: ReconcilePlace::Send(row.int(6)?),
        id: row.uuid::<Uuid>(0)?.to_string(),
        kind,
        conversation: row.uuid(2)?,
        what: row.pii(3)?,
        error: row.opt_text(4)?.map(str::to_owned),
        since: row.time(5)?,
    })
}

fn step(row: &Row) -> StoreResult<ReconcileItem> {
    let (turn, key, since) = (row.uuid::<Uuid>(0)?, row.text(1)?, row.time(5)?);
    Ok(ReconcileItem {
        place: ReconcilePlace::Step(since, turn, key.to_owned()),
        id: format!("{turn}/{key}"),
        kind: ReconcileKind::Step,
        conversation: row.uuid(2)?,
        what: row.pii(3)?,
        error: Some(row.json::<serde_json::Value>(4)?.to_string()),
        since,
    })
}

async fn reconcile<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: &str,
    resolution: Resolution,
    by: &str,
    now: Timestamp,
) -> StoreResult<()> {
    tx.scope(workspace);
    let found = match id.split_once('/') {
        Some((turn, key)) => {
            let turn: Uuid = turn.parse().map_err(|_| StoreError::NotFound("reconcile item"))?;
            let status = match resolution {
                Resolution::Happened => "done",
                Resolution::Dropped => "failed",
                Resolution::Resend => {
                    return Err(StoreError::Refused(
                        "a tool call cannot be resent: do it by hand, then mark it".into(),
                    ));
                }
            };
            tx.query(statement!(RESOLVE_STEP, workspace, turn, key, status, now)).await?
        }
        None => {
            let id: Uuid = id.parse().map_err(|_| StoreError::NotFound("reconcile item"))?;
            let resolve = match resolution {
                Resolution::Happened => statement!(RESOLVE_SEND, workspace, id, "sent", 3i64, now),
                Resolution::Dropped => {
                    statement!(RESOLVE_SEND, workspace, id, "withheld", 7i64, now)
                }
                Resolution::Resend => statement!(RESEND, workspace, id, now),
            };
            let found = tx.query(resolve).await?;
            if let (Resolution::Resend, Some(row)) = (resolution, found.first()) {
                let conversation: ConversationId = row.uuid(0)?;
                tx.write(statement!(WAKE_FOR_SEND, workspace, conversation, now));
            }
            found
        }
    };
    let row = found.first().ok_or(StoreError::NotFound("reconcile item"))?;
    let conversation = Some(row.uuid(0)?);
    let detail = json!({ "resolution": resolution.as_str() });
    audit(tx, workspace, by, "reconcile", id, detail.clone(), now);
    live::tell(tx, workspace, LiveKind::Reconciled, conversation, id, detail, now);
    Ok(())
}
