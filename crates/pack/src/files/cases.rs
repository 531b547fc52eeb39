//! `tests/*.yaml`: conversations, and what must come of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Duration, Script, Stamp};

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
    /// What the language models answer; left out, there is none.
    #[serde(default)]
    pub model: Option<Script>,
    /// Tokens the session has already spent when it begins.
    #[serde(default)]
    pub spent_tokens: u64,
    /// What happens, in order.
    #[schemars(length(min = 1))]
    pub steps: Vec<Step>,
}

/// One thing that happens (exactly one of say, wait and operator), and what must come of it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    /// What the customer writes; a list came at once, and is answered together.
    pub say: Option<Said>,
    /// How long passes.
    pub wait: Option<Duration>,
    /// What an operator does.
    pub operator: Option<OperatorAct>,
    /// What must come of it.
    pub expect: Expected,
}

/// What the customer writes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Said {
    One(String),
    Several(#[schemars(length(min = 1))] Vec<String>),
}

impl Said {
    pub fn texts(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Several(texts) => texts,
        }
    }
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
    /// The band of confidence: proceed, reanalyse, clarify or handoff.
    #[schemars(extend("enum" = ["proceed", "reanalyse", "clarify", "handoff", null]))]
    pub band: Option<String>,
    /// What understood it: rules, local or model.
    #[schemars(extend("enum" = ["rules", "local", "model", null]))]
    pub tier: Option<String>,
    /// The models asked, in order, by what they were asked for.
    pub models: Option<Vec<String>>,
    /// Moves that were refused, as `go compra_confirmada`, in order.
    pub refused: Option<Vec<String>>,
    /// Choices with these values; null is one not made.
    pub choices: Option<BTreeMap<String, Value>>,
    /// The times that are noted by now.
    pub stamps: Option<Vec<Stamp>>,
    /// Orders of the conversation, oldest first, as `pending_confirmation 109900`.
    pub orders: Option<Vec<String>>,
}
