//! Events of a lane: a customer's message, a due timer, an operator's act.

use serde::{Deserialize, Serialize};

use crate::{Content, EventId, Identity, Timer, Timestamp};

/// An item of a webhook, normalised, before it is in the inbox.
#[derive(Clone, Debug, PartialEq)]
pub struct Inbound {
    /// Unique on its channel for ever: the key that makes a second copy change nothing.
    pub external_id: String,
    pub from: Identity,
    pub content: Content,
    /// The message that this one replaces, if the customer edited a sent message.
    pub edits: Option<String>,
    /// When the provider says it was sent; orders messages that arrive together.
    pub sent_at: Option<Timestamp>,
}

/// An operator's act, as the agent learns of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum OperatorEvent {
    /// The conversation was given back, with a note on the time in between. The operator's wishes
    /// beyond that, the mode to go on in and a text for the customer, are the agent's to follow or
    /// not.
    Returned {
        by: String,
        note: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

impl OperatorEvent {
    /// A line of the transcript, for people and models.
    pub fn in_words(&self) -> String {
        let Self::Returned { by, note, mode, message } = self;
        let part = |name: &str, text: &Option<String>| {
            text.as_ref().map(|text| format!("; {name}: {text}")).unwrap_or_default()
        };
        let (note, mode) = (part("note", note), part("mode", mode));
        format!("operator: returned by {by}{note}{mode}{}", part("message", message))
    }
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
    Operator(OperatorEvent),
    /// A due timer; boxed, because most events are messages.
    Timer(Box<Timer>),
}
