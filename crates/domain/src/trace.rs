//! The reasons of a turn: its understanding and its acts, kept beside its lines.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Confidence;

/// The trace of a turn. Every part may be missing: an agent fills in the parts it knows, and only
/// those are stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TurnTrace {
    /// The nodes passed, in order.
    #[serde(skip_serializing_if = "is_empty")]
    pub path: Vec<PathStep>,
    /// The possible intents of the message, likeliest first.
    #[serde(skip_serializing_if = "is_empty")]
    pub intents: Vec<(String, Confidence)>,
    /// The band of confidence the best intent fell into, by the pack's name for it.
    #[serde(skip_serializing_if = "is_empty")]
    pub band: Option<String>,
    /// The tier that understood the message.
    #[serde(skip_serializing_if = "is_empty")]
    pub tier: Option<Tier>,
    /// The rules that fired, as `escalation: hablar con * persona`.
    #[serde(skip_serializing_if = "is_empty")]
    pub rules: Vec<String>,
    /// The templates the replies were made from.
    #[serde(skip_serializing_if = "is_empty")]
    pub templates: Vec<String>,
    /// The fields this turn captured or changed.
    #[serde(skip_serializing_if = "is_empty")]
    pub fields: Map<String, Value>,
    #[serde(skip_serializing_if = "is_empty")]
    pub thread: Option<String>,
    #[serde(skip_serializing_if = "is_empty")]
    pub signals: Option<Value>,
    /// Further notes for a reader, in words.
    #[serde(skip_serializing_if = "is_empty")]
    pub notes: Vec<String>,
    /// The reason why a person was asked to take over, if one was.
    #[serde(skip_serializing_if = "is_empty")]
    pub handoff: Option<String>,
    /// Moves that were asked for and refused, as `go compra_confirmada`.
    #[serde(skip_serializing_if = "is_empty")]
    pub refused: Vec<String>,
    /// The models that were asked, in order.
    #[serde(skip_serializing_if = "is_empty")]
    pub asked: Vec<AskedModel>,
    #[serde(skip_serializing_if = "is_empty")]
    pub tokens: Tokens,
    /// How long the agent ran; the engine measures it.
    #[serde(skip_serializing_if = "is_empty")]
    pub ms: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathStep {
    pub node: String,
    /// Microseconds spent in the node.
    pub us: u32,
}

/// The tiers of understanding, cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    Rules,
    /// The classifier trained from the pack's examples.
    Local,
    Model,
}

/// A question to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedModel {
    /// The part of the agent that asked.
    pub component: String,
    /// The model that answered; empty if none did.
    pub model: String,
    /// `answered`, or the reason why not.
    pub outcome: String,
    pub tokens: Tokens,
}

/// The tokens that a model was paid for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tokens {
    pub input: u32,
    pub output: u32,
}

impl Tokens {
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
        }
    }
}

fn is_empty<T: Default + PartialEq>(part: &T) -> bool {
    *part == T::default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_a_turn_knows_is_written_and_the_rest_reads_as_unknown() {
        assert_eq!(serde_json::to_value(TurnTrace::default()).unwrap(), json!({}));
        let trace = TurnTrace {
            path: vec![PathStep { node: "extraer".into(), us: 40 }],
            intents: vec![("saludo".into(), Confidence::CERTAIN)],
            tier: Some(Tier::Rules),
            ms: 0.25,
            ..TurnTrace::default()
        };
        let written = json!({
            "path": [{ "node": "extraer", "us": 40 }], "intents": [["saludo", 1.0]],
            "tier": "rules", "ms": 0.25,
        });
        assert_eq!(serde_json::to_value(&trace).unwrap(), written);
        assert_eq!(serde_json::from_value::<TurnTrace>(written).unwrap(), trace);
    }
}
