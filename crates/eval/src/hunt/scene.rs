//! Where a conversation stands.

use std::collections::BTreeSet;

use domain::{Cart, Order, OrderStatus, SessionState, SessionStatus};
use serde_json::{Value, json};

use super::Prey;
use super::shown::Shown;
use crate::Rehearsal;
use crate::context::CALLER;

/// Where a conversation stands.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) mode: String,
    pub(super) status: SessionStatus,
    /// The customer's own, by number.
    pub(super) orders: Vec<Order>,
    /// Somebody else's.
    pub(super) strangers: Vec<Order>,
    pub(super) cart: Cart,
    pub(super) state: SessionState,
}

impl Scene {
    pub(super) fn of(rehearsal: &Rehearsal) -> Self {
        let records = rehearsal.records();
        let all = records.all_orders().into_iter().cloned();
        let (orders, strangers) = all.partition(|order| order.contact == CALLER.contact);
        Self {
            mode: rehearsal.mode().to_owned(),
            status: rehearsal.status(),
            orders,
            strangers,
            cart: records.all_carts().next().cloned().unwrap_or_default(),
            state: rehearsal.state().cloned().unwrap_or_default(),
        }
    }

    /// The customer's orders as tests speak of them.
    pub(super) fn orders_told(&self) -> Vec<String> {
        let told = |order: &Order| format!("{} {}", order.status.as_str(), order.total.normalize());
        self.orders.iter().map(told).collect()
    }

    /// The cart as tests speak of it.
    pub(super) fn cart_told(&self) -> Vec<String> {
        let told = self.cart.lines.iter().map(|line| format!("{} {}", line.quantity, line.sku));
        told.collect()
    }

    pub(super) fn choices(&self) -> Vec<&str> {
        self.state.choices.values().map(String::as_str).collect()
    }

    /// The kind of place it is, of which one is enough to begin from.
    pub(super) fn situation(&self, prey: &Prey<'_>, shown: &Shown) -> Value {
        let orders: BTreeSet<&str> = self.orders.iter().map(|one| one.status.as_str()).collect();
        let complete = prey
            .minimum()
            .all(|field| self.state.data.get(field).is_some_and(|value| !value.is_null()));
        json!([
            self.mode,
            orders,
            self.cart.lines.is_empty(),
            complete,
            !self.choices().is_empty(),
            shown.summary.is_some(),
        ])
    }
}

/// A template that was sent in another form counts as sent.
pub(super) fn plain(sent: &str) -> &str {
    sent.split('#').next().unwrap_or(sent)
}

/// Whether the customer has said yes to it, and nobody took it back.
pub(super) fn stands(order: &Order) -> bool {
    !matches!(order.status, OrderStatus::PendingConfirmation | OrderStatus::Cancelled)
}
