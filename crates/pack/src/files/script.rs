//! Scripted models: what a model is taken to answer, in tests and demos.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The supposed answers of a model: the first line that fits and is not used up.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Script(pub Vec<ScriptLine>);

/// An answer: exactly one of text, json, calls and fail.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptLine {
    /// Which part of the agent asks: detector, orchestrator, writer or judge; any if left out.
    #[schemars(extend("enum" = ["detector", "orchestrator", "writer", "judge", null]))]
    pub to: Option<String>,
    /// Words that must be in what the customer said last, or in the last tool's result.
    pub when: Option<String>,
    /// How often it is used; for ever if left out.
    pub times: Option<u32>,
    /// The text of the answer.
    pub text: Option<String>,
    /// The answer where an answer by schema is asked for.
    pub json: Option<Value>,
    /// The tools it calls, each by its name with its input.
    pub calls: Option<Vec<Map<String, Value>>>,
    /// How it fails: overloaded, rate_limited, spend_cap, server, timeout, truncated, malformed,
    /// empty or refused.
    #[schemars(extend("enum" = [
        "overloaded", "rate_limited", "spend_cap", "server", "timeout", "truncated", "malformed",
        "empty", "refused", null
    ]))]
    pub fail: Option<String>,
}
