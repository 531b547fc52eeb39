//! All armed timers of a workspace, and cancelling one by hand.

use async_trait::async_trait;
use domain::{TimerId, Timestamp, WorkspaceId};
use serde_json::json;
use uuid::Uuid;

use super::load::timer;
use super::setup::audit;
use super::{Driver, Look, Row, Sql, SqlStore, Tx, live, work};
use crate::{ArmedTimer, LiveKind, Point, StoreError, StoreResult, TimerFilter, Timers, statement};

const ARMED: Sql = Sql::both(
    "SELECT id, key, armed_at, due_at, condition, payload, conversation_id FROM timers \
     WHERE workspace_id = ?1 AND status = 'armed' AND armed_at >= 0 AND (due_at, id) > (?2, ?3) \
     ORDER BY due_at, id LIMIT ?4",
);

const ARMED_IN: Sql = Sql::both(
    "SELECT id, key, armed_at, due_at, condition, payload, conversation_id FROM timers \
     WHERE workspace_id = ?1 AND conversation_id = ?5 AND status = 'armed' \
            AND (due_at, id) > (?2, ?3) ORDER BY due_at, id LIMIT ?4",
);

const CANCEL: Sql = Sql::both(
    "UPDATE timers SET status = 'cancelled', reason = ?3, settled_at = ?4 \
     WHERE workspace_id = ?1 AND id = ?2 AND status = 'armed' RETURNING conversation_id, key",
);

pub(super) const STATEMENTS: &[Sql] = &[ARMED_IN];

/// Acts of people on timers.
pub(super) const BESIDE: &[Sql] = &[ARMED, CANCEL];

#[async_trait]
impl<D: Driver> Timers for SqlStore<D> {
    async fn armed(
        &self,
        workspace: WorkspaceId,
        filter: &TimerFilter,
    ) -> StoreResult<Vec<ArmedTimer>> {
        let filter = filter.clone();
        self.driver
            .read(
                Look::long(workspace),
                work!(|tx, filter| {
                    tx.scope(workspace);
                    let start = (Timestamp::from_millis(i64::MIN), TimerId(Uuid::nil()));
                    let (due, id) = filter.after.unwrap_or(start);
                    let find = match filter.conversation {
                        None => statement!(ARMED, workspace, due, id, filter.limit),
                        Some(one) => statement!(ARMED_IN, workspace, due, id, filter.limit, one),
                    };
                    tx.query(find).await?.iter().map(armed).collect()
                }),
            )
            .await
    }

    async fn cancel_timer(
        &self,
        workspace: WorkspaceId,
        id: TimerId,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()> {
        let by = by.to_owned();
        let _turn = self.turn_to_write(workspace).await;
        self.driver
            .write(Point::TimerCancel, work!(|tx, by| cancel(tx, workspace, id, &by, now).await))
            .await?;
        self.driver.announce_live(workspace);
        Ok(())
    }
}

fn armed(row: &Row) -> StoreResult<ArmedTimer> {
    Ok(ArmedTimer { timer: timer(row)?, conversation: row.uuid(6)? })
}

async fn cancel<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: TimerId,
    by: &str,
    now: Timestamp,
) -> StoreResult<()> {
    tx.scope(workspace);
    let reason = format!("{by} cancelled it");
    let rows = tx.query(statement!(CANCEL, workspace, id, reason, now)).await?;
    let row = rows.first().ok_or(StoreError::NotFound("armed timer"))?;
    let (conversation, detail) = (row.uuid(0)?, json!({ "key": row.text(1)? }));
    audit(tx, workspace, by, "timer.cancel", id, detail.clone(), now);
    live::tell(tx, workspace, LiveKind::TimerCancelled, Some(conversation), id, detail, now);
    Ok(())
}
