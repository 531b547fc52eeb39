//! The records in memory: for rehearsals, and for tests of deeds.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    Account, Cart, Contact, ContactId, Item, Order, OrderId, OrderStatus, OutboundId, Payment,
    Product, Proposal, Reservation, SessionId, Stock, Timestamp, Variant,
};
use rust_decimal::Decimal;
use serde_json::Value;
use uuid::Uuid;

use crate::{Posting, Records, StoreError, StoreResult};

/// The records of one workspace. A clone is independent: whoever runs a deed keeps a clone to go
/// back to if the deed is refused.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryRecords {
    now: Timestamp,
    ids_made: u64,
    counters: BTreeMap<String, i64>,
    contacts: BTreeMap<ContactId, Contact>,
    /// The goods for sale, shared by every copy until one of the copies changes them.
    products: Arc<BTreeMap<String, Product>>,
    /// The product of each variant.
    product_of: Arc<BTreeMap<String, String>>,
    /// The variants a term leads to, with its weight for each.
    terms: Arc<BTreeMap<String, BTreeMap<String, u32>>>,
    /// Units in orders that were said yes to and not cancelled.
    popularity: BTreeMap<String, u32>,
    stock: BTreeMap<String, Stock>,
    carts: BTreeMap<SessionId, Cart>,
    proposals: BTreeMap<SessionId, Proposal>,
    orders: BTreeMap<OrderId, Order>,
    reservations: BTreeMap<OrderId, Vec<Reservation>>,
    payments: Vec<Payment>,
    documents: BTreeMap<(String, String), Value>,
}

impl Default for MemoryRecords {
    fn default() -> Self {
        Self::at(Timestamp::from_millis(0))
    }
}

impl MemoryRecords {
    pub fn at(now: Timestamp) -> Self {
        Self {
            now,
            ids_made: 0,
            counters: BTreeMap::new(),
            contacts: BTreeMap::new(),
            products: Arc::default(),
            product_of: Arc::default(),
            terms: Arc::default(),
            popularity: BTreeMap::new(),
            stock: BTreeMap::new(),
            carts: BTreeMap::new(),
            proposals: BTreeMap::new(),
            orders: BTreeMap::new(),
            reservations: BTreeMap::new(),
            payments: Vec::new(),
            documents: BTreeMap::new(),
        }
    }

    pub fn set_now(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// By sku.
    pub fn stock_levels(&self) -> impl Iterator<Item = &Stock> {
        self.stock.values()
    }

    /// By number.
    pub fn all_orders(&self) -> Vec<&Order> {
        let mut orders: Vec<_> = self.orders.values().collect();
        orders.sort_by_key(|order| order.number);
        orders
    }

    /// The carts with something in them, by session.
    pub fn all_carts(&self) -> impl Iterator<Item = &Cart> {
        self.carts.values()
    }

    /// By order, then by sku.
    pub fn all_reservations(&self) -> impl Iterator<Item = (OrderId, &Reservation)> {
        self.reservations.iter().flat_map(|(order, held)| held.iter().map(|one| (*order, one)))
    }

    /// In the order they came in.
    pub fn payments(&self) -> &[Payment] {
        &self.payments
    }

    fn active(&self) -> impl Iterator<Item = (&Product, &Variant)> {
        let sold = self.products.values().filter(|product| product.active);
        sold.flat_map(|product| product.variants.iter().map(move |variant| (product, variant)))
            .filter(|(_, variant)| variant.active)
    }

    fn active_item(&self, sku: &str) -> Option<Item> {
        let product = self.products.get(self.product_of.get(sku)?)?;
        let variant = product.variants.iter().find(|variant| variant.sku == sku)?;
        (product.active && variant.active).then(|| self.item(product, variant))
    }

    fn item(&self, product: &Product, variant: &Variant) -> Item {
        Item {
            sku: variant.sku.clone(),
            product: product.id.clone(),
            name: product.name.clone(),
            label: variant.label.clone(),
            category: product.category.clone(),
            brand: product.brand.clone(),
            price: variant.price,
            available: self.stock.get(&variant.sku).map_or(0, |stock| stock.available),
            popularity: self.popularity.get(&variant.sku).copied().unwrap_or_default(),
        }
    }

    /// Takes a variant from the product that has it, with the terms it was found under.
    fn forget_variant(&mut self, sku: &str) {
        let Some(id) = Arc::make_mut(&mut self.product_of).remove(sku) else { return };
        if let Some(product) = Arc::make_mut(&mut self.products).get_mut(&id) {
            product.variants.retain(|variant| variant.sku != sku);
        }
        for skus in Arc::make_mut(&mut self.terms).values_mut() {
            skus.remove(sku);
        }
    }
}

/// Whether the customer said yes to the order and nobody cancelled it.
fn counts(order: &Order) -> bool {
    !matches!(order.status, OrderStatus::PendingConfirmation | OrderStatus::Cancelled)
}

fn most_bought_first(items: &mut [Item]) {
    items.sort_by(|a, b| (Reverse(a.popularity), &a.sku).cmp(&(Reverse(b.popularity), &b.sku)));
}

#[async_trait]
impl Records for MemoryRecords {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn new_id(&mut self) -> Uuid {
        self.ids_made += 1;
        Uuid::new_v5(&Uuid::NAMESPACE_OID, &self.ids_made.to_be_bytes())
    }

