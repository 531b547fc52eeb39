//! `templates.yaml`: every text a customer reads, by key.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every text a customer reads, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Templates(pub BTreeMap<String, Template>);

/// A text with {{ values }}; as a list, its wordings are used in turn.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Template {
    Text(#[schemars(length(min = 1))] String),
    Wordings(#[schemars(length(min = 1), inner(length(min = 1)))] Vec<String>),
}

impl Template {
    pub fn wordings(&self) -> &[String] {
        match self {
            Self::Text(text) => std::slice::from_ref(text),
            Self::Wordings(wordings) => wordings,
        }
    }
}
