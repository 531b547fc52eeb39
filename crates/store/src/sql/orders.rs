//! Reading orders back.

use async_trait::async_trait;
use domain::{ConversationId, Order, OrderStatus, WorkspaceId};

use super::{Driver, Row, Sql, SqlStore, Tx, work};
use crate::{Orders, StoreResult, statement};

const ORDERS: Sql = Sql::both(
    "SELECT id, number, contact_id, conversation_id, status, lines, currency, \
            CAST(total AS text), data, created_at, updated_at FROM orders \
     WHERE workspace_id = ?1 AND conversation_id = ?2 ORDER BY created_at DESC, number DESC",
);

#[cfg(feature = "contract")]
pub(super) const STATEMENTS: &[Sql] = &[ORDERS];

#[async_trait]
impl<D: Driver> Orders for SqlStore<D> {
    async fn orders(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> StoreResult<Vec<Order>> {
        self.driver
            .read(work!(|tx| {
                tx.scope(workspace);
                let rows = tx.query(statement!(ORDERS, workspace, conversation)).await?;
                rows.iter().map(order).collect()
            }))
            .await
    }
}

fn order(row: &Row) -> StoreResult<Order> {
    Ok(Order {
        id: row.uuid(0)?,
        number: row.count(1)?,
        contact: row.uuid(2)?,
        conversation: row.uuid(3)?,
        status: row.word(4, OrderStatus::parse)?,
        lines: row.json(5)?,
        currency: row.word(6, |code| code.parse().ok())?,
        total: row.word(7, |amount| amount.parse().ok())?,
        data: row.json(8)?,
        created_at: row.time(9)?,
        updated_at: row.time(10)?,
    })
}
