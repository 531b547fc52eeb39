//! A handoff: the reason why the bot gives a conversation to a person, and its status.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ContactId, ConversationId, HandoffId, SessionId, Timestamp};

/// The cause of a handoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// Tools failed in a row.
    ConsecutiveErrors,
    NegativeSentiment,
    /// The customer wants to change an order that is already on its way.
    OrderAlreadyProcessed,
    CustomerRequest,
    NotUnderstood,
    /// The engine could not handle a message.
    Failure,
    /// The pack hands off for another reason.
    Rule,
}

impl Trigger {
    pub const ALL: [Self; 7] = [
        Self::ConsecutiveErrors,
        Self::NegativeSentiment,
        Self::OrderAlreadyProcessed,
        Self::CustomerRequest,
        Self::NotUnderstood,
        Self::Failure,
        Self::Rule,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::ConsecutiveErrors => "consecutive_errors",
            Self::NegativeSentiment => "negative_sentiment",
            Self::OrderAlreadyProcessed => "order_already_processed",
            Self::CustomerRequest => "customer_request",
            Self::NotUnderstood => "not_understood",
            Self::Failure => "failure",
            Self::Rule => "rule",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trigger| trigger.as_str() == text)
    }
}

/// An agent's words when it gives a conversation away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handoff {
    pub trigger: Trigger,
    /// The reason in words, for the person.
    pub reason: String,
    /// The customer's cart, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cart: Option<String>,
    /// The matter that the customer is waiting for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// The sentence for a customer who writes meanwhile, sent once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attending: Option<String>,
    /// The sentence for a customer whose conversation nobody has taken in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unattended: Option<Unattended>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unattended {
    pub after_ms: i64,
    pub text: String,
}

impl Handoff {
    pub fn new(trigger: Trigger, reason: impl Into<String>) -> Self {
        Self {
            trigger,
            reason: reason.into(),
            cart: None,
            issue: None,
            attending: None,
            unattended: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffStatus {
    /// Nobody has taken the conversation yet.
    Pending,
    Assigned,
    Resolved,
}

impl HandoffStatus {
    pub const ALL: [Self; 3] = [Self::Pending, Self::Assigned, Self::Resolved];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Assigned => "assigned",
            Self::Resolved => "resolved",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// A conversation that waits for a person, with everything the person should know.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HandoffRequest {
    pub id: HandoffId,
    pub conversation: ConversationId,
    pub session: SessionId,
    pub contact: ContactId,
    pub trigger: Trigger,
    pub reason: String,
    /// Mode, cart, last messages, customer, pending issue, as they were.
    pub context: Value,
    pub status: HandoffStatus,
    pub assigned_to: Option<String>,
    pub assigned_at: Option<Timestamp>,
    pub resolved_at: Option<Timestamp>,
    pub resolution: Option<String>,
    pub created_at: Timestamp,
}
