//! When two places are alike: from one of them is played on, and what could come of the other comes
//! of that one too.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use domain::{Order, OrderStatus, Proposal, SessionState, Standing, TermsItem};
use serde_json::{Map, Value, json};

use super::Prey;
use super::customer::Kind;
use super::moves::Breadth;
use super::play::{Opening, Probed};
use super::scene::{Scene, plain, stands};
use super::shown::{Shown, Summary};

/// Parts of the session's memory that decide nothing: what was said, and when.
const ASIDE: [&str; 4] = ["history", "talk", "interrupted", "previous"];

/// More units than this of one thing are many, however many they are.
const MANY: u32 = 3;

/// Counts and timers of the flow's own, by which it asks again, reminds or gives the conversation to a
/// person: a model gains nothing by them.
const OWN: [&str; 6] = ["armed", "fired", "errors", "unresolved", "clarified", "clarifying"];

/// How places are compared. Where all is tried, by what is in them; where one of a kind is tried, by
/// how the things in them bear on each other: whether an order is the one that was summed up, not how
/// many bottles it is of.
pub(super) struct Likeness<'l> {
    pub(super) prey: &'l Prey<'l>,
    pub(super) breadth: Breadth,
}

/// The summaries that a place is seen by: the one a yes in this turn is to, and the one a yes in the
/// next turn would be to.
#[derive(Clone, Copy)]
struct Summaries<'s> {
    before: Option<&'s Summary>,
    now: Option<&'s Summary>,
}

impl<'s> Summaries<'s> {
    /// The answer of each to a question about it; none of a summary that nobody can agree to.
    fn each(self, ask: impl Fn(&'s Summary) -> bool) -> [Option<bool>; 2] {
        let open = |one: &&Summary| !one.asked_since;
        [self.before.filter(open).map(&ask), self.now.filter(open).map(&ask)]
    }
}

impl Likeness<'_> {
    /// A place within a turn: where the moves so far have led, and what the rules compare it with.
    pub(super) fn within(&self, opening: &Opening, probed: &Probed, now: &Shown) -> u64 {
        let (before, scene) = (&opening.at, &probed.played.scene);
        let Some(offered) = &probed.offered else {
            // No further move is heard.
            return self.between(scene, now);
        };
        let kind = match (self.breadth, opening.line.kind) {
            // Neither agrees to anything nor asks.
            (Breadth::Few, Kind::Little) => Kind::No,
            (_, kind) => kind,
        };
        let summary = before.shown.summary.as_ref();
        let cart = &before.scene.cart;
        let held = summary.is_some_and(|one| one.is_of_cart() && one.says_cart(cart));
        let had = (cart.lines.is_empty(), held, before.scene.orders.iter().any(stands));
        let agrees = |_: &&Summary| kind == Kind::Yes || self.breadth == Breadth::All;
        let seen = Summaries { before: summary.filter(agrees), now: now.summary.as_ref() };
        hash(&(kind, had, json!(offered).to_string(), self.at(scene, seen)))
    }

    /// A place between two turns: nothing of how it was reached matters any more.
    pub(super) fn between(&self, scene: &Scene, now: &Shown) -> u64 {
        hash(&self.at(scene, Summaries { before: None, now: now.summary.as_ref() }))
    }

    fn at(&self, scene: &Scene, seen: Summaries<'_>) -> String {
        let state = &scene.state;
        let proposal = state.proposal.as_ref();
        let sent = state.sent.iter().map(|sent| plain(sent));
        let sent: BTreeSet<&str> = sent.filter(|sent| self.prey.compares(sent)).collect();
        let orders = scene.orders.iter().map(|one| self.order(one, proposal, seen).to_string());
        let orders: BTreeSet<String> = orders.collect();
        json!([
            scene.mode,
            scene.status.as_str(),
            seen.before.map(|one| self.said(one, scene)),
            seen.now.map(|one| self.said(one, scene)),
            proposal.map(|one| self.proposal(one, scene, seen)),
            orders,
            self.cart(scene),
            sent,
            self.memory(state),
            self.data(state, seen),
            self.choices(scene),
        ])
        .to_string()
    }

    fn said(&self, one: &Summary, scene: &Scene) -> Value {
        match self.breadth {
            Breadth::All => json!([one.text, one.asked_since]),
            Breadth::Few => {
                let here = one.mode == scene.mode && !one.asked_since;
                let cart = one.is_of_cart() && one.says_cart(&scene.cart);
                json!([one.proposes, one.asked_since, here, cart])
            }
        }
    }

