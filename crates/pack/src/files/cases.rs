//! `tests/*.yaml`: conversations, and what must come of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Duration;

/// Conversations, and what must come of each.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct CaseFile(pub Vec<Case>);

/// One conversation from its first message on.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What it shows, as a sentence.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Values already collected when it begins.
    #[serde(default)]
    pub given: BTreeMap<String, Value>,
    /// What happens, in order.
    #[schemars(length(min = 1))]
    pub steps: Vec<Step>,
}

/// One thing that happens (exactly one of say, wait and operator), and what must come of it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    /// What the customer writes.
    pub say: Option<String>,
    /// How long passes.
    pub wait: Option<Duration>,
    /// What an operator does.
    pub operator: Option<OperatorAct>,
    /// What must come of it.
    pub expect: Expected,
}

/// What an operator does; text after `say` is written to the customer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperatorAct {
    Take,
    Return,
    Say(String),
}

/// What must come of a step; what is left out is not looked at.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Expected {
    /// The whole reply; several bubbles are separated by an empty line.
    pub reply: Option<String>,
    /// Parts of the reply.
    pub contains: Option<Vec<String>>,
    /// What must not be in it.
    pub lacks: Option<Vec<String>>,
    /// The nodes taken, in order.
    pub path: Option<Vec<String>>,
    /// Fields with these values; null is a field without one.
    pub fields: Option<BTreeMap<String, Value>>,
    /// Where the flow stands afterwards.
    pub mode: Option<String>,
    /// Tools called, in order.
    pub tools: Option<Vec<String>>,
    /// Templates sent, in order.
    pub templates: Option<Vec<String>>,
    /// The best intent.
    pub intent: Option<String>,
    /// active, paused, closed or handed_off.
    #[schemars(extend("enum" = ["active", "paused", "closed", "handed_off", null]))]
    pub status: Option<String>,
    /// Part of the reason for which a person takes over.
    pub handoff: Option<String>,
}
