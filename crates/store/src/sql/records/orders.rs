//! Orders as deeds read and write them, and how often each variant was ordered.

use std::collections::BTreeMap;

use domain::{ContactId, Order, OrderId, OrderLine, OrderStatus};
use serde_json::json;

use super::{Lockable, SqlRecords, lockable};
use crate::sql::{Param, Row, Sql, Tx, live};
use crate::{LiveKind, StoreResult, statement};

const BY_ID: Lockable = lockable!(
    "SELECT id, number, contact_id, conversation_id, status, lines, currency, \
            CAST(total AS text), data, created_at, updated_at FROM orders \
     WHERE workspace_id = ?1 AND id = ?2"
);

const BY_NUMBER: Lockable = lockable!(
    "SELECT id, number, contact_id, conversation_id, status, lines, currency, \
            CAST(total AS text), data, created_at, updated_at FROM orders \
     WHERE workspace_id = ?1 AND number = ?2"
);

const OF_CONTACT: Sql = Sql::both(
    "SELECT id, number, contact_id, conversation_id, status, lines, currency, \
            CAST(total AS text), data, created_at, updated_at FROM orders \
     WHERE workspace_id = ?1 AND contact_id = ?2 \
     ORDER BY created_at DESC, number DESC LIMIT ?3",
);

macro_rules! put_order {
    ($total:literal) => {
        concat!(
            "INSERT INTO orders (workspace_id, id, number, contact_id, conversation_id, status, \
                    currency, total, lines, data, created_at, updated_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ",
            $total,
            ", ?9, ?10, ?11, ?12) \
             ON CONFLICT (workspace_id, id) DO UPDATE \
             SET number = excluded.number, contact_id = excluded.contact_id, \
                 conversation_id = excluded.conversation_id, status = excluded.status, \
                 currency = excluded.currency, total = excluded.total, lines = excluded.lines, \
                 data = excluded.data, created_at = excluded.created_at, \
                 updated_at = excluded.updated_at"
        )
    };
}

// The amount is bound as text and stays exact; SQLite would make a float of a number.
const PUT_ORDER: Sql = Sql {
    sqlite: put_order!("?8"),
    postgres: put_order!("CAST(CAST(?8 AS text) AS numeric)"),
    each: false,
};

// Runs first of the three statements, because it locks the variant's sales against a concurrent
// write of the catalogue.
const COUNT_SALES: Sql = Sql::both(
    "INSERT INTO product_sales (workspace_id, sku, units) VALUES (?1, ?2, ?3) \
     ON CONFLICT (workspace_id, sku) DO UPDATE SET units = product_sales.units + excluded.units",
);

const RANK_VARIANT: Sql = Sql::both(
    "UPDATE product_variants SET popularity = popularity + ?3 WHERE workspace_id = ?1 AND sku = ?2",
);

const RANK_TERMS: Sql = Sql::both(
    "UPDATE product_terms SET popularity = popularity + ?3 WHERE workspace_id = ?1 AND sku = ?2",
);

pub(super) const STATEMENTS: &[Sql] =
    &[BY_ID.plain, BY_NUMBER.plain, OF_CONTACT, PUT_ORDER, COUNT_SALES, RANK_VARIANT, RANK_TERMS];

pub(in crate::sql) fn order(row: &Row) -> StoreResult<Order> {
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

pub(super) async fn by_id<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    id: OrderId,
) -> StoreResult<Option<Order>> {
    let query = statement!(records.locked(&BY_ID), records.workspace(), id);
    let found = records.lock_one(query, ("order", &id.to_string())).await?;
    found.as_ref().map(order).transpose()
}

pub(super) async fn by_number<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    number: u32,
) -> StoreResult<Option<Order>> {
    let query = statement!(records.locked(&BY_NUMBER), records.workspace(), number);
    let found = records.lock_one(query, ("order number", &number.to_string())).await?;
    found.as_ref().map(order).transpose()
}

pub(super) async fn of_contact<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    contact: ContactId,
    limit: u32,
) -> StoreResult<Vec<Order>> {
    let query = statement!(OF_CONTACT, records.workspace(), contact, limit);
    records.tx.query(query).await?.iter().map(order).collect()
}

pub(super) async fn put_order<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    order: &Order,
) -> StoreResult<()> {
    // Locking by id suffices: an order that does not exist yet has a fresh id no other transaction
    // can insert.
    let query = statement!(records.locked(&BY_ID), records.workspace(), order.id);
    let known = records.tx.query(query).await?.first().map(self::order).transpose()?;
    records.write(statement!(
        PUT_ORDER,
        records.workspace(),
        order.id,
        order.number,
        order.contact,
        order.conversation,
        order.status.as_str(),
        order.currency.to_string(),
        order.total.to_string(),
        Param::json(&order.lines),
        Param::json(&order.data),
        order.created_at,
        order.updated_at
    ))?;
    let workspace = records.workspace();
    tell(records, known.as_ref(), order);
    for (sku, units) in sales(known.as_ref(), order) {
        for sql in [COUNT_SALES, RANK_VARIANT, RANK_TERMS] {
            records.write(statement!(sql, workspace, sku, units))?;
        }
    }
    Ok(())
}

/// Writes a live event if the order is new or has changed.
fn tell<T: Tx>(records: &mut SqlRecords<'_, T>, known: Option<&Order>, order: &Order) {
    let kind = match known {
        None => LiveKind::NewOrder,
        Some(known) if known == order => return,
        Some(_) => LiveKind::OrderChanged,
    };
    let (workspace, now) = (records.workspace(), records.context.now);
    let payload = json!({ "number": order.number, "status": order.status });
    let conversation = Some(order.conversation);
    live::tell(records.tx, workspace, kind, conversation, order.id, payload, now);
}

/// The units by which each variant's sales rise or fall, sorted by sku, so that two deeds never
/// deadlock.
fn sales<'a>(before: Option<&'a Order>, after: &'a Order) -> BTreeMap<&'a str, i64> {
    let mut units: BTreeMap<&str, i64> = BTreeMap::new();
    for (order, sign) in [(before, -1), (Some(after), 1)] {
        let Some(order) = order.filter(|order| order.status.counts()) else { continue };
        for OrderLine { product, quantity, .. } in &order.lines {
            *units.entry(product).or_default() += sign * i64::from(*quantity);
        }
    }
    units.retain(|_, units| *units != 0);
    units
}
