//! `intents.yaml`: what customers may want, by example.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The wishes of customers; the local classifier is trained from these examples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Intents {
    /// Lists of words that phrases are written with, by name: {promos} in a phrase is one of the
    /// list `promos`. A word may end in `*`, which takes any ending, and a list may name another.
    #[schemars(inner(length(min = 1)))]
    pub words: BTreeMap<String, Vec<String>>,
    /// Each with its examples.
    pub intents: Vec<Intent>,
    /// Messages that are none of them.
    pub out_of_scope: Vec<String>,
}

/// A wish that a customer may have.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Intent {
    /// The intent's name in rules, tests and reports.
    #[schemars(
        regex(pattern = r"^[a-z][a-z0-9_]{0,40}$"),
        extend("patternErrorMessage" = "a name of small letters, digits and `_`")
    )]
    pub name: String,
    /// The intent's meaning, for people and models.
    #[serde(default)]
    pub description: String,
    /// How customers say it; a dozen varied ones serve best.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Words and phrases that settle it at once.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// Phrases that settle it wherever they are said: words, {lists}, one/another, (what may be left
    /// out), [what comes any number of times], `...` for up to three words, `descuent*` for any ending.
    #[serde(default)]
    #[schemars(inner(length(min = 1, max = 120)))]
    pub phrases: Vec<String>,
    /// Phrases that settle it if they are the whole message; with ` ?` at the end it may be a question.
    #[serde(default)]
    #[schemars(inner(length(min = 1, max = 120)))]
    pub whole: Vec<String>,
    /// Regular expressions over small letters without accents that settle it at once, for what no
    /// phrase can say; of at most 120 letters.
    #[serde(default)]
    pub patterns: Vec<String>,
    /// The template that answers it.
    #[serde(default)]
    pub reply: Option<String>,
    /// The words for it when customers are asked what they meant: "el precio".
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

/// The subject of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Thread {
    Order,
    Info,
}

/// The meaning of an intent as the answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    Yes,
    No,
}
