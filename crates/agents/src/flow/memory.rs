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
    pub(super) fn recall(state: &SessionState) -> Self {
        // A memory that this version cannot read is forgotten; the data never is.
        let mut memory: Self =
            serde_json::from_value(Value::Object(state.memory.clone())).unwrap_or_default();
        memory.talk.greeted = true;
        memory
    }

    pub(super) fn remember(&self, state: &mut SessionState) -> Result<(), AgentError> {
        state.memory = walk::stored(self)?;
        Ok(())
    }
}
