//! What a tool may do to our own database, done inside the transaction of its step.

use domain::{ContactId, OrderId, OrderStatus, StepStatus, Timestamp};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Param, Row, Sql, Tx};
use crate::{Effect, Intent, StoreError, StoreResult, statement};

/// What numbers a workspace's orders; a tool's counters have a name with a stroke in it.
const ORDER_COUNTER: &str = "order";

const TAKE_NUMBER: Sql = Sql::both(
    "INSERT INTO counters (workspace_id, name, value) VALUES (?1, ?2, 1) \
     ON CONFLICT (workspace_id, name) DO UPDATE SET value = counters.value + 1 RETURNING value",
);

const ADD_CONTACT: Sql = Sql::both(
    "INSERT INTO contacts (workspace_id, id, name, phone, data, created_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (workspace_id, id) DO NOTHING",
);

// One contact may be on two channels, and so in two lanes at once.
const LOCK_CONTACT: Sql = Sql {
    sqlite: "SELECT data FROM contacts WHERE workspace_id = ?1 AND id = ?2",
    postgres: "SELECT data FROM contacts WHERE workspace_id = ?1 AND id = ?2 FOR UPDATE",
};

const UPDATE_CONTACT: Sql = Sql::both(
    "UPDATE contacts SET name = coalesce(?3, name), phone = coalesce(?4, phone), data = ?5 \
     WHERE workspace_id = ?1 AND id = ?2",
);

// Should the order be there already, the first one stands and answers.
macro_rules! add_order {
    ($total:literal) => {
        concat!(
            "INSERT INTO orders (workspace_id, id, number, contact_id, conversation_id, status, \
                    currency, total, lines, data, created_at, updated_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ",
            $total,
            ", ?9, ?10, ?11, ?11) \
             ON CONFLICT (workspace_id, id) DO UPDATE SET updated_at = orders.updated_at \
             RETURNING number, status, CAST(total AS text)"
        )
    };
}

// SQLite would make a fraction of a number; as text an amount stays exact.
const ADD_ORDER: Sql =
    Sql { sqlite: add_order!("?8"), postgres: add_order!("CAST(CAST(?8 AS text) AS numeric)") };

const LOCK_ORDER: Sql = Sql {
    sqlite: "SELECT status, number FROM orders WHERE workspace_id = ?1 AND id = ?2 \
                    AND contact_id = ?3",
    postgres: "SELECT status, number FROM orders WHERE workspace_id = ?1 AND id = ?2 \
                    AND contact_id = ?3 FOR UPDATE",
};

const SET_ORDER_STATUS: Sql =
    Sql::both("UPDATE orders SET status = ?3, updated_at = ?4 WHERE workspace_id = ?1 AND id = ?2");

/// How a step ends: done with its answer, or failed with the reason.
pub(super) type Ended = (StepStatus, Value);

fn refused(reason: String) -> Ended {
    (StepStatus::Failed, Value::String(reason))
}

pub(super) async fn apply<T: Tx>(
    tx: &mut T,
    intent: &Intent,
    effect: &Effect,
    now: Timestamp,
) -> StoreResult<Ended> {
    match effect {
        Effect::TakeNumber { counter } => {
            Ok((StepStatus::Done, json!({ "number": take_number(tx, intent, counter).await? })))
        }
        Effect::CreateContact { name, phone, data } => {
            let id = ContactId(made_by(intent));
            let (name, phone, data) = (name.as_ref(), phone.as_ref(), Param::json(data));
            let workspace = intent.lease.workspace;
            tx.write(statement!(ADD_CONTACT, workspace, id, name, phone, data, now));
            Ok((StepStatus::Done, json!({ "contact": id })))
        }
        Effect::UpdateContact { contact, name, phone, data } => {
            update_contact(tx, intent, *contact, (name.as_ref(), phone.as_ref()), data).await
        }
        Effect::CreateOrder { contact, conversation, status, lines, currency, total, data } => {
            let number = take_number(tx, intent, ORDER_COUNTER).await?;
            let id = OrderId(made_by(intent));
            let add = statement!(
                ADD_ORDER,
                intent.lease.workspace,
                id,
                number,
                *contact,
                *conversation,
                status.as_str(),
                currency.to_string(),
                total.to_string(),
                Param::json(lines),
                Param::json(data),
                now
            );
            let rows = tx.query(add).await?;
            ordered(id, rows.first().ok_or(StoreError::NotFound("order"))?)
        }
        Effect::SetOrderStatus { order, contact, status } => {
            set_order_status(tx, intent, *order, *contact, *status, now).await
        }
    }
}

/// The id of what a step makes: the same however often it is tried, so that two rows of one step
/// cannot be.
fn made_by(intent: &Intent) -> Uuid {
    Uuid::new_v5(&intent.turn.turn.0, intent.key.0.as_bytes())
}

async fn take_number<T: Tx>(tx: &mut T, intent: &Intent, counter: &str) -> StoreResult<i64> {
    let rows = tx.query(statement!(TAKE_NUMBER, intent.lease.workspace, counter)).await?;
    rows.first().map_or(Ok(0), |row| row.int(0))
}

async fn update_contact<T: Tx>(
    tx: &mut T,
    intent: &Intent,
    contact: ContactId,
    (name, phone): (Option<&String>, Option<&String>),
    data: &Map<String, Value>,
) -> StoreResult<Ended> {
    let workspace = intent.lease.workspace;
    let rows = tx.query(statement!(LOCK_CONTACT, workspace, contact)).await?;
    let Some(row) = rows.first() else {
        return Ok(refused(format!("there is no contact {contact}")));
    };
    let mut known: Map<String, Value> = row.json(0)?;
    known.extend(data.clone());
    let known = Param::json(&known);
    tx.write(statement!(UPDATE_CONTACT, workspace, contact, name, phone, known));
    Ok((StepStatus::Done, json!({ "contact": contact })))
}

fn ordered(id: OrderId, row: &Row) -> StoreResult<Ended> {
    let (number, status, total) = (row.int(0)?, row.text(1)?, row.text(2)?);
    let output = json!({ "order": id, "number": number, "status": status, "total": total });
    Ok((StepStatus::Done, output))
}

async fn set_order_status<T: Tx>(
    tx: &mut T,
    intent: &Intent,
    order: OrderId,
    contact: ContactId,
    status: OrderStatus,
    now: Timestamp,
) -> StoreResult<Ended> {
    let workspace = intent.lease.workspace;
    let rows = tx.query(statement!(LOCK_ORDER, workspace, order, contact)).await?;
    let Some(row) = rows.first() else {
        return Ok(refused(format!("the contact has no order {order}")));
    };
    let stands: OrderStatus = row.word(0, OrderStatus::parse)?;
    if !stands.may_become(status) {
        let (stands, status) = (stands.as_str(), status.as_str());
        return Ok(refused(format!("an order that is {stands} cannot become {status}")));
    }
    tx.write(statement!(SET_ORDER_STATUS, workspace, order, status.as_str(), now));
    let output = json!({ "order": order, "number": row.int(1)?, "status": status });
    Ok((StepStatus::Done, output))
}
