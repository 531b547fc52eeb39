//! Records stored as whole documents: carts, proposals, and the documents of tools.

use domain::{Cart, Proposal, SessionId};
use serde_json::Value;

use super::{Lockable, SqlRecords, lockable};
use crate::sql::{Param, Sql, Tx};
use crate::{StoreResult, statement};

pub(super) const CART: Lockable =
    lockable!("SELECT cart FROM carts WHERE workspace_id = ?1 AND session_id = ?2").for_each();

pub(super) const PUT_CART: Sql = Sql::each(
    "INSERT INTO carts (workspace_id, session_id, cart, updated_at) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (workspace_id, session_id) DO UPDATE \
     SET cart = excluded.cart, updated_at = excluded.updated_at",
);

const FORGET_CART: Sql = Sql::both("DELETE FROM carts WHERE workspace_id = ?1 AND session_id = ?2");

const PROPOSAL: Lockable =
    lockable!("SELECT proposal FROM session_state WHERE workspace_id = ?1 AND session_id = ?2");

// A session that has shown a summary has a state row.
const PUT_PROPOSAL: Sql =
    Sql::both("UPDATE session_state SET proposal = ?3 WHERE workspace_id = ?1 AND session_id = ?2");

const DOCUMENT: Lockable =
    lockable!("SELECT document FROM documents WHERE workspace_id = ?1 AND kind = ?2 AND id = ?3");

const DOCUMENTS: Sql = Sql::both(
    "SELECT id, document FROM documents WHERE workspace_id = ?1 AND kind = ?2 ORDER BY id",
);

const PUT_DOCUMENT: Sql = Sql::both(
    "INSERT INTO documents (workspace_id, kind, id, document) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (workspace_id, kind, id) DO UPDATE SET document = excluded.document",
);

const FORGET_DOCUMENT: Sql =
    Sql::both("DELETE FROM documents WHERE workspace_id = ?1 AND kind = ?2 AND id = ?3");

pub(super) const STATEMENTS: &[Sql] = &[
    CART.plain,
    PUT_CART,
    FORGET_CART,
    PROPOSAL.plain,
    PUT_PROPOSAL,
    DOCUMENT.plain,
    DOCUMENTS,
    PUT_DOCUMENT,
    FORGET_DOCUMENT,
];

pub(super) async fn proposal<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    session: SessionId,
) -> StoreResult<Option<Proposal>> {
    let query = statement!(records.locked(&PROPOSAL), records.workspace(), session);
    let rows = records.tx.query(query).await?;
    rows.first().map_or(Ok(None), |row| row.opt_json(0))
}

pub(super) fn put_proposal<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    session: SessionId,
    proposal: &Proposal,
) -> StoreResult<()> {
    let workspace = records.workspace();
    records.write(statement!(PUT_PROPOSAL, workspace, session, Param::json(proposal)))
}

pub(super) async fn cart<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    session: SessionId,
) -> StoreResult<Cart> {
    let query = statement!(records.locked(&CART), records.workspace(), session);
    let row = records.lock_one(query, ("cart", &session.to_string())).await?;
    row.map_or_else(|| Ok(Cart::default()), |row| row.json(0))
}

pub(super) fn put_cart<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    session: SessionId,
    cart: &Cart,
) -> StoreResult<()> {
    let workspace = records.workspace();
    if *cart == Cart::default() {
        return records.write(statement!(FORGET_CART, workspace, session));
    }
    let now = records.context.now;
    records.write(statement!(PUT_CART, workspace, session, Param::json(cart), now))
}

pub(super) async fn document<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    kind: &str,
    id: &str,
) -> StoreResult<Option<Value>> {
    let query = statement!(records.locked(&DOCUMENT), records.workspace(), kind, id);
    let row = records.lock_one(query, (&format!("document {kind}"), id)).await?;
    row.map(|row| row.json(0)).transpose()
}

pub(super) async fn documents<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    kind: &str,
) -> StoreResult<Vec<(String, Value)>> {
    let rows = records.tx.query(statement!(DOCUMENTS, records.workspace(), kind)).await?;
    rows.iter().map(|row| Ok((row.text(0)?.to_owned(), row.json(1)?))).collect()
}

pub(super) fn put_document<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    kind: &str,
    id: &str,
    document: Option<&Value>,
) -> StoreResult<()> {
    let workspace = records.workspace();
    records.write(match document {
        Some(document) => statement!(PUT_DOCUMENT, workspace, kind, id, document),
        None => statement!(FORGET_DOCUMENT, workspace, kind, id),
    })
}
