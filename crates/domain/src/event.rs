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
    Contacts { people: Vec<Card> },
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

    /// What the record shows of it: its words, or in brackets what it was.
    pub fn in_words(&self) -> String {
        if let Some(words) = self.words() {
            return words.to_owned();
        }
        let (kind, detail) = match self {
            Self::Text { .. } | Self::Choice { .. } => return String::new(),
            Self::Media(Media { kind, .. }) | Self::Other { kind } => (kind.as_str(), None),
            Self::Location { latitude, longitude, label } => {
                let label = label.as_ref().map(|label| format!(" {}", label.reveal()));
                ("location", Some(format!("{latitude},{longitude}{}", label.unwrap_or_default())))
            }
            Self::Contacts { people } => {
                let people: Vec<_> = people.iter().map(Card::in_words).collect();
                ("contacts", Some(people.join("; ")))
            }
            Self::Reaction { emoji } => {
                ("reaction", Some(emoji.clone().unwrap_or_else(|| "removed".to_owned())))
            }
        };
        match detail.filter(|detail| !detail.is_empty()) {
            Some(detail) => format!("[{kind} {detail}]"),
            None => format!("[{kind}]"),
        }
    }
}

/// Somebody whom a customer passes on from their address book.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Card {
    pub name: Option<Pii>,
    pub phones: Vec<Pii>,
}

impl Card {
    fn in_words(&self) -> String {
        let parts = self.name.iter().chain(&self.phones);
        parts.map(|part| part.reveal().as_str()).collect::<Vec<_>>().join(" ")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_comes_has_words_on_the_record() {
        let photo = |caption: Option<&str>| {
            let (kind, caption) = ("image".to_owned(), caption.map(Pii::from));
            Content::Media(Media { kind, caption, ..Media::default() })
        };
        let place = |label: Option<&str>| {
            let label = label.map(Pii::from);
            Content::Location { latitude: -34.6, longitude: -58.4, label }
        };
        let cards = [
            Card { name: Some("Luis Paz".into()), phones: vec!["+57 1".into(), "+57 2".into()] },
            Card { name: None, phones: vec!["+57 3".into()] },
        ];
        for (content, words) in [
            (Content::text("hola"), "hola"),
            (Content::Choice { text: "Sí".into(), payload: None }, "Sí"),
            (photo(None), "[image]"),
            (photo(Some("mi casa")), "mi casa"),
            (place(None), "[location -34.6,-58.4]"),
            (place(Some("Casa, Mitre 450")), "[location -34.6,-58.4 Casa, Mitre 450]"),
            (
                Content::Contacts { people: cards.to_vec() },
                "[contacts Luis Paz +57 1 +57 2; +57 3]",
            ),
            (Content::Contacts { people: Vec::new() }, "[contacts]"),
            (Content::Reaction { emoji: Some("❤️".to_owned()) }, "[reaction ❤️]"),
            (Content::Reaction { emoji: None }, "[reaction removed]"),
            (Content::Other { kind: "poll".to_owned() }, "[poll]"),
        ] {
            assert_eq!(content.in_words(), words);
        }
    }
}
