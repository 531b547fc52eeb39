//! Orders and stock as operators read them.

use async_trait::async_trait;
use domain::{Order, OrderStatus, Stock, WorkspaceId, title};

use super::records::order;
use super::{Driver, Look, Row, Sql, SqlStore, Statement, Tx, work};
use crate::{OrderFilter, Orders, StockLevel, StoreResult, statement};

macro_rules! orders {
    ($which:literal) => {
        Sql::both(concat!(
            "SELECT id, number, contact_id, conversation_id, status, lines, currency, \
                    CAST(total AS text), data, created_at, updated_at FROM orders \
             WHERE workspace_id = ?1 AND number < ?2 AND ",
            $which,
            " ORDER BY number DESC LIMIT ?3"
        ))
    };
}

// Each index that can lead has a text of its own; the remaining filters apply to the rows that
// index finds.
const NEWEST: Sql = orders!("true");
const OF_STATUS: Sql = orders!("status = ?4 AND number > 0");
const OF_CONTACT: Sql =
    orders!("contact_id = ?4 AND (CAST(?5 AS text) IS NULL OR status = CAST(?5 AS text))");
const OF_CONVERSATION: Sql =
    orders!("conversation_id = ?4 AND (CAST(?5 AS text) IS NULL OR status = CAST(?5 AS text))");
const OF_BOTH: Sql = orders!(
    "conversation_id = ?4 AND contact_id = ?6 \
     AND (CAST(?5 AS text) IS NULL OR status = CAST(?5 AS text))"
);

const NUMBERED: Sql = Sql::both(
    "SELECT id, number, contact_id, conversation_id, status, lines, currency, \
            CAST(total AS text), data, created_at, updated_at FROM orders \
     WHERE workspace_id = ?1 AND number = ?2",
);

// Each half is led by its own index; a sku found by both comes once.
const STOCK_LEVELS: Sql = Sql::both(
    "SELECT k.sku, coalesce(s.available, 0), coalesce(s.reserved, 0), coalesce(s.sold, 0), \
            p.name, v.label \
     FROM (SELECT sku FROM (SELECT sku FROM stock_items WHERE workspace_id = ?1 AND sku > ?2 AND available >= 0 \
                            ORDER BY sku LIMIT ?3) a \
           UNION \
           SELECT sku FROM (SELECT sku FROM product_variants WHERE workspace_id = ?1 AND sku > ?2 AND active >= 0 \
                            ORDER BY sku LIMIT ?3) b \
           ORDER BY sku LIMIT ?3) k \
     LEFT JOIN stock_items s ON s.workspace_id = ?1 AND s.sku = k.sku \
     LEFT JOIN product_variants v ON v.workspace_id = ?1 AND v.sku = k.sku \
     LEFT JOIN products p ON p.workspace_id = ?1 AND p.id = v.product_id \
     ORDER BY k.sku",
);

pub(super) const STATEMENTS: &[Sql] =
    &[NEWEST, OF_STATUS, OF_CONTACT, OF_CONVERSATION, OF_BOTH, NUMBERED];

/// A list of all goods, page by page.
pub(super) const BESIDE: &[Sql] = &[STOCK_LEVELS];

#[async_trait]
impl<D: Driver> Orders for SqlStore<D> {
    async fn orders(
        &self,
        workspace: WorkspaceId,
        filter: &OrderFilter,
    ) -> StoreResult<Vec<Order>> {
        let query = wanted(workspace, filter);
        self.driver
            .read(
                Look::long(workspace),
                work!(|tx, query| {
                    tx.scope(workspace);
                    tx.query((*query).clone()).await?.iter().map(order).collect()
                }),
            )
            .await
    }

    async fn order(&self, workspace: WorkspaceId, number: u32) -> StoreResult<Option<Order>> {
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx| {
                    tx.scope(workspace);
                    let rows = tx.query(statement!(NUMBERED, workspace, number)).await?;
                    rows.first().map(order).transpose()
                }),
            )
            .await
    }

    async fn stock_levels(
        &self,
        workspace: WorkspaceId,
        after: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<StockLevel>> {
        let after = after.unwrap_or_default().to_owned();
        self.driver
            .read(
                Look::long(workspace),
                work!(|tx, after| {
                    tx.scope(workspace);
                    let rows =
                        tx.query(statement!(STOCK_LEVELS, workspace, &*after, limit)).await?;
                    rows.iter().map(level).collect()
                }),
            )
            .await
    }
}

fn wanted(workspace: WorkspaceId, filter: &OrderFilter) -> Statement {
    let OrderFilter { conversation, contact, status, before, limit } = *filter;
    let before = before.map_or(i64::MAX, i64::from);
    let status = status.map(OrderStatus::as_str);
    match (conversation, contact, status) {
        (Some(conversation), Some(contact), status) => {
            statement!(OF_BOTH, workspace, before, limit, conversation, status, contact)
        }
        (Some(conversation), None, status) => {
            statement!(OF_CONVERSATION, workspace, before, limit, conversation, status)
        }
        (None, Some(contact), status) => {
            statement!(OF_CONTACT, workspace, before, limit, contact, status)
        }
        (None, None, Some(status)) => statement!(OF_STATUS, workspace, before, limit, status),
        (None, None, None) => statement!(NEWEST, workspace, before, limit),
    }
}

fn level(row: &Row) -> StoreResult<StockLevel> {
    let named = |name: &str| row.opt_text(5).map(|label| title(name, label.unwrap_or_default()));
    Ok(StockLevel {
        stock: Stock {
            sku: row.text(0)?.to_owned(),
            available: row.count(1)?,
            reserved: row.count(2)?,
            sold: row.count(3)?,
        },
        title: row.opt_text(4)?.map(named).transpose()?,
    })
}