    async fn take_number(&mut self, counter: &str) -> StoreResult<i64> {
        let value = self.counters.entry(counter.to_owned()).or_default();
        *value += 1;
        Ok(*value)
    }

    async fn contact(&mut self, id: ContactId) -> StoreResult<Option<Contact>> {
        Ok(self.contacts.get(&id).cloned())
    }

    async fn put_contact(&mut self, contact: &Contact) -> StoreResult<()> {
        self.contacts.insert(contact.id, contact.clone());
        Ok(())
    }

    async fn product(&mut self, id: &str) -> StoreResult<Option<Product>> {
        Ok(self.products.get(id).cloned())
    }

    async fn products(&mut self, after: Option<&str>, limit: u32) -> StoreResult<Vec<Product>> {
        let later = |id: &str| after.is_none_or(|after| id > after);
        let after = self.products.values().filter(|product| later(&product.id));
        Ok(after.take(limit as usize).cloned().collect())
    }

    /// Puts a product. A variant that belonged to another product moves to this one, because a sku
    /// is one thing on the shelf.
    async fn put_product(&mut self, product: &Product, terms: &[Posting]) -> StoreResult<()> {
        let known = self.products.get(&product.id).map(|known| known.variants.clone());
        for variant in known.iter().flatten().chain(&product.variants) {
            self.forget_variant(&variant.sku);
        }
        for variant in &product.variants {
            Arc::make_mut(&mut self.product_of).insert(variant.sku.clone(), product.id.clone());
        }
        Arc::make_mut(&mut self.products).insert(product.id.clone(), product.clone());
        for posting in terms {
            let skus = Arc::make_mut(&mut self.terms).entry(posting.term.clone()).or_default();
            skus.insert(posting.sku.clone(), posting.weight);
        }
        Ok(())
    }

    async fn items(&mut self, skus: &[String]) -> StoreResult<Vec<Item>> {
        let asked: BTreeSet<_> = skus.iter().collect();
        Ok(asked.into_iter().filter_map(|sku| self.active_item(sku)).collect())
    }

    async fn in_category(&mut self, category: &str, limit: u32) -> StoreResult<Vec<Item>> {
        let inside = self.active().filter(|(product, _)| product.category == category);
        let mut items: Vec<_> =
            inside.map(|(product, variant)| self.item(product, variant)).collect();
        most_bought_first(&mut items);
        items.truncate(limit as usize);
        Ok(items)
    }

    async fn categories(&mut self) -> StoreResult<Vec<(String, u32)>> {
        let mut products: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (product, _) in self.active() {
            products.entry(&product.category).or_default().insert(&product.id);
        }
        let counted = |(name, ids): (&str, BTreeSet<&str>)| {
            (name.to_owned(), u32::try_from(ids.len()).unwrap_or(u32::MAX))
        };
        Ok(products.into_iter().map(counted).collect())
    }

    async fn postings(&mut self, terms: &[String], limit: u32) -> StoreResult<Vec<Posting>> {
        let asked: BTreeSet<_> = terms.iter().collect();
        let mut found = Vec::new();
        for (term, skus) in asked.into_iter().filter_map(|term| self.terms.get_key_value(term)) {
            let mut items: Vec<_> = skus.keys().filter_map(|sku| self.active_item(sku)).collect();
            most_bought_first(&mut items);
            found.extend(items.into_iter().take(limit as usize).map(|item| Posting {
                term: term.clone(),
                weight: skus[&item.sku],
                sku: item.sku,
            }));
        }
        Ok(found)
    }

    async fn stock(&mut self, skus: &[String]) -> StoreResult<Vec<Stock>> {
        let asked: BTreeSet<_> = skus.iter().collect();
        let level = |sku: &String| self.stock.get(sku).cloned().unwrap_or_else(|| Stock::none(sku));
        Ok(asked.into_iter().map(level).collect())
    }

    async fn put_stock(&mut self, stock: &Stock) -> StoreResult<()> {
        self.stock.insert(stock.sku.clone(), stock.clone());
        Ok(())
    }

    async fn cart(&mut self, session: SessionId) -> StoreResult<Cart> {
        Ok(self.carts.get(&session).cloned().unwrap_or_default())
    }

