//! A shop's things as plain data: products in variants, stock that adds up, carts, payments.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{ContactId, Money, OrderId, PaymentId, Timestamp};

/// Something the shop sells, in one or more variants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Product {
    /// The shop's own name for the product, such as `coca-cola`.
    pub id: String,
    pub name: String,
    pub category: String,
    #[serde(default)]
    pub brand: Option<String>,
    #[serde(default)]
    pub description: String,
    /// Other words people use for the product.
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default = "yes")]
    pub active: bool,
    pub variants: Vec<Variant>,
}

fn yes() -> bool {
    true
}

/// A variant, which customers put into a cart: a product in one size, at one price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    pub sku: String,
    /// The label among its siblings, such as `1,5 L`; empty for a product with one variant.
    #[serde(default)]
    pub label: String,
    pub price: Money,
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default = "yes")]
    pub active: bool,
    #[serde(default)]
    pub data: Map<String, Value>,
}

/// A variant as it stands on the shelf: with its product, its stock and how often it is bought.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    pub sku: String,
    pub product: String,
    /// The product's name.
    pub name: String,
    pub label: String,
    pub category: String,
    pub brand: Option<String>,
    pub price: Money,
    pub available: u32,
    /// Units ordered so far.
    pub popularity: u32,
}

impl Item {
    /// The title for people, such as `Coca-Cola 1,5 L`.
    pub fn title(&self) -> String {
        title(&self.name, &self.label)
    }
}

/// A product's name with its variant's label.
pub fn title(name: &str, label: &str) -> String {
    match label {
        "" => name.to_owned(),
        label => format!("{name} {label}"),
    }
}

/// The units of a variant, by where they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stock {
    pub sku: String,
    /// For sale.
    pub available: u32,
    /// Promised to orders.
    pub reserved: u32,
    /// Gone with their orders.
    pub sold: u32,
}

impl Stock {
    pub fn none(sku: &str) -> Self {
        Self { sku: sku.to_owned(), available: 0, reserved: 0, sold: 0 }
    }

    /// All units that ever came in and were not written off.
    pub fn on_hand(&self) -> u64 {
        u64::from(self.available) + u64::from(self.reserved) + u64::from(self.sold)
    }

    /// Reserves units for an order; false if there are not enough, and then nothing changes.
    #[must_use]
    pub fn reserve(&mut self, units: u32) -> bool {
        shift(&mut self.available, &mut self.reserved, units)
    }

    /// Frees units of an order that ended without them.
    #[must_use]
    pub fn release(&mut self, units: u32) -> bool {
        shift(&mut self.reserved, &mut self.available, units)
    }

    /// Counts units as sold with an order that ended.
    #[must_use]
    pub fn sell(&mut self, units: u32) -> bool {
        shift(&mut self.reserved, &mut self.sold, units)
    }

    /// Adds units that came in.
    #[must_use]
    pub fn receive(&mut self, units: u32) -> bool {
        let more = self.available.checked_add(units);
        self.available = more.unwrap_or(self.available);
        more.is_some()
    }

    /// Removes units for sale that are broken, lost or miscounted.
    #[must_use]
    pub fn write_off(&mut self, units: u32) -> bool {
        let left = self.available.checked_sub(units);
        self.available = left.unwrap_or(self.available);
        left.is_some()
    }
}

fn shift(from: &mut u32, to: &mut u32, units: u32) -> bool {
    match (from.checked_sub(units), to.checked_add(units)) {
        (Some(left), Some(more)) => {
            (*from, *to) = (left, more);
            true
        }
        _ => false,
    }
}

/// Units of a variant that an order holds until it ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    pub sku: String,
    pub quantity: u32,
}

/// The goods that a session's customer has picked so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cart {
    pub lines: Vec<CartLine>,
    #[serde(default)]
    pub notes: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CartLine {
    pub sku: String,
    pub name: String,
    pub label: String,
    pub quantity: u32,
    pub unit_price: Money,
}

/// Money that came in for an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Payment {
    pub id: PaymentId,
    pub order: OrderId,
    pub contact: ContactId,
    pub amount: Money,
    /// The method of payment, such as `mercado_pago`.
    pub method: String,
    pub at: Timestamp,
}

/// The purchases and debts of a contact in one currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    pub currency: crate::Currency,
    /// Orders the customer said yes to and nobody cancelled.
    pub orders: u32,
    pub spent: Decimal,
    pub paid: Decimal,
}

impl Account {
    pub fn debt(&self) -> Decimal {
        (self.spent - self.paid).max(Decimal::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stock_moves_between_its_places_and_is_never_made_or_lost() {
        let mut stock = Stock::none("a");
        assert!(stock.receive(3));
        assert!(!stock.reserve(4), "more than there are");
        assert!(stock.reserve(2));
        assert!(!stock.sell(3), "more than is promised");
        assert!(stock.sell(1) && stock.release(1));
        assert!(!stock.write_off(3));
        assert!(stock.write_off(1));
        assert_eq!(stock, Stock { sku: "a".into(), available: 1, reserved: 0, sold: 1 });
        assert_eq!(stock.on_hand(), 2);
        let mut full = Stock { available: u32::MAX, ..Stock::none("b") };
        assert!(!full.receive(1));
        assert_eq!(full.available, u32::MAX);
    }
}
