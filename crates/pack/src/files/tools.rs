//! `tools.yaml`: which tools an agent has, how they are held, and those the pack brings itself.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Duration;
use super::flow::When;

/// Which tools an agent has, how they are held, and those the pack brings itself.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tools {
    /// Tools of the engine.
    pub tools: Vec<ToolEntry>,
    /// Tools that are calls to a system the configuration names.
    pub http: Vec<HttpEntry>,
    /// Tools of MCP servers the configuration names.
    pub mcp: Vec<McpEntry>,
}

/// A tool of the engine, as this pack uses it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolEntry {
    /// The tool's name, such as crm.order.create.
    pub name: String,
    /// Holds it tighter than it is; never looser.
    #[serde(default)]
    pub class: Option<ToolClass>,
    /// How often it may be called.
    #[serde(default)]
    pub limit: Option<RateLimit>,
    /// Inputs that the engine fills in, each a CEL expression; a model neither sees nor sets them.
    #[serde(default)]
    pub bind: BTreeMap<String, String>,
    /// The condition that must hold for a call, whoever asks for it.
    #[serde(default)]
    #[schemars(with = "Option<When>")]
    pub when: Option<String>,
    /// Whether it is called only after the customer's yes to a summary that proposes it. Tools that
    /// confirm, change or cancel an order always are.
    #[serde(default)]
    pub needs_yes: bool,
}

/// The class of a tool.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ToolClass {
    /// Only looks.
    Safe,
    /// Acts.
    Execute,
    /// Says what it would do, for a person to do.
    Suggest,
    /// Acts on many; needs an approval.
    Bulk,
}

/// So many calls in so long, in one conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// How many calls.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: u32,
    /// In how long.
    pub per: Duration,
}

/// A call to a system, as a tool.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpEntry {
    /// The tool's name, such as envios.cotizar.
    #[schemars(
        regex(pattern = r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$"),
        extend("patternErrorMessage" = "a name with a dot, such as envios.cotizar")
    )]
    pub name: String,
    /// The tool's effect, for people and models.
    #[schemars(length(min = 1))]
    pub description: String,
    /// The system, by its name in the configuration, which knows the address.
    pub system: String,
    /// How it is called.
    pub method: HttpMethod,
    /// The path, with {parameters}.
    #[schemars(
        regex(pattern = r"^/"),
        extend("patternErrorMessage" = "a path that begins with /")
    )]
    pub path: String,
    /// The inputs of the tool.
    #[serde(default)]
    pub params: Vec<HttpParam>,
    /// The class of the tool.
    pub class: ToolClass,
    /// Whether the system does a call with the same Idempotency-Key only once.
    #[serde(default)]
    pub idempotent: bool,
    /// How long an answer is waited for.
    #[serde(default)]
    pub timeout: Option<Duration>,
    /// How often it may be called.
    #[serde(default)]
    pub limit: Option<RateLimit>,
    /// Inputs that the engine fills in, each a CEL expression; a model neither sees nor sets them.
    #[serde(default)]
    pub bind: BTreeMap<String, String>,
    /// The condition that must hold for a call, whoever asks for it.
    #[serde(default)]
    #[schemars(with = "Option<When>")]
    pub when: Option<String>,
    /// Whether it is called only after the customer's yes to a summary that proposes it.
    #[serde(default)]
    pub needs_yes: bool,
    /// The part of the answer that is kept, as a JSON pointer such as /tarifa.
    #[serde(default)]
    pub result: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum HttpMethod {
    #[serde(rename = "GET")]
    Get,
    #[serde(rename = "POST")]
    Post,
    #[serde(rename = "PUT")]
    Put,
    #[serde(rename = "PATCH")]
    Patch,
    #[serde(rename = "DELETE")]
    Delete,
}

/// An input of a call.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpParam {
    /// The input's name.
    #[schemars(
        regex(pattern = r"^[A-Za-z_][A-Za-z0-9_]{0,60}$"),
        extend("patternErrorMessage" = "a name of letters, digits and `_`")
    )]
    pub name: String,
    /// Where it goes.
    #[serde(rename = "in")]
    pub place: ParamPlace,
    /// string, integer, number or boolean.
    #[serde(rename = "type")]
    pub kind: ParamKind,
    /// The input's meaning, for people and models.
    #[serde(default)]
    pub description: String,
    /// Whether a call needs it.
    #[serde(default = "yes")]
    pub required: bool,
    /// The values it may have.
    #[serde(default)]
    pub one_of: Vec<Value>,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParamPlace {
    Path,
    Query,
    Body,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParamKind {
    String,
    Integer,
    Number,
    Boolean,
}

/// Tools of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct McpEntry {
    /// The server, by its name in the configuration; its tools are called <server>.<tool>.
    pub server: String,
    /// The tools of the server that this pack uses. Each may act, and is never repeated when its
    /// outcome is not known, whatever the server says of it.
    #[schemars(length(min = 1))]
    pub tools: Vec<String>,
    /// The tools among them that only look: you answer for it, not the server.
    #[serde(default)]
    pub safe: Vec<String>,
    /// The tools among them that do a repeated call only once: you answer for it, not the server.
    #[serde(default)]
    pub idempotent: Vec<String>,
}
