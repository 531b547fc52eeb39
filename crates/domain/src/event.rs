//! What can happen in a lane: a customer's message, a due timer, an operator's act.

use serde::{Deserialize, Serialize};

use crate::{EventId, Identity, Pii, Timer, Timestamp};

/// What a customer sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    Text { text: Pii },
    Choice { text: Pii, payload: Option<String> },
    Media(Media),
    Location { latitude: f64, longitude: f64, label: Option<Pii> },
    Reaction { emoji: Option<String> },
    Other { kind: String },
}

impl Content {
    pub fn text(text: impl Into<Pii>) -> Self {
        Self::Text { text: text.into() }
    }

    /// The words in it, if it has any.
    pub fn words(&self) -> Option<&str> {
        match self {
            Self::Text { text } | Self::Choice { text, .. } => Some(text.reveal()),
            Self::Media(Media { caption: Some(caption), .. }) => Some(caption.reveal()),
            _ => None,
        }
    }
}

/// A file a customer sent: what is known of it before anybody has fetched it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Media {
    /// `image`, `audio`, `voice`, `video`, `sticker` or `document`.
    pub kind: String,
    /// What the provider gives the file out for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Where the file is, if the provider says so at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Pii>,
    pub caption: Option<Pii>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// SHA-256 of the file, in Base64 as the provider writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<Pii>,
}

/// One normalised item of a webhook, before it is in the inbox.
#[derive(Clone, Debug, PartialEq)]
pub struct Inbound {
    /// Unique on its channel for ever: the key that makes a second copy change nothing.
    pub external_id: String,
    pub from: Identity,
    pub content: Content,
    /// When the provider says it was sent; orders messages that arrive together.
    pub sent_at: Option<Timestamp>,
}

/// An operator's act, as the agent learns of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Statement {
    /// The conversation was given back, with a note on what happened meanwhile. What the operator
    /// wishes beyond that, the mode to go on in and a text for the customer, is the agent's to
    /// follow or not.
    Returned {
        by: String,
        note: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub id: EventId,
    pub at: Timestamp,
    pub kind: EventKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    Message(Content),
    Operator(Statement),
    /// A due timer; boxed, since most events are messages.
    Timer(Box<Timer>),
}