    fn order(&self, order: &Order, proposal: Option<&Proposal>, seen: Summaries<'_>) -> Value {
        if self.breadth == Breadth::All {
            let lines = order.lines.iter().map(|line| json!([line.product, line.quantity]));
            let lines: Vec<_> = lines.collect();
            return json!([order.status, lines, order.total, order.data]);
        }
        match order.status {
            OrderStatus::PendingConfirmation => {
                let proposed = proposal.is_some_and(|one| is_of(&one.terms.items, order));
                json!([order.status, proposed, seen.each(|one| one.says(order))])
            }
            OrderStatus::Confirmed => json!([order.status, seen.each(|one| one.names(order))]),
            _ => json!(order.status),
        }
    }

    fn cart(&self, scene: &Scene) -> Value {
        let cart = &scene.cart;
        let lines: BTreeSet<_> = match self.breadth {
            Breadth::All => {
                cart.lines.iter().map(|one| (one.sku.as_str(), one.quantity.min(MANY))).collect()
            }
            Breadth::Few => cart.lines.iter().map(|_| ("", 1)).collect(),
        };
        json!([lines, cart.notes])
    }

    fn proposal(&self, proposal: &Proposal, scene: &Scene, seen: Summaries<'_>) -> Value {
        let Proposal { tool, terms, standing, .. } = proposal;
        let open = proposal.is_open();
        match self.breadth {
            Breadth::All => json!([tool, terms.digest, open]),
            Breadth::Few if !open => json!([tool, *standing == Standing::Fallen]),
            Breadth::Few => {
                let cart = scene.cart.lines.iter();
                let cart: BTreeSet<_> = cart.map(|one| (one.sku.as_str(), one.quantity)).collect();
                let said = seen.each(|one| one.says_items(&terms.items));
                json!([tool, cart == counted(&terms.items), said])
            }
        }
    }

    fn data(&self, state: &SessionState, seen: Summaries<'_>) -> Value {
        let data = &state.data;
        match self.breadth {
            Breadth::All => json!(data),
            Breadth::Few => {
                let filled = data.iter().filter(|(_, value)| !value.is_null());
                let filled: Vec<&String> = filled.map(|(name, _)| name).collect();
                let said = |one: &Summary| one.says_all(data.values().filter_map(Value::as_str));
                json!([filled, seen.each(said)])
            }
        }
    }

    /// The choices made. Where goods are chosen instead of put into a cart, each counts by whether it
    /// is that of an order that waits for a yes.
    fn choices(&self, scene: &Scene) -> Value {
        let chosen = &scene.state.choices;
        if self.breadth == Breadth::All || self.prey.flow.flow.shop.is_some() {
            return json!(chosen);
        }
        let waits = |order: &&Order| order.status == OrderStatus::PendingConfirmation;
        let mut lines = scene.orders.iter().filter(waits).flat_map(|order| &order.lines);
        let is_ordered = |option: &String| lines.any(|line| line.product.contains(option));
        json!(chosen.values().map(is_ordered).collect::<Vec<_>>())
    }

    fn memory(&self, state: &SessionState) -> Map<String, Value> {
        let mut memory = state.memory.clone();
        let few = self.breadth == Breadth::Few;
        memory.retain(|name, _| !ASIDE.contains(&name.as_str()));
        memory.retain(|name, _| !(few && OWN.contains(&name.as_str())));
        if let Some(saved) = memory.get_mut("saved").and_then(Value::as_object_mut) {
            saved.retain(|name, _| self.prey.minds(name));
            saved.values_mut().for_each(|value| self.forget(value));
        }
        if let Some(shop) = memory.get_mut("shop").and_then(Value::as_object_mut) {
            // The cart itself is looked at instead.
            shop.retain(|name, _| name == "choosing");
        }
        // Nothing kept is as good as no place to keep it.
        memory.retain(|_, value| value.as_object().is_none_or(|value| !value.is_empty()));
        memory
    }

    /// Of what a tool has told, the parts that a way or a tool may depend on: a text that it is
    /// compared with as it is, and of anything else whether there is any.
    fn forget(&self, saved: &mut Value) {
        let Some(saved) = saved.as_object_mut() else { return };
        saved.retain(|name, _| self.prey.minds(name));
        for value in saved.values_mut() {
            if !value.as_str().is_some_and(|text| self.prey.compares(text)) {
                *value = json!(!value.is_null());
            }
        }
    }
}

fn is_of(items: &[TermsItem], order: &Order) -> bool {
    let lines = order.lines.iter().map(|line| (line.product.as_str(), line.quantity));
    lines.collect::<BTreeSet<_>>() == counted(items)
}

fn counted(items: &[TermsItem]) -> BTreeSet<(&str, u32)> {
    items.iter().map(|item| (item.code.as_str(), item.quantity)).collect()
}

pub(super) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
