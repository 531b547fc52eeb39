//! What can happen in a lane: a customer's message, a due timer, an operator's act.

use serde::{Deserialize, Serialize};

use crate::{Content, EventId, Identity, Timer, Timestamp};

/// One normalised item of a webhook, before it is in the inbox.
#[derive(Clone, Debug, PartialEq)]
pub struct Inbound {
    /// Unique on its channel for ever: the key that makes a second copy change nothing.
    pub external_id: String,
    pub from: Identity,
    pub content: Content,
    /// The message that this one takes the place of, if the customer changed what was sent.
    pub edits: Option<String>,
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
