//! The records of one workspace inside a transaction: how they are read, locked and written.

mod catalogue;
mod documents;
mod orders;
mod people;
mod stock;

use async_trait::async_trait;
use domain::{
    Account, Cart, Contact, ContactId, Item, Order, OrderId, OutboundId, Payment, Product,
    Proposal, Reservation, SessionId, Stock, Timestamp, WorkspaceId,
};
use serde_json::Value;
use uuid::Uuid;

use super::{Row, Sql, Statement, Tx, outbox};
use crate::{Deed, DeedError, Posting, Records, StoreError, StoreResult, statement};
pub(super) use orders::order;

pub(super) const STATEMENTS: &[&[Sql]] = &[
    catalogue::STATEMENTS,
    documents::STATEMENTS,
    orders::STATEMENTS,
    people::STATEMENTS,
    stock::STATEMENTS,
    &[TAKE_NUMBER],
];

pub(super) const BESIDE: &[Sql] = catalogue::BESIDE;

/// Statements that are run for many at once.
pub(super) const EACH: &[Sql] = &[
    LOCK_NAME,
    catalogue::ITEM,
    catalogue::POSTINGS,
    documents::CART.plain,
    documents::CART.locking,
    documents::PUT_CART,
];

const TAKE_NUMBER: Sql = Sql::both(
    "INSERT INTO counters (workspace_id, name, value) VALUES (?1, ?2, 1) \
     ON CONFLICT (workspace_id, name) DO UPDATE SET value = counters.value + 1 RETURNING value",
);

// A missing row cannot be locked, so its name is. SQLite has one writer and needs no lock.
const LOCK_NAME: Sql = Sql {
    sqlite: "SELECT ?1",
    postgres: "SELECT pg_advisory_xact_lock(hashtextextended(?1, 0))",
    each: true,
};

/// A query with and without a lock on the rows it finds. SQLite has one writer and needs no lock.
struct Lockable {
    plain: Sql,
    locking: Sql,
}

impl Lockable {
    /// Marks both texts as meaning a row that no other run means.
    const fn for_each(self) -> Self {
        Self { plain: self.plain.for_each(), locking: self.locking.for_each() }
    }
}

macro_rules! lockable {
    ($text:literal) => {
        $crate::sql::records::Lockable {
            plain: $crate::sql::Sql::both($text),
            locking: $crate::sql::Sql {
                sqlite: $text,
                postgres: concat!($text, " FOR UPDATE"),
                each: false,
            },
        }
    };
}
use lockable;

/// The circumstances under which a deed runs.
#[derive(Clone, Copy)]
pub(super) struct DeedContext {
    pub(super) workspace: WorkspaceId,
    /// The seed of every id that the deed creates.
    pub(super) id: Uuid,
    pub(super) now: Timestamp,
    pub(super) only_reads: bool,
}

struct SqlRecords<'t, T> {
    tx: &'t mut T,
    context: DeedContext,
    ids_made: u32,
    has_written: bool,
}

/// The end of a deed, and whether it had begun to write.
pub(super) struct Run {
    pub(super) result: Result<Value, DeedError>,
    pub(super) has_written: bool,
}

pub(super) async fn run<T: Tx>(tx: &mut T, context: DeedContext, deed: &dyn Deed) -> Run {
    let mut records = SqlRecords { tx, context, ids_made: 0, has_written: false };
    let result = deed.run(&mut records).await;
    // A refusal by the store is a refusal of the deed, whichever query it came from, and no fault
    // of the database.
    let result = result.map_err(|error| match error {
        DeedError::Store(StoreError::Refused(reason)) => DeedError::Refused(reason),
        error => error,
    });
    Run { result, has_written: records.has_written }
}

impl<T: Tx> SqlRecords<'_, T> {
    fn workspace(&self) -> WorkspaceId {
        self.context.workspace
    }

    fn begin_to_write(&mut self) -> StoreResult<()> {
        if self.context.only_reads {
            return Err(StoreError::Unusable(
                "a tool that only reads tried to write: nothing was written".to_owned(),
            ));
        }
        self.has_written = true;
        Ok(())
    }

    fn write(&mut self, statement: Statement) -> StoreResult<()> {
        self.begin_to_write()?;
        self.tx.write(statement);
        Ok(())
    }

    /// The query as it is to be run: locking, unless nothing will be written.
    fn locked(&self, query: &Lockable) -> Sql {
        if self.context.only_reads { query.plain } else { query.locking }
    }

    /// Locks the name of a missing row, so that a concurrent deed about to create it waits;
    /// afterwards the row must be read again.
    async fn lock_absent(&mut self, kind: &str, id: &str) -> StoreResult<()> {
        let name = format!("{}/{kind}/{id}", self.workspace());
        self.tx.query(statement!(LOCK_NAME, name)).await.map(drop)
    }

    /// Locks one row to be changed or, if it is missing, the right to create it. The query's first
    /// parameter is the workspace.
    async fn lock_one(
        &mut self,
        query: Statement,
        (kind, id): (&str, &str),
    ) -> StoreResult<Option<Row>> {
        let found = self.tx.query(query.clone()).await?;
        if !found.is_empty() || self.context.only_reads {
            return Ok(found.into_iter().next());
        }
        self.lock_absent(kind, id).await?;
        Ok(self.tx.query(query).await?.into_iter().next())
    }
}

