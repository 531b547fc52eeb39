//! Stock, and the units of it that orders hold.

use std::collections::BTreeSet;

use domain::{OrderId, Reservation, Stock};

use super::{Lockable, SqlRecords, lockable};
use crate::sql::{Row, Sql, Statement, Tx};
use crate::{StoreResult, statement};

const STOCK: Lockable = lockable!(
    "SELECT sku, available, reserved, sold FROM stock_items WHERE workspace_id = ?1 AND sku = ?2"
);

const PUT_STOCK: Sql = Sql::both(
    "INSERT INTO stock_items (workspace_id, sku, available, reserved, sold, on_hand) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
     ON CONFLICT (workspace_id, sku) DO UPDATE \
     SET available = excluded.available, reserved = excluded.reserved, sold = excluded.sold, \
         on_hand = excluded.on_hand",
);

const RESERVATIONS: Sql = Sql::both(
    "SELECT sku, quantity FROM reservations WHERE workspace_id = ?1 AND order_id = ?2 ORDER BY sku",
);

const END_RESERVATIONS: Sql =
    Sql::both("DELETE FROM reservations WHERE workspace_id = ?1 AND order_id = ?2");

const ADD_RESERVATION: Sql = Sql::both(
    "INSERT INTO reservations (workspace_id, order_id, sku, quantity) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (workspace_id, order_id, sku) DO UPDATE \
     SET quantity = reservations.quantity + excluded.quantity",
);

pub(super) const STATEMENTS: &[Sql] =
    &[STOCK.plain, PUT_STOCK, RESERVATIONS, END_RESERVATIONS, ADD_RESERVATION];

/// Reads stock. The queries go out in the order of the skus, so that the locks are taken in that
/// order and two deeds never deadlock.
pub(super) async fn stock<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    skus: &[String],
) -> StoreResult<Vec<Stock>> {
    let skus: BTreeSet<_> = skus.iter().collect();
    let (sql, workspace) = (records.locked(&STOCK), records.workspace());
    let query = |sku: &String| -> Statement { statement!(sql, workspace, sku) };
    let answers = records.tx.query_all(skus.iter().map(|sku| query(sku)).collect()).await?;
    let mut found = Vec::with_capacity(skus.len());
    for (sku, rows) in skus.into_iter().zip(answers) {
        let row = match rows.into_iter().next() {
            Some(row) => Some(row),
            None if records.context.only_reads => None,
            None => records.lock_one(query(sku), ("stock", sku)).await?,
        };
        found.push(row.map_or_else(|| Ok(Stock::none(sku)), |row| level(&row))?);
    }
    Ok(found)
}

fn level(row: &Row) -> StoreResult<Stock> {
    Ok(Stock {
        sku: row.text(0)?.to_owned(),
        available: row.count(1)?,
        reserved: row.count(2)?,
        sold: row.count(3)?,
    })
}

pub(super) fn put_stock<T: Tx>(records: &mut SqlRecords<'_, T>, stock: &Stock) -> StoreResult<()> {
    let Stock { sku, available, reserved, sold } = stock;
    let on_hand = i64::try_from(stock.on_hand()).unwrap_or(i64::MAX);
    let workspace = records.workspace();
    records.write(statement!(PUT_STOCK, workspace, sku, *available, *reserved, *sold, on_hand))
}

pub(super) async fn reservations<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    order: OrderId,
) -> StoreResult<Vec<Reservation>> {
    let rows = records.tx.query(statement!(RESERVATIONS, records.workspace(), order)).await?;
    let held =
        |row: &Row| Ok(Reservation { sku: row.text(0)?.to_owned(), quantity: row.count(1)? });
    rows.iter().map(held).collect()
}

pub(super) fn put_reservations<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    order: OrderId,
    reservations: &[Reservation],
) -> StoreResult<()> {
    let workspace = records.workspace();
    records.write(statement!(END_RESERVATIONS, workspace, order))?;
    for Reservation { sku, quantity } in reservations {
        records.write(statement!(ADD_RESERVATION, workspace, order, sku, *quantity))?;
    }
    Ok(())
}
