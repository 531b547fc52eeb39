//! The documents of the benchmark's shop: users, products and orders.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::{DeedError, Records, StoreError};

use super::money;

pub(super) const PENDING: &str = "pending";
pub(super) const DELIVERED: &str = "delivered";

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Address {
    pub(super) address1: String,
    pub(super) address2: String,
    pub(super) city: String,
    pub(super) state: String,
    pub(super) country: String,
    pub(super) zip: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Name {
    pub(super) first_name: String,
    pub(super) last_name: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct PaymentMethod {
    source: String,
    /// Of a gift card.
    #[serde(default, with = "money::optional", skip_serializing_if = "Option::is_none")]
    balance: Option<Decimal>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl PaymentMethod {
    pub(super) fn is_gift_card(&self) -> bool {
        self.source == "gift_card"
    }

    /// Anything but a gift card pays whatever is asked.
    pub(super) fn can_pay(&self, amount: Decimal) -> bool {
        !self.is_gift_card() || self.balance.unwrap_or_default() >= amount
    }

    /// Takes from a gift card, or gives to it if the amount is negative.
    pub(super) fn pay(&mut self, amount: Decimal) {
        if self.is_gift_card() {
            self.balance = Some(self.balance.unwrap_or_default() - amount);
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct User {
    pub(super) user_id: String,
    pub(super) name: Name,
    pub(super) address: Address,
    pub(super) email: String,
    payment_methods: BTreeMap<String, PaymentMethod>,
    orders: Vec<String>,
}

impl User {
    pub(super) fn method(&mut self, id: &str) -> Result<&mut PaymentMethod, DeedError> {
        let missing = || DeedError::Refused(format!("{} has no {id}", self.user_id));
        self.payment_methods.get_mut(id).ok_or_else(missing)
    }
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Variant {
    pub(super) item_id: String,
    pub(super) options: Map<String, Value>,
    pub(super) available: bool,
    #[serde(with = "money")]
    pub(super) price: Decimal,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Product {
    pub(super) name: String,
    pub(super) product_id: String,
    pub(super) variants: BTreeMap<String, Variant>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Item {
    name: String,
    pub(super) product_id: String,
    pub(super) item_id: String,
    #[serde(with = "money")]
    pub(super) price: Decimal,
    pub(super) options: Map<String, Value>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Transaction {
    pub(super) transaction_type: String,
    #[serde(with = "money")]
    pub(super) amount: Decimal,
    pub(super) payment_method_id: String,
}

impl Transaction {
    pub(super) fn payment(amount: Decimal, method: &str) -> Self {
        Self::new("payment", amount, method)
    }

    pub(super) fn refund(amount: Decimal, method: &str) -> Self {
        Self::new("refund", amount, method)
    }

    fn new(kind: &str, amount: Decimal, method: &str) -> Self {
        let (transaction_type, payment_method_id) = (kind.to_owned(), method.to_owned());
        Self { transaction_type, amount, payment_method_id }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) order_id: String,
    pub(super) user_id: String,
    pub(super) address: Address,
    pub(super) items: Vec<Item>,
    pub(super) status: String,
    pub(super) payment_history: Vec<Transaction>,
    /// The notes of its cancellation, return or exchange.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Order {
    pub(super) fn must_be(&self, status: &str) -> Result<(), DeedError> {
        if self.status == status {
            return Ok(());
        }
        DeedError::refused(format!("{} is {}, not {status}", self.order_id, self.status))
    }

    /// Pending, whether or not its items were changed. No recording tells: the policy would have such
    /// an order left alone, the benchmark's tools leave that to whoever calls them.
    pub(super) fn must_still_be_pending(&self) -> Result<(), DeedError> {
        if self.status.contains(PENDING) {
            return Ok(());
        }
        DeedError::refused(format!("{} is {}", self.order_id, self.status))
    }

    /// An item named twice must be there twice.
    pub(super) fn must_have(&self, item_ids: &[String]) -> Result<(), DeedError> {
        for id in item_ids {
            let asked = item_ids.iter().filter(|other| *other == id).count();
            let had = self.items.iter().filter(|item| item.item_id == *id).count();
            if asked > had {
                return DeedError::refused(format!("{} has {had} of {id}", self.order_id));
            }
        }
        Ok(())
    }

    pub(super) fn item(&mut self, id: &str) -> Result<&mut Item, DeedError> {
        let item = self.items.iter_mut().find(|item| item.item_id == id);
        item.ok_or_else(|| DeedError::Refused(format!("{} has no {id}", self.order_id)))
    }

    pub(super) fn note(&mut self, name: &str, value: impl Into<Value>) {
        self.rest.insert(name.to_owned(), value.into());
    }
}

/// The records, as this shop's.
pub(super) struct Shop<'r>(pub(super) &'r mut dyn Records);

impl Shop<'_> {
    pub(super) async fn order(&mut self, id: &str) -> Result<Order, DeedError> {
        self.find("orders", id).await
    }

    pub(super) async fn user(&mut self, id: &str) -> Result<User, DeedError> {
        self.find("users", id).await
    }

    pub(super) async fn product(&mut self, id: &str) -> Result<Product, DeedError> {
        self.find("products", id).await
    }

    /// Writes an order down; it is also what the tool answers.
    pub(super) async fn keep_order(&mut self, order: &Order) -> Result<Value, DeedError> {
        self.keep("orders", &order.order_id, order).await
    }

    /// Writes a user down; it is also what the tool answers.
    pub(super) async fn keep_user(&mut self, user: &User) -> Result<Value, DeedError> {
        self.keep("users", &user.user_id, user).await
    }

    /// All of a kind, by id.
    pub(super) async fn all<T: DeserializeOwned>(
        &mut self,
        kind: &str,
    ) -> Result<Vec<T>, DeedError> {
        let documents = self.0.documents(kind).await?;
        documents.into_iter().map(|(id, document)| read(kind, &id, document)).collect()
    }

    async fn find<T: DeserializeOwned>(&mut self, kind: &str, id: &str) -> Result<T, DeedError> {
        match self.0.document(kind, id).await? {
            Some(document) => read(kind, id, document),
            None => DeedError::refused(format!("there is no {id} among the {kind}")),
        }
    }

    async fn keep(
        &mut self,
        kind: &str,
        id: &str,
        thing: &impl Serialize,
    ) -> Result<Value, DeedError> {
        let document = shown(thing)?;
        self.0.put_document(kind, id, Some(&document)).await?;
        Ok(document)
    }
}

fn read<T: DeserializeOwned>(kind: &str, id: &str, document: Value) -> Result<T, DeedError> {
    let broken = |error| StoreError::Unusable(format!("{id} of the {kind}: {error}"));
    Ok(serde_json::from_value(document).map_err(broken)?)
}

/// As a document, and as what a tool answers.
pub(super) fn shown(thing: &impl Serialize) -> Result<Value, DeedError> {
    let broken = |error: serde_json::Error| StoreError::Unusable(error.to_string());
    Ok(serde_json::to_value(thing).map_err(broken)?)
}