#[async_trait]
impl<T: Tx> Records for SqlRecords<'_, T> {
    fn now(&self) -> Timestamp {
        self.context.now
    }

    fn new_id(&mut self) -> Uuid {
        self.ids_made += 1;
        Uuid::new_v5(&self.context.id, &self.ids_made.to_be_bytes())
    }

    async fn take_number(&mut self, counter: &str) -> StoreResult<i64> {
        self.begin_to_write()?;
        let rows = self.tx.query(statement!(TAKE_NUMBER, self.workspace(), counter)).await?;
        rows.first().ok_or(StoreError::NotFound("counter"))?.int(0)
    }

    async fn contact(&mut self, id: ContactId) -> StoreResult<Option<Contact>> {
        people::contact(self, id).await
    }

    async fn put_contact(&mut self, contact: &Contact) -> StoreResult<()> {
        people::put_contact(self, contact).await
    }

    async fn product(&mut self, id: &str) -> StoreResult<Option<Product>> {
        catalogue::product(self, id).await
    }

    async fn products(&mut self, after: Option<&str>, limit: u32) -> StoreResult<Vec<Product>> {
        catalogue::products(self, after, limit).await
    }

    async fn put_product(&mut self, product: &Product, terms: &[Posting]) -> StoreResult<()> {
        catalogue::put_product(self, product, terms)
    }

    async fn items(&mut self, skus: &[String]) -> StoreResult<Vec<Item>> {
        catalogue::items(self, skus).await
    }

    async fn in_category(&mut self, category: &str, limit: u32) -> StoreResult<Vec<Item>> {
        catalogue::in_category(self, category, limit).await
    }

    async fn categories(&mut self) -> StoreResult<Vec<(String, u32)>> {
        catalogue::categories(self).await
    }

    async fn postings(&mut self, terms: &[String], limit: u32) -> StoreResult<Vec<Posting>> {
        catalogue::postings(self, terms, limit).await
    }

    async fn stock(&mut self, skus: &[String]) -> StoreResult<Vec<Stock>> {
        stock::stock(self, skus).await
    }

    async fn put_stock(&mut self, stock: &Stock) -> StoreResult<()> {
        stock::put_stock(self, stock)
    }

    async fn cart(&mut self, session: SessionId) -> StoreResult<Cart> {
        documents::cart(self, session).await
    }

    async fn put_cart(&mut self, session: SessionId, cart: &Cart) -> StoreResult<()> {
        documents::put_cart(self, session, cart)
    }

    async fn proposal(&mut self, session: SessionId) -> StoreResult<Option<Proposal>> {
        documents::proposal(self, session).await
    }

    async fn put_proposal(&mut self, session: SessionId, proposal: &Proposal) -> StoreResult<()> {
        documents::put_proposal(self, session, proposal)
    }

    async fn have_reached(&mut self, messages: &[OutboundId]) -> StoreResult<bool> {
        outbox::have_reached(self.tx, self.workspace(), messages).await
    }

    async fn order(&mut self, id: OrderId) -> StoreResult<Option<Order>> {
        orders::by_id(self, id).await
    }

    async fn order_numbered(&mut self, number: u32) -> StoreResult<Option<Order>> {
        orders::by_number(self, number).await
    }

    async fn orders_of(&mut self, contact: ContactId, limit: u32) -> StoreResult<Vec<Order>> {
        orders::of_contact(self, contact, limit).await
    }

    async fn put_order(&mut self, order: &Order) -> StoreResult<()> {
        orders::put_order(self, order).await
    }

    async fn reservations(&mut self, order: OrderId) -> StoreResult<Vec<Reservation>> {
        stock::reservations(self, order).await
    }

    async fn put_reservations(
        &mut self,
        order: OrderId,
        reservations: &[Reservation],
    ) -> StoreResult<()> {
        stock::put_reservations(self, order, reservations)
    }

    async fn accounts(&mut self, contact: ContactId) -> StoreResult<Vec<Account>> {
        people::accounts(self, contact).await
    }

    async fn add_payment(&mut self, payment: &Payment) -> StoreResult<()> {
        people::add_payment(self, payment)
    }

    async fn document(&mut self, kind: &str, id: &str) -> StoreResult<Option<Value>> {
        documents::document(self, kind, id).await
    }

    async fn documents(&mut self, kind: &str) -> StoreResult<Vec<(String, Value)>> {
        documents::documents(self, kind).await
    }

    async fn put_document(
        &mut self,
        kind: &str,
        id: &str,
        document: Option<&Value>,
    ) -> StoreResult<()> {
        documents::put_document(self, kind, id, document)
    }
}
