//! The shop of a flow: reads what a message asks of the cart, does it with the mode's tools, and
//! remembers what was spoken of.

mod answer;
mod basket;
mod cart;
mod change;
mod look;
mod pick;
mod read;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub(super) use answer::answer;
pub(super) use cart::{CartView, fact as cart_fact, note as note_tool, revive};
pub(super) use change::{Done, ask_to_empty, ask_what, change};
pub(super) use read::read_order;

use look::Looked;
use nlu::goods::Act;

/// The shop's part of a session's memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::flow) struct Memory {
    /// The cart as the last tool that touched it left it.
    #[serde(skip_serializing_if = "is_default")]
    pub(in crate::flow) cart: CartView,
    /// The goods last spoken of: «agregame otra» means these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::flow) last: Option<Goods>,
    /// The questions which of several goods was meant, the first question first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::flow) choosing: Vec<Choosing>,
    /// The subject of the last message, so that a bare number in answer counts it.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) just: Just,
}

/// The subject of the answer to the last message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Just {
    /// Whether goods were put into the cart, changed or shown.
    #[serde(skip_serializing_if = "is_default")]
    spoken: bool,
    /// The goods there are, as they were listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shown: Vec<Goods>,
}

impl Memory {
    /// Goods are spoken of.
    fn speak_of(&mut self, goods: Goods) {
        self.last = Some(goods);
        self.just.spoken = true;
    }
}

fn is_default<T: Default + PartialEq>(part: &T) -> bool {
    *part == T::default()
}

/// A variant, by its code and what people read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::flow) struct Goods {
    pub(in crate::flow) sku: String,
    pub(in crate::flow) title: String,
    /// The name that its sizes have in common.
    pub(in crate::flow) product: String,
    /// As an amount without its currency; empty where it was not told.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    price: String,
}

/// A wish of which it is open what it means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::flow) struct Choosing {
    pub(in crate::flow) quantity: u32,
    pub(in crate::flow) called: String,
    pub(in crate::flow) options: Vec<Goods>,
    /// The thing in the cart that the wish takes the place of, by its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::flow) instead_of: Option<String>,
}

/// A thing that a message asks of the cart.
#[derive(Clone)]
pub(in crate::flow) struct Wish {
    act: Act,
    quantity: Option<u32>,
    /// As the customer calls it; empty means what was last spoken of.
    called: String,
    found: Looked,
    /// The goods whose place it takes, as the customer calls them.
    instead_of: Option<String>,
    /// Whether a verb or a number says that it is wanted.
    sure: bool,
}

impl Default for Wish {
    fn default() -> Self {
        Self {
            act: Act::Add,
            quantity: None,
            called: String::new(),
            found: Looked::default(),
            instead_of: None,
            sure: false,
        }
    }
}

/// All that a message asks of the shop.
#[derive(Clone, Default)]
pub(in crate::flow) struct Asked {
    pub(in crate::flow) wishes: Vec<Wish>,
    /// The product it asks about.
    pub(in crate::flow) about: Option<Wish>,
    /// Whether the message was taken for an order, and nothing in it could be done or told.
    pub(in crate::flow) idle: bool,
}
