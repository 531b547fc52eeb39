//! The briefing of a handoff for a person: mode, cart, last messages, the customer.

use std::collections::BTreeMap;

use domain::{Handoff, Role};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::{Row, Sql, Tx};
use crate::{StoreError, StoreResult, TurnCommit, statement};

/// How many of the last messages a person is shown.
const LAST_MESSAGES: usize = 5;

const MODE: Sql =
    Sql::both("SELECT current_mode FROM agent_sessions WHERE workspace_id = ?1 AND id = ?2");

// Cross joins keep SQLite from reading all lines and orders of the workspace: it begins with the
// session or conversation.
const LAST_SAID: Sql = Sql::both(
    "SELECT t.role, t.content FROM agent_sessions s CROSS JOIN agent_turns t \
     WHERE s.workspace_id = ?1 AND s.conversation_id = ?2 AND t.workspace_id = s.workspace_id \
            AND t.session_id = s.id AND t.role <> 'system' \
     ORDER BY s.created_at DESC, t.turn_number DESC LIMIT ?3",
);

const CUSTOMER: Sql = Sql::both(
    "SELECT k.name, k.phone FROM conversations c JOIN contacts k \
          ON k.workspace_id = c.workspace_id AND k.id = c.contact_id \
     WHERE c.workspace_id = ?1 AND c.id = ?2",
);

macro_rules! bought {
    ($tenants:literal) => {
        concat!(
            "SELECT o.currency, CAST(o.total AS text) FROM conversations c CROSS JOIN orders o \
             WHERE c.workspace_id = ?1 AND c.id = ?2 AND ",
            $tenants,
            " AND o.contact_id = c.contact_id \
                    AND o.status NOT IN ('pending_confirmation', 'cancelled') \
             ORDER BY o.created_at"
        )
    };
}

// Totals of the contact's orders that were said yes to and not cancelled. Sorted by `created_at`,
// because then SQLite's index by contact leads. PostgreSQL is not shown that the orders' tenant is
// the given one, because it would then read the tenant's orders by their numbers.
const BOUGHT: Sql = Sql {
    sqlite: bought!("o.workspace_id = c.workspace_id"),
    postgres: bought!("(o.workspace_id = c.workspace_id) IS TRUE"),
    each: false,
};

pub(super) const STATEMENTS: &[Sql] = &[MODE, LAST_SAID, CUSTOMER, BOUGHT];

/// Reads everything as it stands before this turn is written. The turn's own lines are added; the
/// mode it ends in is not, because giving up may have changed the mode.
pub(super) async fn read<T: Tx>(
    tx: &mut T,
    turn: &TurnCommit,
    handoff: &Handoff,
) -> StoreResult<Value> {
    let (workspace, id) = (turn.lease.workspace, turn.lease.conversation);
    let session = turn.session.as_ref();
    let mut answers = tx
        .query_all(vec![
            statement!(MODE, workspace, session.map(|session| session.id)),
            statement!(LAST_SAID, workspace, id, LAST_MESSAGES as i64),
            statement!(CUSTOMER, workspace, id),
            statement!(BOUGHT, workspace, id),
        ])
        .await?
        .into_iter();
    let mut next = || answers.next().unwrap_or_default();
    let found = next().first().map(|row| row.text(0).map(str::to_owned)).transpose()?;
    let mode = found.or_else(|| session.map(|session| session.mode.clone()));
    let said = next();
    let customer = next();
    let customer = customer.first().ok_or(StoreError::NotFound("conversation"))?;
    let orders = next();
    Ok(json!({
        "current_mode": mode,
        "cart_summary": handoff.cart,
        "last_messages": last_messages(turn, &said)?,
        "customer_info": {
            "name": customer.opt_text(0)?,
            "phone": customer.opt_text(1)?,
            "total_orders": orders.len(),
            "total_spent": spent(&orders)?,
        },
        "pending_issue": handoff.issue,
    }))
}

fn last_messages(turn: &TurnCommit, newest_first: &[Row]) -> StoreResult<Vec<Value>> {
    let said = |role: Role, text: &str| json!({ "role": role, "text": text });
    let before = newest_first.iter().rev();
    let mut messages = before
        .map(|row| Ok(said(row.word(0, Role::parse)?, row.text(1)?)))
        .collect::<StoreResult<Vec<_>>>()?;
    let spoken = turn.entries.iter().filter(|entry| entry.role != Role::System);
    messages.extend(spoken.map(|entry| said(entry.role, entry.content.reveal())));
    Ok(messages.split_off(messages.len().saturating_sub(LAST_MESSAGES)))
}

/// The sum of the orders in each currency, as text. Rust adds, because a decimal stays exact here
/// on either database.
fn spent(orders: &[Row]) -> StoreResult<BTreeMap<String, String>> {
    let mut sums: BTreeMap<String, Decimal> = BTreeMap::new();
    for order in orders {
        let total: Decimal = order.word(1, |amount| amount.parse().ok())?;
        let sum = sums.entry(order.text(0)?.to_owned()).or_default();
        *sum = sum.saturating_add(total);
    }
    Ok(sums.into_iter().map(|(currency, sum)| (currency, sum.to_string())).collect())
}
