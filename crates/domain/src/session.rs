//! Sessions, their state, and the entries of a turn's audit trail.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Confidence, OutboundId, Pii, Proposal, SessionId, Timestamp, TurnId, TurnTrace};

/// A session ends this long after the customer's last message; the next message opens another.
pub const SESSION_WINDOW_MS: i64 = 24 * 60 * 60 * 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    Active,
    Paused,
    Closed,
    HandedOff,
}

impl SessionStatus {
    pub const ALL: [Self; 4] = [Self::Active, Self::Paused, Self::Closed, Self::HandedOff];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Closed => "closed",
            Self::HandedOff => "handed_off",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Session {
    pub id: SessionId,
    pub agent: String,
    /// The content version of the agent it began with, and goes on with while others get a newer.
    pub agent_version: String,
    /// Raised by every commit; a turn commits only on the version it read.
    pub version: i64,
    pub status: SessionStatus,
    pub mode: String,
    pub created_at: Timestamp,
    pub last_activity_at: Timestamp,
    pub state: SessionState,
}

/// The state of a session, kept lean: the history lives in its turns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionState {
    /// Values by field; null is a field the customer goes without.
    pub data: Map<String, Value>,
    /// The templates sent, oldest first; one sent in another form is told as `name#form`.
    pub sent: Vec<String>,
    /// The intents of the customer's messages, oldest first.
    pub seen: Vec<SeenIntent>,
    /// The option taken of each choice, by the choice's name.
    pub choices: BTreeMap<String, String>,
    /// When something first happened, by the name the agent or its pack gives to it.
    pub milestones: BTreeMap<String, Timestamp>,
    /// The agent's own notes between turns, such as failed attempts or a value that waits for a
    /// yes. Only the agent that wrote them knows their shape; the store keeps them as they are.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub memory: Map<String, Value>,
    /// The newest summary that was shown and asked about, with its standing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Proposal>,
}

impl SessionState {
    /// Notes when something happened; a milestone already noted keeps its time.
    pub fn note(&mut self, milestone: &str, at: Timestamp) {
        if !self.milestones.contains_key(milestone) {
            self.milestones.insert(milestone.to_owned(), at);
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeenIntent {
    pub intent: String,
    /// The place among all intents of the session, from 1.
    pub order: u32,
    pub timestamp: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Assistant,
    System,
}

impl Role {
    pub const ALL: [Self; 3] = [Self::User, Self::Assistant, Self::System];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

/// A tool call as the audit trail keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    pub name: String,
    pub input: Value,
    pub ok: bool,
    pub output: Value,
}

/// A row of `agent_turns`; its number is given inside the commit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnEntry {
    pub turn: TurnId,
    pub role: Role,
    pub content: Pii,
    pub intent: Option<String>,
    pub confidence: Option<Confidence>,
    pub tools: Vec<ToolUse>,
    pub tokens_used: u32,
    /// On the turn's first entry, if its agent leaves one.
    pub trace: Option<TurnTrace>,
    /// The message that says it, where it is one.
    pub outbound: Option<OutboundId>,
}

impl TurnEntry {
    pub fn said(turn: TurnId, role: Role, content: impl Into<Pii>) -> Self {
        Self {
            turn,
            role,
            content: content.into(),
            intent: None,
            confidence: None,
            tools: Vec::new(),
            tokens_used: 0,
            trace: None,
            outbound: None,
        }
    }
}
