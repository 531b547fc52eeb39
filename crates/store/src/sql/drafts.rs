//! A conversation's draft: put, read, cleared away.

use async_trait::async_trait;
use domain::{ConversationId, Timestamp, TurnId, WorkspaceId};

use super::lanes::lock_lane;
use super::{Driver, Look, Sql, SqlStore, Tx, work};
use crate::{Drafts, Lease, Point, StoreResult, statement};

// A takeover waits for the lane's lock, so that no draft is put after the takeover.
const PUT: Sql = Sql::both(
    "INSERT INTO drafts (workspace_id, conversation_id, turn_id, text, updated_at) \
     SELECT c.workspace_id, c.id, ?3, ?4, ?5 FROM conversations c \
     WHERE c.workspace_id = ?1 AND c.id = ?2 AND c.epoch = ?6 \
     ON CONFLICT (workspace_id, conversation_id) DO UPDATE SET turn_id = excluded.turn_id, \
            text = excluded.text, updated_at = excluded.updated_at",
);

const FIND: Sql =
    Sql::both("SELECT text FROM drafts WHERE workspace_id = ?1 AND conversation_id = ?2");

const CLEAR: Sql = Sql::both("DELETE FROM drafts WHERE workspace_id = ?1 AND conversation_id = ?2");

pub(super) const STATEMENTS: &[Sql] = &[CLEAR, PUT, FIND];

#[async_trait]
impl<D: Driver> Drafts for SqlStore<D> {
    async fn put_draft(
        &self,
        lease: Lease,
        turn: TurnId,
        read_epoch: i64,
        text: &str,
        now: Timestamp,
    ) -> StoreResult<()> {
        let text = text.to_owned();
        let _turn = self.turn_to_write(lease.workspace).await;
        self.driver
            .write(
                Point::DraftPut,
                work!(|tx, text| {
                    lock_lane(tx, lease);
                    let (workspace, conversation) = (lease.workspace, lease.conversation);
                    let put =
                        statement!(PUT, workspace, conversation, turn, &*text, now, read_epoch);
                    tx.write(put);
                    Ok(())
                }),
            )
            .await?;
        self.driver.announce_lines(lease.conversation);
        Ok(())
    }

    async fn draft(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> StoreResult<Option<String>> {
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx| {
                    tx.scope(workspace);
                    let rows = tx.query(statement!(FIND, workspace, conversation)).await?;
                    rows.first().map(|row| row.text(0).map(str::to_owned)).transpose()
                }),
            )
            .await
    }
}

pub(super) fn clear<T: Tx>(tx: &mut T, workspace: WorkspaceId, conversation: ConversationId) {
    tx.write(statement!(CLEAR, workspace, conversation));
}
