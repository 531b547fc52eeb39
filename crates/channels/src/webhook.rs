//! The content of a webhook's body, of any provider, each item on its own.

use domain::{DeliveryReport, Identity, Inbound, Pii, Timestamp};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::reading::is_too_deep;

/// Longer than any message that a provider takes from a customer.
pub(crate) const LONGEST: usize = 128 * 1024;

/// The content of a body, in its order. Repeats are kept, because the inbox knows its earlier
/// items.
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
    /// The number of items that are not ours to act on: reports on messages we did not send, other
    /// numbers' events.
    pub ignored: usize,
}

impl Parsed {
    /// Takes a message, unless it is too long. Escapes make an item up to six times as long as what it
    /// says, so a long item is judged by its content.
    pub(crate) fn take_message(&mut self, raw: &RawValue, message: Inbound) -> Result<(), String> {
        let is_long = |length: usize| length > LONGEST;
        let content = || serde_json::to_vec(&message.content).map_or(0, |json| json.len());
        if is_long(raw.get().len()) && is_long(content()) {
            return Err(format!("longer than {} kB, which no customer writes", LONGEST / 1024));
        }
        self.messages.push(message);
        Ok(())
    }

    pub(crate) fn take_report(
        &mut self,
        raw: &RawValue,
        report: DeliveryReport,
    ) -> Result<(), String> {
        is_short(raw)?;
        self.reports.push(report);
        Ok(())
    }

    pub(crate) fn take_echo(&mut self, raw: &RawValue, echo: Echo) -> Result<(), String> {
        is_short(raw)?;
        self.echoes.push(echo);
        Ok(())
    }
}

impl From<Vec<Inbound>> for Parsed {
    fn from(messages: Vec<Inbound>) -> Self {
        Self { messages, ..Self::default() }
    }
}

impl From<Vec<DeliveryReport>> for Parsed {
    fn from(reports: Vec<DeliveryReport>) -> Self {
        Self { reports, ..Self::default() }
    }
}

/// A customer whom the provider calls otherwise from now on.
#[derive(Clone, Debug, PartialEq)]
pub struct Renaming {
    pub from: Identity,
    pub to: Identity,
    pub at: Option<Timestamp>,
}

/// A message that the business wrote from its own phone, past us.
#[derive(Clone, Debug, PartialEq)]
pub struct Echo {
    pub external_id: String,
    /// The customer that the message went to.
    pub to: Identity,
    pub text: Pii,
    pub sent_at: Option<Timestamp>,
}

/// An item that could not be read, as it came; of one that is too long, its beginning. The reason names fields and never quotes them.
#[derive(Clone, Debug, PartialEq)]
pub struct BadItem {
    pub raw: Value,
    pub reason: String,
}

impl BadItem {
    pub(crate) fn new(raw: &RawValue, reason: String) -> Self {
        let text = raw.get();
        if text.len() > LONGEST {
            let begins = &text[..text.floor_char_boundary(LONGEST)];
            return Self { raw: json!({ "begins": begins, "bytes": text.len() }), reason };
        }
        // A text that no JSON value can hold, such as half a surrogate, is kept as text, and so is one
        // that nests deeper than its readers go.
        let kept = || Value::String(domain::storable(text));
        let value = (!is_too_deep(text)).then(|| serde_json::from_str(text).ok()).flatten();
        Self { raw: value.unwrap_or_else(kept), reason }
    }
}

/// Refuses what is longer than any item of its kind, however it was escaped.
fn is_short(raw: &RawValue) -> Result<(), String> {
    match raw.get().len() > LONGEST {
        true => Err(format!("longer than {} kB, which no provider sends", LONGEST / 1024)),
        false => Ok(()),
    }
}

/// The reason why the body as a whole is not a webhook's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotUnderstood {
    #[error("the body is not the JSON of a webhook (line {line}, column {column})")]
    NotJson { line: usize, column: usize },
}

/// Reads the outermost object of a body.
pub(crate) fn envelope<'a, T: serde::Deserialize<'a>>(body: &'a [u8]) -> Result<T, NotUnderstood> {
    serde_json::from_slice(body)
        .map_err(|error| NotUnderstood::NotJson { line: error.line(), column: error.column() })
}

/// A phone number, if the id is one: a provider may put an opaque id in the number's place.
pub(crate) fn phone(id: &str) -> Option<Pii> {
    (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())).then(|| id.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str) -> Box<RawValue> {
        RawValue::from_string(format!("\"{text}\"")).unwrap()
    }

    #[test]
    fn of_what_is_too_long_a_person_gets_the_beginning() {
        let kept = |text: &str| BadItem::new(&item(text), String::new()).raw;
        assert_eq!(kept("a"), json!("a"));
        let long = kept(&"ñ".repeat(LONGEST));
        assert_eq!(long["bytes"], 2 * LONGEST + 2);
        let begins = long["begins"].as_str().unwrap();
        assert!(begins.len() <= LONGEST && begins.ends_with('ñ'), "no letter is cut in two");
    }

    #[test]
    fn a_message_is_as_long_as_what_it_says_however_it_was_escaped() {
        for (raw, said, taken) in [
            ("a".repeat(LONGEST + 1), "a".repeat(LONGEST + 1), false),
            ("\\u00f1".repeat(LONGEST / 4), "ñ".repeat(LONGEST / 4), true),
        ] {
            let message = Inbound {
                external_id: "wamid.1".to_owned(),
                from: Identity::new("ana"),
                content: domain::Content::Text { text: said.into() },
                edits: None,
                sent_at: None,
            };
            let mut parsed = Parsed::default();
            assert_eq!(parsed.take_message(&item(&raw), message).is_ok(), taken);
            assert_eq!(parsed.messages.len(), usize::from(taken));
        }
    }
}
