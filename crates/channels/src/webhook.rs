//! What a webhook's body held, whichever provider sent it, each item on its own.

use domain::{DeliveryReport, Identity, Inbound, Pii, Timestamp};
use serde_json::Value;
use serde_json::value::RawValue;

/// Deeper nesting than any real payload; refused before the parser recurses into it.
pub(crate) const MAX_DEPTH: usize = 64;

/// What a body held, in its order. Repeats are kept: the inbox knows what it has already seen.
#[derive(Debug, Default, PartialEq)]
pub struct Parsed {
    pub messages: Vec<Inbound>,
    pub reports: Vec<DeliveryReport>,
    pub echoes: Vec<Echo>,
    /// Customers who go by other names now, by the provider's word.
    pub renamed: Vec<Renaming>,
    /// Ids of messages that were deleted where they were written.
    pub deleted: Vec<String>,
    pub bad: Vec<BadItem>,
    /// What is not ours to act on: reports about messages we did not send, other numbers' events.
    pub ignored: usize,
}

/// A customer whom the provider calls otherwise from now on.
#[derive(Clone, Debug, PartialEq)]
pub struct Renaming {
    pub from: Identity,
    pub to: Identity,
    pub at: Option<Timestamp>,
}

/// What the business wrote from its own phone, past us.
#[derive(Clone, Debug, PartialEq)]
pub struct Echo {
    pub external_id: String,
    /// The customer it went to.
    pub to: Identity,
    pub text: Pii,
    pub sent_at: Option<Timestamp>,
}

/// An item that could not be read, as it came. The reason names fields and never quotes them.
#[derive(Clone, Debug, PartialEq)]
pub struct BadItem {
    pub raw: Value,
    pub reason: String,
}

impl BadItem {
    pub(crate) fn new(raw: &RawValue, reason: String) -> Self {
        // What no JSON value can hold, such as half a surrogate, is kept as the text it is.
        let text = || Value::String(domain::storable(raw.get()));
        Self { raw: serde_json::from_str(raw.get()).unwrap_or_else(|_| text()), reason }
    }
}

/// The body as a whole is not a webhook's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotUnderstood {
    #[error("the body nests deeper than {MAX_DEPTH} levels")]
    TooDeep,
    #[error("the body is not the JSON of a webhook (line {line}, column {column})")]
    NotJson { line: usize, column: usize },
}

/// Reads the outermost object of a body.
pub(crate) fn envelope<'a, T: serde::Deserialize<'a>>(body: &'a [u8]) -> Result<T, NotUnderstood> {
    if depth(body) > MAX_DEPTH {
        return Err(NotUnderstood::TooDeep);
    }
    serde_json::from_slice(body)
        .map_err(|error| NotUnderstood::NotJson { line: error.line(), column: error.column() })
}

/// A phone number, if an id is one: a provider may put an opaque id where the number was.
pub(crate) fn phone(id: &str) -> Option<Pii> {
    (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())).then(|| id.into())
}

/// How deep brackets nest outside strings; exact for JSON, harmless for anything else.
fn depth(body: &[u8]) -> usize {
    let (mut now, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                now += 1;
                deepest = deepest.max(now);
            }
            b']' | b'}' => now = now.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
