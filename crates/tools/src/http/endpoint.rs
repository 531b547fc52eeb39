//! How an input becomes a request, as a pack declares it.

use std::collections::BTreeMap;

use reqwest::Method;
use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl From<Verb> for Method {
    fn from(verb: Verb) -> Self {
        match verb {
            Verb::Get => Self::GET,
            Verb::Post => Self::POST,
            Verb::Put => Self::PUT,
            Verb::Patch => Self::PATCH,
            Verb::Delete => Self::DELETE,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    pub method: Verb,
    /// Below the system's address, with inputs in braces: `/pedidos/{numero}`.
    pub path: String,
    /// Inputs that go into the query, and what they are called there.
    #[serde(default)]
    pub query: BTreeMap<String, String>,
    /// Inputs that make the JSON body.
    #[serde(default)]
    pub body: Vec<String>,
    /// The header in which the system takes the key of a call.
    pub idempotency_header: Option<String>,
    /// A JSON pointer to what is kept of the answer.
    pub response: Option<String>,
    /// Whether a call repeated under the same key acts only once.
    #[serde(default)]
    pub idempotent: bool,
}
