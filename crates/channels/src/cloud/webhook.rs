//! Reads a webhook's body: entries, their changes, and in each its messages, statuses and echoes.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::{self, Item, Known};
use super::status::{self, Told};
use crate::fields::{self, Raw};
use crate::webhook::{BadItem, NotUnderstood, Parsed, envelope};

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    entry: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    changes: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Change<'a> {
    #[serde(borrow)]
    field: Raw<'a>,
    #[serde(borrow)]
    value: Raw<'a>,
}

#[derive(Deserialize)]
struct Value<'a> {
    #[serde(borrow)]
    metadata: Raw<'a>,
    #[serde(borrow)]
    contacts: Raw<'a>,
    #[serde(borrow)]
    messages: Raw<'a>,
    #[serde(borrow)]
    statuses: Raw<'a>,
    #[serde(borrow)]
    message_echoes: Raw<'a>,
}

#[derive(Deserialize)]
struct Metadata<'a> {
    #[serde(borrow)]
    phone_number_id: Raw<'a>,
}

/// What a body says of one number; what it says of others is counted and left.
pub fn parse(body: &[u8], phone_number_id: &str) -> Result<Parsed, NotUnderstood> {
    let envelope: Envelope<'_> = envelope(body)?;
    let mut parsed = Parsed::default();
    for entry in envelope.entry.unwrap_or_default() {
        let changes = fields::object(entry, "entry").map(|entry: Entry<'_>| entry.changes);
        match changes {
            Ok(changes) => {
                for change in changes.unwrap_or_default() {
                    if let Err(reason) = take_change(change, phone_number_id, &mut parsed) {
                        parsed.bad.push(BadItem::new(change, reason));
                    }
                }
            }
            Err(reason) => parsed.bad.push(BadItem::new(entry, reason)),
        }
    }
    Ok(parsed)
}

fn take_change(raw: &RawValue, number: &str, parsed: &mut Parsed) -> Result<(), String> {
    let change: Change<'_> = fields::object(raw, "the change")?;
    let field = fields::required(change.field, "field")?;
    if !matches!(field.as_str(), "messages" | "smb_message_echoes") {
        parsed.ignored += 1;
        return Ok(());
    }
    let value: Value<'_> = fields::object(change.value.ok_or("value is missing")?, "value")?;
    let metadata = value.metadata.ok_or("metadata is missing")?;
    let metadata: Metadata<'_> = fields::object(metadata, "metadata")?;
    if fields::id(metadata.phone_number_id, "phone_number_id")? != number {
        parsed.ignored += 1;
        return Ok(());
    }
    let contacts = list(value.contacts, "contacts").unwrap_or_default();
    let known = message::known(&contacts);
    // Each list that can be read is, whatever is wrong with another.
    let taken = [
        each(value.messages, "messages", parsed, |raw, parsed| take_message(raw, &known, parsed)),
        each(value.statuses, "statuses", parsed, |raw, parsed| take_status(raw, &known, parsed)),
        each(value.message_echoes, "message_echoes", parsed, |raw, parsed| {
            take_echo(raw, &known, parsed)
        }),
    ];
    taken.into_iter().collect()
}

fn list<'a>(raw: Raw<'a>, name: &str) -> Result<Vec<&'a RawValue>, String> {
    let Some(raw) = raw else { return Ok(Vec::new()) };
    serde_json::from_str(raw.get()).map_err(|_| format!("{name} is not a list"))
}

fn each(
    raw: Raw<'_>,
    name: &str,
    parsed: &mut Parsed,
    take: impl Fn(&RawValue, &mut Parsed) -> Result<(), String>,
) -> Result<(), String> {
    for item in list(raw, name)? {
        if let Err(reason) = take(item, parsed) {
            parsed.bad.push(BadItem::new(item, reason));
        }
    }
    Ok(())
}

fn take_message(raw: &RawValue, known: &[Known], parsed: &mut Parsed) -> Result<(), String> {
    match message::item(raw, known)? {
        Item::Message(message) => {
            parsed.messages.push(*message);
            parsed.renamed.extend(message::renaming(raw, known));
        }
        Item::Deletes(id) => parsed.deleted.push(id),
    }
    Ok(())
}

fn take_status(raw: &RawValue, known: &[Known], parsed: &mut Parsed) -> Result<(), String> {
    match status::told(raw, known)? {
        Told::Report(report) => parsed.reports.push(report),
        Told::Payment(news) => parsed.messages.push(*news),
        Told::Deleted(id) => parsed.deleted.push(id),
        Told::Nothing => parsed.ignored += 1,
    }
    Ok(())
}

fn take_echo(raw: &RawValue, known: &[Known], parsed: &mut Parsed) -> Result<(), String> {
    match message::echo(raw, known)? {
        Some(echo) => parsed.echoes.push(echo),
        None => parsed.ignored += 1,
    }
    Ok(())
}
