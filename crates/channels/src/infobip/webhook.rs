//! Reads a webhook's body: messages, delivery reports and seen reports, each item on its own.

use domain::{DeliveryReport, DeliveryStatus, Identity, Inbound, OutboundId, Pii};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::content;
use super::fields::{self, Raw};
use super::status::Status;

/// Deeper nesting than any real payload; refused before the parser recurses into it.
const MAX_DEPTH: usize = 64;

/// What a body held, in its order. Repeats are kept: the inbox knows what it has already seen.
#[derive(Debug, Default, PartialEq)]
pub struct Parsed {
    pub messages: Vec<Inbound>,
    pub reports: Vec<DeliveryReport>,
    pub bad: Vec<BadItem>,
    /// Reports about messages we did not send.
    pub ignored: usize,
}

/// An item that could not be read. The reason names fields and never quotes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadItem {
    pub index: usize,
    pub reason: String,
}

/// The body as a whole is not a webhook's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotUnderstood {
    #[error("the body nests deeper than {MAX_DEPTH} levels")]
    TooDeep,
    #[error("the body is not the JSON of a webhook (line {line}, column {column})")]
    NotJson { line: usize, column: usize },
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    results: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    #[serde(borrow)]
    from: Raw<'a>,
    #[serde(borrow)]
    message_id: Raw<'a>,
    #[serde(borrow)]
    callback_data: Raw<'a>,
    #[serde(borrow)]
    received_at: Raw<'a>,
    #[serde(borrow)]
    message: Raw<'a>,
    #[serde(borrow)]
    contact: Raw<'a>,
    #[serde(borrow)]
    status: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
    #[serde(borrow)]
    seen_at: Raw<'a>,
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
}

pub fn parse(body: &[u8]) -> Result<Parsed, NotUnderstood> {
    if depth(body) > MAX_DEPTH {
        return Err(NotUnderstood::TooDeep);
    }
    let envelope: Envelope<'_> = serde_json::from_slice(body)
        .map_err(|error| NotUnderstood::NotJson { line: error.line(), column: error.column() })?;
    let mut parsed = Parsed::default();
    for (index, raw) in envelope.results.unwrap_or_default().into_iter().enumerate() {
        if let Err(reason) = take(raw, &mut parsed) {
            parsed.bad.push(BadItem { index, reason });
        }
    }
    Ok(parsed)
}

fn take(raw: &RawValue, parsed: &mut Parsed) -> Result<(), String> {
    let item: Item<'_> = fields::object(raw, "the item")?;
    if let Some(message) = item.message {
        parsed.messages.push(inbound(&item, message)?);
    } else if item.seen_at.is_some() || item.status.is_some() {
        match reference(&item) {
            Some(reference) => parsed.reports.push(report(&item, reference)?),
            None => parsed.ignored += 1,
        }
    } else {
        return Err("the item is neither a message nor a report".to_owned());
    }
    Ok(())
}

fn inbound(item: &Item<'_>, message: &RawValue) -> Result<Inbound, String> {
    let external_id = fields::id(item.message_id, "messageId")?;
    let from = fields::id(item.from, "from")?;
    // A business-scoped id may stand where the number was; only digits are a phone.
    let phone = from.bytes().all(|byte| byte.is_ascii_digit()).then(|| Pii::from(from.as_str()));
    Ok(Inbound {
        external_id,
        from: Identity { external_id: from.into(), name: name(item), phone },
        content: content(message)?,
        sent_at: fields::instant(item.received_at),
    })
}

/// The profile's name; an unreadable one is no reason to lose the message.
fn name(item: &Item<'_>) -> Option<Pii> {
    let contact: Named<'_> = fields::object(item.contact?, "contact").ok()?;
    let name = fields::string(contact.name, "contact.name").ok()??;
    let name = name.trim();
    (!name.is_empty()).then(|| name.into())
}

/// The id we gave the message when we sent it; other systems may share the account, and theirs
/// are not ours to track.
fn reference(item: &Item<'_>) -> Option<OutboundId> {
    [item.message_id, item.callback_data]
        .into_iter()
        .find_map(|raw| fields::id(raw, "reference").ok()?.parse().ok())
}

fn report(item: &Item<'_>, reference: OutboundId) -> Result<DeliveryReport, String> {
    let Some(raw) = item.status.filter(|_| item.seen_at.is_none()) else {
        return Ok(DeliveryReport { reference, status: DeliveryStatus::Read, error: None });
    };
    let status: Status<'_> = fields::object(raw, "status")?;
    let delivery = status.delivery().ok_or("status has a group unknown to us")?;
    let error = (delivery == DeliveryStatus::Failed).then(|| {
        let error = item.error.and_then(|raw| fields::object::<Status<'_>>(raw, "error").ok());
        error.filter(Status::is_error).unwrap_or(status).words()
    });
    Ok(DeliveryReport { reference, status: delivery, error })
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
