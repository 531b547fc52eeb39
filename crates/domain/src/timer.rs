//! Timers: rows that become events of their lane when they are due.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{TimerId, Timestamp};

/// The condition that must still hold when a timer fires, however late that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimerCondition {
    Always,
    /// The customer has written nothing since the timer was armed.
    Silence,
}

impl TimerCondition {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Silence => "silence",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Always, Self::Silence].into_iter().find(|condition| condition.as_str() == text)
    }
}

/// A turn's wish for a timer. Arming a key again replaces the timer armed under it.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmTimer {
    pub key: String,
    pub due_at: Timestamp,
    pub condition: TimerCondition,
    pub payload: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timer {
    pub id: TimerId,
    pub key: String,
    pub armed_at: Timestamp,
    pub due_at: Timestamp,
    pub condition: TimerCondition,
    pub payload: Value,
}

impl Timer {
    /// The reason why a due timer must be dropped instead of fired, given when the customer last
    /// wrote.
    pub fn stale(&self, last_customer_message_at: Option<Timestamp>) -> Option<&'static str> {
        let wrote_since = last_customer_message_at.is_some_and(|at| at > self.armed_at);
        (self.condition == TimerCondition::Silence && wrote_since)
            .then_some("the customer wrote after it was armed")
    }
}
