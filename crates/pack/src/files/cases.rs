//! `tests/*.yaml`: conversations, and what must come of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Duration, Script};

/// Conversations, and what must come of each.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct CaseFile(pub Vec<Case>);

/// A conversation from its first message on.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The rule that the case shows, as a sentence.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Values already collected when it begins.
    #[serde(default)]
    pub given: BTreeMap<String, Value>,
    /// The answers of the language models; left out, there is no model.
    #[serde(default)]
    pub model: Option<Script>,
    /// Tokens the session has already spent when it begins.
    #[serde(default)]
    pub spent_tokens: u64,
    /// The catalogue, a file beside this one, in the place of the pack's.
    #[serde(default)]
    pub catalogue: Option<String>,
    /// Units for sale, by sku.
    #[serde(default)]
    pub stock: BTreeMap<String, u32>,
    /// When it begins, on the pack's clock, such as 2026-11-17T15:00.
    #[serde(default)]
    #[schemars(
        regex(pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$"),
        extend("patternErrorMessage" = "a day and a time, such as 2026-11-17T15:00")
    )]
    pub now: Option<String>,
    /// Orders of the customer's from before, oldest first.
    #[serde(default)]
    pub orders_before: Vec<OrderBefore>,
    /// The steps, in order.
    #[schemars(length(min = 1))]
    pub steps: Vec<Step>,
}

/// An order from before.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderBefore {
    /// The lines of the order.
    #[schemars(length(min = 1))]
    pub lines: Vec<OrderedLine>,
    /// How far it has come: confirmed, processing, shipped, delivered, completed or cancelled.
    #[schemars(
        extend("enum" = ["confirmed", "processing", "shipped", "delivered", "completed", "cancelled"])
    )]
    pub status: String,
}

/// A line of the order.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderedLine {
    /// The variant.
    pub sku: String,
    /// How many of it.
    #[schemars(range(min = 1, max = 999))]
    pub quantity: u32,
}

/// An act (exactly one of say, wait, operator and shop), and the result it must have.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    /// The customer's message; the messages of a list came at once, and are answered together.
    pub say: Option<Said>,
    /// How long passes.
    pub wait: Option<Duration>,
    /// The act of an operator.
    pub operator: Option<OperatorAct>,
    /// The act of the shop meanwhile, of which nobody tells the customer.
    pub shop: Option<Meanwhile>,
    /// The result that the step must have.
    pub expect: Expected,
}

/// The customer's message.
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

/// The act of an operator; text after `say` is written to the customer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperatorAct {
    Take,
    Return,
    /// Gives it back with where it goes on, or with a word to the customer.
    ReturnTo(Returning),
    Say(String),
}

/// How a person gives a conversation back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Returning {
    /// The mode in which the flow goes on.
    pub mode: Option<String>,
    /// The text that the customer is told.
    pub message: Option<String>,
}

/// Changes in the shop while a customer writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Meanwhile {
    /// Units for sale from now on, by sku.
    pub stock: BTreeMap<String, u32>,
    /// Prices from now on, by sku.
    pub prices: BTreeMap<String, u32>,
    /// How many of the next calls fail, by tool.
    pub fails: BTreeMap<String, u32>,
}

/// The result that a step must have; a key that is left out is not looked at.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Expected {
    /// The whole reply; several bubbles are separated by an empty line.
    pub reply: Option<String>,
    /// Parts of the reply.
    pub contains: Option<Vec<String>>,
    /// Texts that must not be in the reply.
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
    /// The tier that understood it: rules, local or model.
    #[schemars(extend("enum" = ["rules", "local", "model", null]))]
    pub tier: Option<String>,
    /// The models asked, in order, by what they were asked for.
    pub models: Option<Vec<String>>,
    /// Moves that were refused, as `go compra_confirmada`, in order.
    pub refused: Option<Vec<String>>,
    /// Choices with these values; null is one not made.
    pub choices: Option<BTreeMap<String, Value>>,
    /// The milestones that are noted by now, in any order.
    pub stamps: Option<Vec<String>>,
    /// Orders of the conversation, oldest first, as `pending_confirmation 109900`.
    pub orders: Option<Vec<String>>,
    /// The cart, as `2 coca-cola-1500`, in the order in which goods were put there.
    pub cart: Option<Vec<String>>,
    /// The subject of the message: order, info or mixed.
    #[schemars(extend("enum" = ["order", "info", "mixed", null]))]
    pub thread: Option<String>,
    /// The kind of reason for which a person takes over.
    pub trigger: Option<String>,
    /// The options of the customer, by id, in order.
    pub options: Option<Vec<String>>,
}
