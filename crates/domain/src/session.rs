//! Sessions, their state, and the entries of a turn's audit trail.

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

/// What a session knows, kept lean: the history lives in its turns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionState {
    pub intents_vistos: Vec<SeenIntent>,
    pub templates_enviados: Vec<String>,
    pub datos_capturados: Map<String, Value>,
    pub pack_seleccionado: Option<String>,
    pub proactive_started_at: Option<Timestamp>,
    pub first_data_at: Option<Timestamp>,
    pub min_data_at: Option<Timestamp>,
    pub ofrecer_promos_at: Option<Timestamp>,
    /// What an agent must remember that is no datum of the customer's: attempts, a value proposed
    /// and not yet accepted.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub scratch: Map<String, Value>,
    /// The newest summary that was shown and asked about, and how it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Proposal>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeenIntent {
    pub intent: String,
    pub orden: u32,
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

/// One tool call as the audit trail keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    pub name: String,
    pub input: Value,
    pub ok: bool,
    pub output: Value,
}

/// One row of `agent_turns`; its number is given inside the commit.
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
