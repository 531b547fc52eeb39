//! Steps: the journaled calls out of a turn, each under a stable id.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{Timestamp, TurnId};

/// A step's stable id inside its turn: the tool, its input, and the occurrence of that call. The id
/// depends on the call alone, so a turn that is run again finds its recorded steps, even if fresh
/// state makes it take another way.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepKey(pub String);

impl StepKey {
    pub fn new(tool: &str, input: &Value, occurrence: u32) -> Self {
        Self::of(tool, &input.to_string(), occurrence)
    }

    /// The same for an input that is already serialised.
    pub fn of(tool: &str, input: &str, occurrence: u32) -> Self {
        let digest = Sha256::digest(input.as_bytes());
        // Half of the digest suffices: nobody can make two inputs agree on 128 bits.
        let digest =
            digest.iter().take(16).fold(0_u128, |half, byte| half << 8 | u128::from(*byte));
        Self(format!("{tool}#{occurrence}:{digest:032x}"))
    }

    /// The key that the same call had up to schema version 14. A turn that recorded a step under
    /// that key before its node was upgraded goes on under it, so that nothing is called twice.
    pub fn before_sha256(tool: &str, input: &str, occurrence: u32) -> Self {
        Self(format!("{tool}#{occurrence}:{:016x}", fnv1a(input.as_bytes())))
    }

    /// The key sent to a tool that takes one: the same for every attempt at this step.
    pub fn idempotency_key(&self, turn: TurnId) -> String {
        format!("{turn}/{}", self.0)
    }
}

impl fmt::Display for StepKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for StepKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// An effect on our own database, committed together with its step.
    Local,
    /// A call to the outside.
    Outside,
    /// A language model's answer, recorded with its cost.
    Model,
}

impl StepKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Outside => "outside",
            Self::Model => "model",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Local, Self::Outside, Self::Model].into_iter().find(|kind| kind.as_str() == text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepStatus {
    /// The intent is committed, the outcome is not yet known.
    Intended,
    Done,
    /// The tool said no; it did nothing.
    Failed,
    /// Nobody knows whether it acted: a reconcile item.
    Unknown,
}

impl StepStatus {
    pub const ALL: [Self; 4] = [Self::Intended, Self::Done, Self::Failed, Self::Unknown];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Intended => "intended",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    pub key: StepKey,
    pub tool: String,
    pub status: StepStatus,
    /// The tool's answer, or why it failed.
    pub output: Value,
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_step_key_tells_calls_apart_and_equal_calls_alike() {
        let key = |tool, input: Value, n| StepKey::new(tool, &input, n);
        let first = key("turno.tomar", json!({"a": 1}), 0);
        assert_eq!(first, key("turno.tomar", json!({"a": 1}), 0));
        assert_ne!(first, key("turno.tomar", json!({"a": 1}), 1));
        assert_ne!(first, key("turno.tomar", json!({"a": 2}), 0));
        assert_eq!(first.0, "turno.tomar#0:015abd7f5cc57a2dd94b7590f04ad808");
    }

    #[test]
    fn a_key_of_an_older_journal_is_what_it_was() {
        let key = StepKey::before_sha256("turno.tomar", "{\"a\":1}", 0);
        assert_eq!(key.0, "turno.tomar#0:9c3e82dd6fcae8b1");
    }
}
