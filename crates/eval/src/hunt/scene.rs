//! Where a conversation stands, and when two stand alike.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use domain::{Cart, Order, OrderStatus, SessionState, SessionStatus};
use serde_json::{Value, json};

use super::Prey;
use super::moves::Breadth;
use super::shown::Shown;
use crate::Rehearsal;
use crate::context::CALLER;

/// Parts of the session's memory that decide nothing: what was said, and when.
const ASIDE: [&str; 4] = ["history", "talk", "interrupted", "previous"];

/// More units than this of one thing are many, however many they are.
const FEW: u32 = 2;

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
        let other = self.state.scratch.get("choices").and_then(Value::as_object);
        let other = other.into_iter().flatten().filter_map(|(_, value)| value.as_str());
        self.state.pack_seleccionado.as_deref().into_iter().chain(other).collect()
    }

    /// The part that further turns depend on. Two scenes alike in it lead to the same harm.
    pub(super) fn digest(&self, prey: &Prey<'_>, shown: &Shown, breadth: Breadth) -> Value {
        let order = |order: &Order| {
            let lines = order.lines.iter().map(|line| json!([line.product, line.quantity]));
            let lines: Vec<_> = lines.collect();
            json!([order.status, lines, order.total, order.data]).to_string()
        };
        let orders: BTreeSet<String> = self.orders.iter().map(order).collect();
        let sent = self.state.templates_enviados.iter().map(|sent| plain(sent));
        let sent: BTreeSet<&str> = sent.filter(|sent| prey.minds(sent)).collect();
        let mut memory = self.state.scratch.clone();
        memory.retain(|name, _| !ASIDE.contains(&name.as_str()));
        if let Some(saved) = memory.get_mut("saved").and_then(Value::as_object_mut) {
            saved.retain(|name, _| prey.minds(name));
            saved.values_mut().for_each(forget_names);
        }
        if let Some(shop) = memory.get_mut("shop").and_then(Value::as_object_mut) {
            // The cart itself is looked at instead.
            shop.retain(|name, _| name == "choosing");
        }
        let proposal = self
            .state
            .proposal
            .as_ref()
            .map(|one| json!([one.tool, one.terms.digest, one.is_open()]));
        json!({
            "proposal": proposal,
            "orders": orders, "cart": self.cart_digest(shown, breadth), "sent": sent, "memory": memory,
            "data": self.state.datos_capturados, "pack": self.state.pack_seleccionado,
        })
    }

    /// Quantities count as none, few or many, and whether they are those that were summed up; where
    /// few things are tried, as nothing but that.
    fn cart_digest(&self, shown: &Shown, breadth: Breadth) -> Value {
        let lines = self.cart.lines.iter();
        let lines = lines.map(|line| match breadth {
            Breadth::All => (line.sku.as_str(), line.quantity.min(FEW + 1)),
            Breadth::Few => ("", 1),
        });
        let lines: BTreeSet<_> = lines.collect();
        let summed_up = shown.summary.as_ref().is_some_and(|one| one.says_cart(&self.cart));
        json!([lines, self.cart.notes, summed_up])
    }

    /// The kind of place it is, of which one is enough to begin from.
    pub(super) fn situation(&self, prey: &Prey<'_>, shown: &Shown) -> Value {
        let orders: BTreeSet<&str> = self.orders.iter().map(|one| one.status.as_str()).collect();
        let complete = prey.minimum().all(|field| {
            self.state.datos_capturados.get(field).is_some_and(|value| !value.is_null())
        });
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

/// Ids and numbers differ where nothing else does.
fn forget_names(saved: &mut Value) {
    if let Some(saved) = saved.as_object_mut() {
        for name in ["order", "number", "total"] {
            if let Some(value) = saved.get_mut(name) {
                *value = json!(!value.is_null());
            }
        }
    }
}

/// A template that was sent in another form counts as sent.
pub(super) fn plain(sent: &str) -> &str {
    sent.split('#').next().unwrap_or(sent)
}

pub(super) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Whether the customer has said yes to it, and nobody took it back.
pub(super) fn stands(order: &Order) -> bool {
    !matches!(order.status, OrderStatus::PendingConfirmation | OrderStatus::Cancelled)
}
