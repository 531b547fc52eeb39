//! Reads a webhook's body: messages, delivery reports and seen reports, each item on its own.

use domain::{DeliveryReport, DeliveryStatus, Identity, Inbound, OutboundId, Pii, Reference};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::content;
use super::status::Status;
use crate::fields::{self, Raw};
use crate::reading::{List, Reading};
use crate::webhook::{NotUnderstood, Parsed, envelope, phone};

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    results: Option<List<'a>>,
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
    let envelope: Envelope<'_> = envelope(body)?;
    let mut reading = Reading::default();
    if let Some(results) = envelope.results {
        results.each(|raw| reading.item(raw, take));
    }
    Ok(reading.whole())
}

fn take(raw: &RawValue, parsed: &mut Parsed) -> Result<(), String> {
    let item: Item<'_> = fields::object(raw, "the item")?;
    if let Some(message) = item.message {
        parsed.take_message(raw, inbound(&item, message)?)?;
    } else if item.seen_at.is_some() || item.status.is_some() {
        match reference(&item) {
            Some(reference) => parsed.take_report(raw, report(&item, reference)?)?,
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
    let phone = phone(&from);
    Ok(Inbound {
        external_id,
        from: Identity { name: name(item), phone, ..Identity::new(from) },
        content: content(message)?,
        edits: None,
        sent_at: fields::instant(item.received_at),
    })
}

/// The profile's name; an unreadable one is no reason to lose the message.
fn name(item: &Item<'_>) -> Option<Pii> {
    let contact: Named<'_> = fields::object(item.contact?, "contact").ok()?;
    fields::name(contact.name)
}

/// The id we gave the message when we sent it. Other systems may share the account, and their
/// messages are not ours to track.
fn reference(item: &Item<'_>) -> Option<Reference> {
    let ours = |raw| fields::id(raw, "reference").ok()?.parse::<OutboundId>().ok();
    [item.message_id, item.callback_data].into_iter().find_map(ours).map(Reference::Ours)
}

fn report(item: &Item<'_>, reference: Reference) -> Result<DeliveryReport, String> {
    let Some(raw) = item.status.filter(|_| item.seen_at.is_none()) else {
        return Ok(DeliveryReport::new(reference, DeliveryStatus::Read));
    };
    let status: Status<'_> = fields::object(raw, "status")?;
    let delivery = status.delivery().ok_or("status has a group unknown to us")?;
    let mut report = DeliveryReport::new(reference, delivery);
    if delivery == DeliveryStatus::Failed {
        let error = item.error.and_then(|raw| fields::object::<Status<'_>>(raw, "error").ok());
        let cause = error.filter(Status::is_error).unwrap_or(status);
        report.window_closed = cause.is_no_session();
        report.error = Some(cause.words());
    }
    Ok(report)
}