    async fn put_cart(&mut self, session: SessionId, cart: &Cart) -> StoreResult<()> {
        match *cart == Cart::default() {
            true => self.carts.remove(&session),
            false => self.carts.insert(session, cart.clone()),
        };
        Ok(())
    }

    async fn proposal(&mut self, session: SessionId) -> StoreResult<Option<Proposal>> {
        Ok(self.proposals.get(&session).cloned())
    }

    async fn put_proposal(&mut self, session: SessionId, proposal: &Proposal) -> StoreResult<()> {
        self.proposals.insert(session, proposal.clone());
        Ok(())
    }

    // Every message counts as delivered, because a rehearsal's messages arrive as they are said.
    async fn have_reached(&mut self, _messages: &[OutboundId]) -> StoreResult<bool> {
        Ok(true)
    }

    async fn order(&mut self, id: OrderId) -> StoreResult<Option<Order>> {
        Ok(self.orders.get(&id).cloned())
    }

    async fn order_numbered(&mut self, number: u32) -> StoreResult<Option<Order>> {
        Ok(self.orders.values().find(|order| order.number == number).cloned())
    }

    async fn orders_of(&mut self, contact: ContactId, limit: u32) -> StoreResult<Vec<Order>> {
        let own = self.orders.values().filter(|order| order.contact == contact);
        let mut own: Vec<_> = own.cloned().collect();
        own.sort_by_key(|order| Reverse((order.created_at, order.number)));
        own.truncate(limit as usize);
        Ok(own)
    }

    async fn put_order(&mut self, order: &Order) -> StoreResult<()> {
        let same_number = |other: &Order| other.number == order.number && other.id != order.id;
        if self.orders.values().any(same_number) {
            return Err(StoreError::Refused(format!("there is an order {} already", order.number)));
        }
        let known = self.orders.insert(order.id, order.clone());
        for line in known.iter().filter(|order| counts(order)).flat_map(|order| &order.lines) {
            let units = self.popularity.entry(line.product.clone()).or_default();
            *units = units.saturating_sub(line.quantity);
        }
        for line in order.lines.iter().filter(|_| counts(order)) {
            let units = self.popularity.entry(line.product.clone()).or_default();
            *units = units.saturating_add(line.quantity);
        }
        Ok(())
    }

    async fn reservations(&mut self, order: OrderId) -> StoreResult<Vec<Reservation>> {
        Ok(self.reservations.get(&order).cloned().unwrap_or_default())
    }

    async fn put_reservations(
        &mut self,
        order: OrderId,
        reservations: &[Reservation],
    ) -> StoreResult<()> {
        let mut held = reservations.to_vec();
        held.sort_by(|a, b| a.sku.cmp(&b.sku));
        match held.is_empty() {
            true => self.reservations.remove(&order),
            false => self.reservations.insert(order, held),
        };
        Ok(())
    }

    async fn accounts(&mut self, contact: ContactId) -> StoreResult<Vec<Account>> {
        let mut accounts: BTreeMap<String, Account> = BTreeMap::new();
        let empty =
            |currency| Account { currency, orders: 0, spent: Decimal::ZERO, paid: Decimal::ZERO };
        let own = self.orders.values().filter(|order| order.contact == contact);
        for order in own.filter(|order| counts(order)) {
            let code = order.currency.to_string();
            let account = accounts.entry(code).or_insert_with(|| empty(order.currency));
            account.orders += 1;
            account.spent += order.total;
        }
        for payment in self.payments.iter().filter(|payment| payment.contact == contact) {
            let currency = payment.amount.currency;
            let account = accounts.entry(currency.to_string()).or_insert_with(|| empty(currency));
            account.paid += payment.amount.amount;
        }
        Ok(accounts.into_values().collect())
    }

    async fn add_payment(&mut self, payment: &Payment) -> StoreResult<()> {
        self.payments.push(payment.clone());
        Ok(())
    }

    async fn document(&mut self, kind: &str, id: &str) -> StoreResult<Option<Value>> {
        Ok(self.documents.get(&(kind.to_owned(), id.to_owned())).cloned())
    }

    async fn documents(&mut self, kind: &str) -> StoreResult<Vec<(String, Value)>> {
        let of_kind = self.documents.iter().filter(|((stored, _), _)| stored == kind);
        Ok(of_kind.map(|((_, id), document)| (id.clone(), document.clone())).collect())
    }

    async fn put_document(
        &mut self,
        kind: &str,
        id: &str,
        document: Option<&Value>,
    ) -> StoreResult<()> {
        let key = (kind.to_owned(), id.to_owned());
        match document {
            Some(document) => self.documents.insert(key, document.clone()),
            None => self.documents.remove(&key),
        };
        Ok(())
    }
}
