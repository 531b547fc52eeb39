//! The memory of a flow's session besides data and choices: answers of tools, timers, attempts.

use domain::SessionState;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::shop;
use super::thread::Interrupted;
use crate::form::memory::Talk;
use crate::{AgentError, model, walk};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Memory {
    /// How the collecting of fields stands.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) talk: Talk,
    /// The answers of tools, by the names they were saved under.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) saved: Map<String, Value>,
    /// The intents the customer was asked to choose among.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) clarifying: Vec<String>,
    /// How often in a row the customer was asked what was meant.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) clarified: u32,
    /// The timers that are armed.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) armed: Vec<String>,
    /// The timers that fired since the customer last wrote, in this mode.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) fired: Vec<String>,
    /// The summary of the lines a model is no longer shown.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) history: model::Memory,
    /// The shop's own memory of this customer.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) shop: shop::Memory,
    /// Whether the session's first steps were done.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) begun: bool,
    /// In how many messages in a row tools failed.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) errors: u32,
    /// How many messages in a row led to nothing.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) unresolved: u32,
    /// The order that a question interrupted, until a bridge has led back to it.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) interrupted: Option<Interrupted>,
    /// The outcome of the session before this one.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) previous: Option<Previous>,
}

/// The outcome of an earlier session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Previous {
    pub(super) mode: String,
    pub(super) summary: String,
}

fn is_default<T: Default + PartialEq>(part: &T) -> bool {
    *part == T::default()
}

impl Memory {
    /// The memory, and what is told of the parts that cannot be read; the data is never forgotten.
    pub(super) fn recall(state: &SessionState) -> (Self, Vec<String>) {
        let (mut memory, lost) = walk::recalled::<Self>(&state.memory);
        memory.talk.greeted = true;
        (memory, lost)
    }

    pub(super) fn remember(&self, state: &mut SessionState) -> Result<(), AgentError> {
        state.memory = walk::stored(self)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_part_that_cannot_be_read_is_told_of_and_the_rest_is_kept_with_the_cart() {
        let cart = json!({
            "lines": [{ "sku": "coca", "title": "Coca", "product": "coca", "quantity": 2 }],
            "total": "4000", "total_text": "$4.000", "notes": "", "short": [],
        });
        let whole = json!({
            "talk": { "since": 1_780_000_000_000_i64, "unhappy": 2 },
            "saved": { "pedido": { "number": 7 } },
            "clarified": 1,
            "shop": { "cart": cart, "choosing": [] },
            "begun": true,
        });
        let recalled = |stored: &Value| {
            let memory = stored.as_object().unwrap().clone();
            Memory::recall(&SessionState { memory, ..SessionState::default() })
        };
        let (sound, lost) = recalled(&whole);
        assert!(lost.is_empty() && !sound.shop.cart.is_empty(), "{lost:?}");

        for (part, told) in [
            ("/clarified", "clarified"),
            ("/talk/unhappy", "talk.unhappy"),
            ("/shop/choosing", "shop.choosing"),
            ("/shop/cart", "shop.cart"),
            ("/saved", "saved"),
        ] {
            let mut broken = whole.clone();
            *broken.pointer_mut(part).unwrap() = json!("Ana Pérez");
            let (memory, lost) = recalled(&broken);
            let expected = format!("memory: `{told}` cannot be read and is forgotten");
            assert_eq!(lost, [expected]);
            assert_eq!(memory.shop.cart.is_empty(), told == "shop.cart", "{told}");
            assert_eq!(memory.saved.is_empty(), told == "saved", "{told}");
            assert_eq!(memory.talk.since, sound.talk.since, "{told}");
            assert!(memory.begun, "{told}");
        }
        assert_eq!(recalled(&json!({ "clarified": "x", "shop": 1 })).1.len(), 2);
        assert_eq!(recalled(&json!({ "of_a_later_release": 1 })).1.len(), 0);
    }
}
