//! `intents.yaml`: what customers may want, by example.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What customers may want; the local classifier is trained from these examples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Intents {
    /// Each with its examples.
    pub intents: Vec<Intent>,
    /// Messages that are none of them.
    pub out_of_scope: Vec<String>,
}

/// One thing a customer may want.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Intent {
    /// Its name in rules, tests and reports.
    #[schemars(
        regex(pattern = r"^[a-z][a-z0-9_]{0,40}$"),
        extend("patternErrorMessage" = "a name of small letters, digits and `_`")
    )]
    pub name: String,
    /// What it means, for people and models.
    #[serde(default)]
    pub description: String,
    /// How customers say it; a dozen varied ones serve best.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Words and phrases that settle it at once.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// Regular expressions over small letters without accents that settle it at once.
    #[serde(default)]
    pub patterns: Vec<String>,
    /// The template that answers it.
    #[serde(default)]
    pub reply: Option<String>,
    /// What customers read it called when they are asked what they meant: "el precio".
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub label: Option<String>,
    /// A plain yes or no counts as this intent in modes that have something to do for it.
    #[serde(default)]
    pub means: Option<Means>,
    /// Whether it belongs to an order, or is a question beside it.
    #[serde(default)]
    pub thread: Option<Thread>,
}

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Thread {
    Order,
    Info,
}

/// What an intent says to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    Yes,
    No,
}
