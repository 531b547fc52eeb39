//! The records: what a local tool reads and changes, inside the transaction of its step.

use async_trait::async_trait;
use domain::{
    Account, Cart, Contact, ContactId, Item, Order, OrderId, OutboundId, Payment, Product,
    Proposal, Reservation, SessionId, Stock, Timestamp,
};
use serde_json::Value;
use thiserror::Error;
use uuid::Uuid;

use crate::{StoreError, StoreResult};

/// Why a deed did nothing.
#[derive(Debug, Error)]
pub enum DeedError {
    /// It may not be done: why, fit to be shown to a model. Nothing was changed.
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl DeedError {
    pub fn refused<T>(reason: impl Into<String>) -> Result<T, Self> {
        Err(Self::Refused(reason.into()))
    }
}

/// What a tool does to our own database. It is run inside a transaction, and again from the start
/// if the database asks for that, so it acts on nothing but the records. All its changes are
/// committed together with its step, or none of them.
#[async_trait]
pub trait Deed: Send + Sync {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError>;

    /// Whether all that it locks and writes is its own session's: such deeds of many sessions may be
    /// done in one transaction.
    fn keeps_to_session(&self) -> bool {
        false
    }
}

/// One occurrence of a term in what a variant is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    pub term: String,
    pub sku: String,
    /// How much it says about the variant.
    pub weight: u32,
}

/// All of one workspace, and of no other. What is read to be changed is locked until the commit.
#[async_trait]
pub trait Records: Send {
    fn now(&self) -> Timestamp;

    /// An id for something new: the same whenever the same deed is run again.
    fn new_id(&mut self) -> Uuid;

    /// The next number of a counter.
    async fn take_number(&mut self, counter: &str) -> StoreResult<i64>;

    /// Locked.
    async fn contact(&mut self, id: ContactId) -> StoreResult<Option<Contact>>;

    /// Writes a contact down, new or known.
    async fn put_contact(&mut self, contact: &Contact) -> StoreResult<()>;

    async fn product(&mut self, id: &str) -> StoreResult<Option<Product>>;

    /// By id, after the one given.
    async fn products(&mut self, after: Option<&str>, limit: u32) -> StoreResult<Vec<Product>>;

    /// Writes a product down with all its variants, in the place of what was known of it, and under
    /// which terms each variant is found.
    async fn put_product(&mut self, product: &Product, terms: &[Posting]) -> StoreResult<()>;

    /// The active variants of these, in no order; what is not sold (any more) is missing.
    async fn items(&mut self, skus: &[String]) -> StoreResult<Vec<Item>>;

    /// The active variants of a category, most bought first.
    async fn in_category(&mut self, category: &str, limit: u32) -> StoreResult<Vec<Item>>;

    /// The categories that have something active, with how many products, by name.
    async fn categories(&mut self) -> StoreResult<Vec<(String, u32)>>;

    /// Where these terms occur among active variants: at most `limit` a term, most bought first.
    async fn postings(&mut self, terms: &[String], limit: u32) -> StoreResult<Vec<Posting>>;

    /// Locked, in the order of their skus whatever order they are asked for in, so that two deeds
    /// never wait for each other. One that has no stock yet has none.
    async fn stock(&mut self, skus: &[String]) -> StoreResult<Vec<Stock>>;

    async fn put_stock(&mut self, stock: &Stock) -> StoreResult<()>;

    /// Locked; empty if nothing was put into it.
    async fn cart(&mut self, session: SessionId) -> StoreResult<Cart>;

    /// An empty one is forgotten.
    async fn put_cart(&mut self, session: SessionId, cart: &Cart) -> StoreResult<()>;

    /// The newest summary a session has shown; locked.
    async fn proposal(&mut self, session: SessionId) -> StoreResult<Option<Proposal>>;

    /// In the place of the one the session had.
    async fn put_proposal(&mut self, session: SessionId, proposal: &Proposal) -> StoreResult<()>;

    /// Whether the customer has been sent all of these, as they were written.
    async fn have_reached(&mut self, messages: &[OutboundId]) -> StoreResult<bool>;

    /// Locked.
    async fn order(&mut self, id: OrderId) -> StoreResult<Option<Order>>;

    /// Locked.
    async fn order_numbered(&mut self, number: u32) -> StoreResult<Option<Order>>;

    /// A contact's orders, newest first.
    async fn orders_of(&mut self, contact: ContactId, limit: u32) -> StoreResult<Vec<Order>>;

    /// Writes an order down, new or known.
    async fn put_order(&mut self, order: &Order) -> StoreResult<()>;

    async fn reservations(&mut self, order: OrderId) -> StoreResult<Vec<Reservation>>;

    /// In the place of those the order had.
    async fn put_reservations(
        &mut self,
        order: OrderId,
        reservations: &[Reservation],
    ) -> StoreResult<()>;

    /// What a contact bought and paid, one for each currency, by its code.
    async fn accounts(&mut self, contact: ContactId) -> StoreResult<Vec<Account>>;

    async fn add_payment(&mut self, payment: &Payment) -> StoreResult<()>;

    /// A document of a tool's own kind; locked.
    async fn document(&mut self, kind: &str, id: &str) -> StoreResult<Option<Value>>;

    /// All of a kind, by id.
    async fn documents(&mut self, kind: &str) -> StoreResult<Vec<(String, Value)>>;

    /// None forgets it.
    async fn put_document(
        &mut self,
        kind: &str,
        id: &str,
        document: Option<&Value>,
    ) -> StoreResult<()>;
}
