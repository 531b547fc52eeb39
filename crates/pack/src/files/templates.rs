//! `templates.yaml`: every text a customer reads, by key.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every text a customer reads, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Templates(pub BTreeMap<String, Template>);

/// A text with {{ values }}; as a list, its wordings are used in turn; as a group, with more to say
/// about it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Template {
    Text(#[schemars(length(min = 1))] String),
    Wordings(#[schemars(length(min = 1), inner(length(min = 1)))] Vec<String>),
    Full(FullTemplate),
}

/// A text, and what is said instead when it has been sent before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FullTemplate {
    /// The text.
    #[schemars(length(min = 1))]
    pub text: String,
    /// The texts sent in its place the next times, each once.
    #[serde(default)]
    #[schemars(inner(length(min = 1)))]
    pub backup: Vec<String>,
    /// The gist, for a customer who asks yet again.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub short: Option<String>,
    /// Whether a flow may send it again as it is.
    #[serde(default)]
    pub repeat: bool,
    /// The template approved by WhatsApp that stands for it outside the 24 h window.
    #[serde(default)]
    pub approved: Option<ApprovedTemplate>,
}

/// A template approved by WhatsApp.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovedTemplate {
    /// The name of the approved template.
    #[schemars(
        regex(pattern = r"^[a-z0-9_]{1,512}$"),
        extend("patternErrorMessage" = "a name of small letters, digits and `_`")
    )]
    pub name: String,
    /// The language of the approved template, such as es_CO.
    pub language: String,
    /// The placeholders in order, each a text with {{ values }}.
    #[serde(default)]
    pub values: Vec<String>,
}

impl Template {
    pub fn wordings(&self) -> &[String] {
        match self {
            Self::Text(text) => std::slice::from_ref(text),
            Self::Wordings(wordings) => wordings,
            Self::Full(full) => std::slice::from_ref(&full.text),
        }
    }
}
