//! The records that a local tool reads and changes, inside the transaction of its step.

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
    /// The deed may not be done, with the reason, fit to be shown to a model. Nothing was changed.
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

/// A tool's change to our own database. A deed is run inside a transaction, and again from the
/// start if the database asks for that, so it acts on nothing but the records. All its changes are
/// committed together with its step, or none of them.
#[async_trait]
pub trait Deed: Send + Sync {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError>;

    /// Whether the deed locks and writes rows of its own session only: such deeds of many sessions
    /// may be done in one transaction.
    fn keeps_to_session(&self) -> bool {
        false
    }
}

/// An occurrence of a term in a variant's names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    pub term: String,
    pub sku: String,
    /// How much the term says about the variant.
    pub weight: u32,
}

/// The records of one workspace, and of no other. A row that is read to be changed is locked until
/// the commit.
#[async_trait]
pub trait Records: Send {
    fn now(&self) -> Timestamp;

    /// An id for something new: the same whenever the same deed is run again.
    fn new_id(&mut self) -> Uuid;

    /// The next number of a counter.
    async fn take_number(&mut self, counter: &str) -> StoreResult<i64>;

    /// Locks the row.
    async fn contact(&mut self, id: ContactId) -> StoreResult<Option<Contact>>;

    /// Writes a contact down, new or known.
    async fn put_contact(&mut self, contact: &Contact) -> StoreResult<()>;

    async fn product(&mut self, id: &str) -> StoreResult<Option<Product>>;

    /// By id, after the given one.
    async fn products(&mut self, after: Option<&str>, limit: u32) -> StoreResult<Vec<Product>>;

    /// Writes a product down with all its variants, in place of the stored one, and the terms under
    /// which each variant is found.
    async fn put_product(&mut self, product: &Product, terms: &[Posting]) -> StoreResult<()>;

    /// The active variants of these skus, in no order; a sku that is not sold is missing.
    async fn items(&mut self, skus: &[String]) -> StoreResult<Vec<Item>>;

    /// The active variants of a category, most bought first.
    async fn in_category(&mut self, category: &str, limit: u32) -> StoreResult<Vec<Item>>;

    /// The categories that have something active, with how many products, by name.
    async fn categories(&mut self) -> StoreResult<Vec<(String, u32)>>;

    /// Where these terms occur among active variants: at most `limit` a term, most bought first.
    async fn postings(&mut self, terms: &[String], limit: u32) -> StoreResult<Vec<Posting>>;

    /// Stock of these skus, locked in the order of the skus, so that two deeds never deadlock. A
    /// sku without a row has zero stock.
    async fn stock(&mut self, skus: &[String]) -> StoreResult<Vec<Stock>>;

    async fn put_stock(&mut self, stock: &Stock) -> StoreResult<()>;

    /// Locks the cart; empty if nothing was put into it.
    async fn cart(&mut self, session: SessionId) -> StoreResult<Cart>;

    /// An empty cart is deleted.
    async fn put_cart(&mut self, session: SessionId, cart: &Cart) -> StoreResult<()>;

    /// The newest summary that a session has shown; locked.
    async fn proposal(&mut self, session: SessionId) -> StoreResult<Option<Proposal>>;

    /// Replaces the proposal of the session.
    async fn put_proposal(&mut self, session: SessionId, proposal: &Proposal) -> StoreResult<()>;

    /// Whether all of these messages were sent to the customer, as they were written.
    async fn have_reached(&mut self, messages: &[OutboundId]) -> StoreResult<bool>;

    /// Locks the row.
    async fn order(&mut self, id: OrderId) -> StoreResult<Option<Order>>;

    /// Locks the row.
    async fn order_numbered(&mut self, number: u32) -> StoreResult<Option<Order>>;

    /// A contact's orders, newest first.
    async fn orders_of(&mut self, contact: ContactId, limit: u32) -> StoreResult<Vec<Order>>;

    /// Writes an order down, new or known.
    async fn put_order(&mut self, order: &Order) -> StoreResult<()>;

    async fn reservations(&mut self, order: OrderId) -> StoreResult<Vec<Reservation>>;

    /// Replaces the reservations of the order.
    async fn put_reservations(
        &mut self,
        order: OrderId,
        reservations: &[Reservation],
    ) -> StoreResult<()>;

    /// The purchases and payments of a contact: an account for each currency, by its code.
    async fn accounts(&mut self, contact: ContactId) -> StoreResult<Vec<Account>>;

    async fn add_payment(&mut self, payment: &Payment) -> StoreResult<()>;

    /// A document of a tool's own kind; locked.
    async fn document(&mut self, kind: &str, id: &str) -> StoreResult<Option<Value>>;

    /// All of a kind, by id.
    async fn documents(&mut self, kind: &str) -> StoreResult<Vec<(String, Value)>>;

    /// Writes a document; `None` deletes it.
    async fn put_document(
        &mut self,
        kind: &str,
        id: &str,
        document: Option<&Value>,
    ) -> StoreResult<()>;
}
