//! Requests to a language model and its replies, the same for every provider.

use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A call to a model, in no provider's words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// The model's role and task; cached if the provider can.
    pub system: Prompt,
    pub messages: Vec<ModelMessage>,
    /// Tools by our own names, with their dots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    #[serde(default)]
    pub tool_use: ToolUseMode,
    /// The JSON Schema that the whole answer must fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputSchema>,
    pub max_tokens: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
}

/// The text that a model gets before all else.
#[derive(Clone, Debug, Default)]
pub struct Prompt {
    text: Arc<str>,
    /// Whether the text is the pack's own alone, the same for every customer.
    is_shared: bool,
}

impl Prompt {
    /// The pack's own words, which hold nothing of a customer.
    pub fn shared(text: Arc<str>) -> Self {
        Self { text, is_shared: true }
    }

    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    pub fn text(&self) -> &Arc<str> {
        &self.text
    }
}

impl<T: Into<Arc<str>>> From<T> for Prompt {
    fn from(text: T) -> Self {
        Self { text: text.into(), is_shared: false }
    }
}

impl Deref for Prompt {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Prompt {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Serialize for Prompt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Prompt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputSchema {
    pub name: String,
    pub schema: Value,
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// A JSON Schema of type object.
    pub input: Value,
}

impl ToolSpec {
    /// Leaves these parts of the input out, as if the tool did not know them.
    pub fn hide(&mut self, hidden: impl Fn(&str) -> bool) {
        if let Some(properties) = self.input.get_mut("properties").and_then(Value::as_object_mut) {
            properties.retain(|name, _| !hidden(name));
        }
        if let Some(required) = self.input.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| !name.as_str().is_some_and(&hidden));
        }
    }

    /// Whether the tool takes a part of that name.
    pub fn takes(&self, name: &str) -> bool {
        self.input.get("properties").is_some_and(|properties| properties.get(name).is_some())
    }
}

/// Whether the model may, must or must not call a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolUseMode {
    #[default]
    Free,
    Required,
    Forbidden,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    User,
    Assistant,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelMessage {
    pub role: Speaker,
    pub parts: Vec<ModelPart>,
}

impl ModelMessage {
    pub fn text(role: Speaker, text: impl Into<String>) -> Self {
        Self { role, parts: vec![ModelPart::Text { text: text.into() }] }
    }

    pub fn user(text: impl Into<String>) -> Self {
        Self::text(Speaker::User, text)
    }

    pub fn assistant(text: impl Into<String>) -> Self {
        Self::text(Speaker::Assistant, text)
    }
}

/// A piece of a message, in the order it was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ModelPart {
    Text {
        text: String,
    },
    /// An image in base64.
    Image {
        media_type: String,
        data: String,
    },
    /// A call of a tool that the model asks for.
    ToolCall {
        id: String,
        name: String,
        input: Value,
    },
    /// The tool's answer.
    ToolResult {
        id: String,
        content: String,
        is_error: bool,
    },
}

/// A whole answer. A stream that broke off gives none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    pub parts: Vec<ModelPart>,
    pub stop: StopReason,
    pub usage: Usage,
    /// The model that answered, as its provider names it.
    pub model: String,
}

impl ModelReply {
    /// All the text of the reply.
    pub fn text(&self) -> String {
        let text = |part: &ModelPart| match part {
            ModelPart::Text { text } => Some(text.clone()),
            _ => None,
        };
        self.parts.iter().filter_map(text).collect()
    }

    /// The tool calls of the reply, in order: id, name, input.
    pub fn calls(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        self.parts.iter().filter_map(|part| match part {
            ModelPart::ToolCall { id, name, input } => Some((id.as_str(), name.as_str(), input)),
            _ => None,
        })
    }
}

/// The reason why a model stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The answer is complete.
    End,
    /// The model waits for the results of its tool calls.
    ToolCalls,
    /// The answer was cut off and is not whole.
    MaxTokens,
    Refusal,
    /// Another reason, in the provider's words.
    Other(String),
}

/// The tokens by which a call is paid. `input` does not count tokens from a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    pub input: u32,
    pub output: u32,
    pub cache_read: u32,
    pub cache_write: u32,
}

impl Usage {
    pub fn total(self) -> u64 {
        [self.input, self.output, self.cache_read, self.cache_write]
            .into_iter()
            .map(u64::from)
            .sum()
    }
}

/// An event while a model answers.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelEvent {
    /// More text of the answer.
    Text(String),
    /// The model has begun to call a tool; the arguments come with the whole answer.
    ToolCall { name: String },
    /// The model is asked once more: the text so far is void.
    Again,
}

/// Billionths of a US dollar, so that the price of one token of the cheapest model is still whole.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Cost(pub i64);

impl Cost {
    pub fn from_usd(usd: f64) -> Self {
        Self((usd * 1e9).round() as i64)
    }

    pub fn usd(self) -> f64 {
        self.0 as f64 / 1e9
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// An attempt at a model call, as the ledger keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    /// The part of the agent that asked: `detector`, `orchestrator`, `writer`.
    pub component: String,
    pub provider: String,
    pub model: String,
    /// From 1, over all models of the fallback chain.
    pub attempt: u32,
    /// `answered`, or a stable word for the failure.
    pub outcome: String,
    pub usage: Usage,
    pub cost: Cost,
    pub ms: u32,
}

/// The limits on spending; a field that is `None` has no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    pub session_tokens: Option<u64>,
    pub turn: Option<Cost>,
    pub session: Option<Cost>,
    /// In any 24 hours.
    pub contact_day: Option<Cost>,
    /// In any 24 hours.
    pub workspace_day: Option<Cost>,
}

/// The spending before the turn under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spending {
    pub session_tokens: u64,
    pub session: Cost,
    /// In the last 24 hours.
    pub contact_day: Cost,
}
