//! `pack.yaml`: what the pack is called, where its customers live, and its agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the pack is called, where its customers live, and its agents.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The pack's name, as channels name it: small letters, digits and dashes.
    #[schemars(
        regex(pattern = r"^[a-z][a-z0-9_-]{0,40}$"),
        extend("patternErrorMessage" = "a name of small letters, digits, `-` and `_`")
    )]
    pub name: String,
    /// What people call it.
    #[schemars(length(min = 1))]
    pub title: String,
    /// One or two sentences on whom it serves.
    #[serde(default)]
    pub description: String,
    /// Language and country of its customers, such as es-CO, es-AR or en-US.
    #[schemars(
        regex(pattern = r"^(es|en)-[A-Z]{2}$"),
        extend("patternErrorMessage" = "es or en, and a country, such as es-CO")
    )]
    pub locale: String,
    /// Where its clock hangs, such as America/Bogota.
    pub time_zone: String,
    /// Cities its customers may name.
    #[serde(default)]
    pub cities: Vec<String>,
    /// Its agents; the first one answers.
    #[schemars(length(min = 1))]
    pub agents: Vec<AgentEntry>,
}

/// One agent of the pack.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentEntry {
    /// The agent's name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What sort of agent it is.
    pub kind: Kind,
    /// The file that says what it does, beside pack.yaml.
    pub file: String,
}

/// What sort of agent it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Collects fields in conversation.
    Form,
}
