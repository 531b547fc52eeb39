//! Reads a webhook's body: entries, their changes, and in each its messages, statuses and echoes.

use domain::{Content, Identity, Inbound, Pii};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{choice, interactive, location, media, part, system, unknown};
use super::status::{self, Told};
use crate::cards::cards;
use crate::fields::{self, Raw};
use crate::goods::basket;
use crate::reading::{List, MOST_ITEMS, Reading};
use crate::webhook::{Echo, NotUnderstood, Parsed, Renaming, envelope, phone};

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    entry: Option<List<'a>>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    changes: Option<List<'a>>,
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

/// A message or an echo: its sender, id and time, and the parts of all types, of which a message has
/// the one under its type's name.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    from: Raw<'a>,
    #[serde(borrow)]
    from_user_id: Raw<'a>,
    #[serde(borrow)]
    to: Raw<'a>,
    #[serde(borrow)]
    to_user_id: Raw<'a>,
    #[serde(borrow)]
    timestamp: Raw<'a>,
    #[serde(borrow, rename = "type")]
    kind: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    image: Raw<'a>,
    #[serde(borrow)]
    audio: Raw<'a>,
    #[serde(borrow)]
    video: Raw<'a>,
    #[serde(borrow)]
    sticker: Raw<'a>,
    #[serde(borrow)]
    document: Raw<'a>,
    #[serde(borrow)]
    location: Raw<'a>,
    #[serde(borrow)]
    contacts: Raw<'a>,
    #[serde(borrow)]
    button: Raw<'a>,
    #[serde(borrow)]
    interactive: Raw<'a>,
    #[serde(borrow)]
    reaction: Raw<'a>,
    #[serde(borrow)]
    order: Raw<'a>,
    #[serde(borrow)]
    system: Raw<'a>,
    #[serde(borrow)]
    errors: Raw<'a>,
    #[serde(borrow)]
    revoke: Raw<'a>,
    #[serde(borrow)]
    edit: Raw<'a>,
}

/// WhatsApp's news of a customer who has another number or id now.
#[derive(Deserialize)]
struct System<'a> {
    #[serde(borrow, rename = "type")]
    kind: Raw<'a>,
    #[serde(borrow, alias = "new_wa_id")]
    wa_id: Raw<'a>,
    #[serde(borrow, alias = "new_user_id")]
    user_id: Raw<'a>,
}

#[derive(Deserialize)]
struct Contact<'a> {
    #[serde(borrow)]
    wa_id: Raw<'a>,
    #[serde(borrow)]
    user_id: Raw<'a>,
    #[serde(borrow)]
    profile: Raw<'a>,
}

#[derive(Deserialize)]
struct Profile<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
}

/// A contact that the webhook names beside its messages.
pub(super) struct Known {
    wa_id: Option<String>,
    user_id: Option<String>,
    name: Option<Pii>,
}

/// The content of a message, or its effect on an earlier one.
enum Body {
    Content(Content),
    /// An edit, which takes the place of the message with this id.
    Edits(String, Content),
    /// A deletion of the message with this id.
    Deletes(String),
}

/// Reads a body's items for one number; items for other numbers are counted and ignored.
pub fn parse(body: &[u8], phone_number_id: &str) -> Result<Parsed, NotUnderstood> {
    let envelope: Envelope<'_> = envelope(body)?;
    let mut reading = Reading::default();
    each(envelope.entry, |entry| {
        reading.group(entry, |entry, reading| {
            let entry: Entry<'_> = fields::object(entry, "entry")?;
            each(entry.changes, |change| {
                reading.group(change, |raw, reading| take_change(raw, phone_number_id, reading));
            });
            Ok(())
        });
    });
    Ok(reading.whole())
}

fn take_change(raw: &RawValue, number: &str, reading: &mut Reading) -> Result<(), String> {
    let change: Change<'_> = fields::object(raw, "the change")?;
    let field = fields::required(change.field, "field")?;
    if !matches!(field.as_str(), "messages" | "smb_message_echoes") {
        reading.ignore();
        return Ok(());
    }
    let value: Value<'_> = fields::object(change.value.ok_or("value is missing")?, "value")?;
    let metadata = value.metadata.ok_or("metadata is missing")?;
    let metadata: Metadata<'_> = fields::object(metadata, "metadata")?;
    if fields::id(metadata.phone_number_id, "phone_number_id")? != number {
        reading.ignore();
        return Ok(());
    }
    let known = known(List::of(value.contacts, "contacts").ok().flatten());
    let lists = [
        List::of(value.messages, "messages"),
        List::of(value.statuses, "statuses"),
        List::of(value.message_echoes, "message_echoes"),
    ];
    // Each list is read even if another one is faulty.
    for (list, take) in lists.iter().zip([take_message, take_status, take_echo]) {
        each(list.as_ref().ok().copied().flatten(), |raw| {
            reading
                .item(raw, |raw, parsed| take(raw, known.as_ref().map_err(Clone::clone)?, parsed));
        });
    }
    lists.into_iter().try_for_each(|list| list.map(drop))
}

fn each<'a>(list: Option<List<'a>>, take: impl FnMut(&'a RawValue)) {
    if let Some(list) = list {
        list.each(take);
    }
}

fn take_message(raw: &RawValue, known: &[Known], parsed: &mut Parsed) -> Result<(), String> {
    let message: Message<'_> = fields::object(raw, "the message")?;
    let (content, edits) = match message.body(raw)? {
        Body::Content(content) => (content, None),
        Body::Edits(original, content) => (content, Some(original)),
        Body::Deletes(id) => {
            parsed.deleted.push(id);
            return Ok(());
        }
    };
    let inbound = Inbound {
        external_id: fields::id(message.id, "id")?,
        from: message.sender(known)?,
        content,
        edits,
        sent_at: fields::seconds(message.timestamp),
    };
    parsed.take_message(raw, inbound)?;
    parsed.renamed.extend(message.renaming(known));
    Ok(())
}

fn take_status(raw: &RawValue, known: &[Known], parsed: &mut Parsed) -> Result<(), String> {
    match status::told(raw, known)? {
        Told::Report(report) => parsed.take_report(raw, report)?,
        Told::Payment(news) => parsed.take_message(raw, *news)?,
        Told::Deleted(id) => parsed.deleted.push(id),
        Told::Nothing => parsed.ignored += 1,
    }
    Ok(())
}

/// Reads an echo. An echo without words of its own, such as a deletion, is ignored.
fn take_echo(raw: &RawValue, known: &[Known], parsed: &mut Parsed) -> Result<(), String> {
    let message: Message<'_> = fields::object(raw, "the echo")?;
    let content = match message.body(raw)? {
        Body::Content(content) => content,
        Body::Edits(_, now) => Content::Edited { before: None, now: Box::new(now) },
        Body::Deletes(_) => {
            parsed.ignored += 1;
            return Ok(());
        }
    };
    let echo = Echo {
        external_id: fields::id(message.id, "id")?,
        to: identity(message.to, message.to_user_id, "to", known)?,
        text: content.in_words().into(),
        sent_at: fields::seconds(message.timestamp),
    };
    parsed.take_echo(raw, echo)
}

impl Message<'_> {
    fn sender(&self, known: &[Known]) -> Result<Identity, String> {
        identity(self.from, self.from_user_id, "from", known)
    }

    /// Reads what the message says. A type without its own part is an error. An unknown type is a
    /// notice, as is everything that nobody wrote: people read it on the record, and no agent answers it.
    fn body(&self, raw: &RawValue) -> Result<Body, String> {
        let kind = fields::required(self.kind, "type")?;
        let content = match kind.as_str() {
            "text" => Content::Text {
                text: fields::required(part(self.text, "text")?.body, "text.body")?.into(),
            },
            "image" => media(&kind, self.image)?,
            "audio" => media(&kind, self.audio)?,
            "video" => media(&kind, self.video)?,
            "sticker" => media(&kind, self.sticker)?,
            "document" => media(&kind, self.document)?,
            "location" => location(self.location)?,
            "contacts" => cards(self.contacts, "contacts")?,
            "button" => {
                let button = part(self.button, "button")?;
                choice(button.text, button.payload)?
            }
            "interactive" => interactive(self.interactive)?,
            "order" => basket(self.order, "order")?,
            "system" => system(self.system)?,
            "reaction" => {
                // A reaction without an emoji was taken back.
                let emoji =
                    fields::string(part(self.reaction, "reaction")?.emoji, "reaction.emoji")?;
                Content::Reaction { emoji: emoji.filter(|emoji| !emoji.is_empty()) }
            }
            "revoke" => {
                let original = part(self.revoke, "revoke")?.original_message_id;
                return fields::id(original, "revoke.original_message_id").map(Body::Deletes);
            }
            "edit" => {
                let edit = part(self.edit, "edit")?;
                let original = fields::id(edit.original_message_id, "edit.original_message_id")?;
                let raw = edit.message.ok_or("edit.message is missing")?;
                let message: Message<'_> = fields::object(raw, "the message")?;
                return match message.body(raw)? {
                    Body::Content(content) => Ok(Body::Edits(original, content)),
                    Body::Edits(..) | Body::Deletes(_) => {
                        Err("edit.message is no content".to_owned())
                    }
                };
            }
            // `unsupported` is among these, and any message with errors instead of content.
            _ => Content::Notice { detail: unknown(raw, &kind, self.errors), kind },
        };
        Ok(Body::Content(content))
    }

    /// The old and the new name of the sender, if the message reports a change of number or id.
    fn renaming(&self, known: &[Known]) -> Option<Renaming> {
        let system: System<'_> = fields::object(self.system?, "system").ok()?;
        let kind = fields::string(system.kind, "system.type").ok()??;
        if !["user_changed_number", "customer_changed_number", "user_changed_user_id"]
            .contains(&kind.as_str())
        {
            return None;
        }
        Some(Renaming {
            from: self.sender(known).ok()?,
            to: identity(system.wa_id, system.user_id, "system.wa_id", &[]).ok()?,
            at: fields::seconds(self.timestamp),
        })
    }
}

/// The contacts that can be read, because an odd contact is no reason to lose a message. Each message
/// looks for its sender among them all, so there may be no more of them than of messages.
fn known(contacts: Option<List<'_>>) -> Result<Vec<Known>, String> {
    let (mut known, mut count) = (Vec::new(), 0);
    each(contacts, |raw| {
        count += 1;
        let contact = fields::object(raw, "contact").ok().filter(|_| count <= MOST_ITEMS);
        known.extend(contact.map(|contact: Contact<'_>| Known {
            wa_id: fields::id(contact.wa_id, "wa_id").ok(),
            user_id: fields::id(contact.user_id, "user_id").ok(),
            name: name(contact.profile),
        }));
    });
    match count > MOST_ITEMS {
        true => Err(format!("contacts names more than {MOST_ITEMS} people")),
        false => Ok(known),
    }
}

fn name(profile: Raw<'_>) -> Option<Pii> {
    let profile: Profile<'_> = fields::object(profile?, "profile").ok()?;
    fields::name(profile.name)
}

/// The sender's identity: the id of the business's own if there is one, because a number may be
/// hidden or change hands. A number beside it is the other name of the same customer.
pub(super) fn identity(
    number: Raw<'_>,
    user_id: Raw<'_>,
    name: &str,
    known: &[Known],
) -> Result<Identity, String> {
    let number = number.map(|raw| fields::id(Some(raw), name)).transpose()?;
    let user_id = user_id.and_then(|raw| fields::id(Some(raw), "user_id").ok());
    let is = |contact: &&Known| {
        let same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
        same(&contact.wa_id, &number)
            || same(&contact.user_id, &user_id)
            || same(&contact.user_id, &number)
    };
    // The only contact of a delivery is its sender, however it is called.
    let contact = known.iter().find(is).or(match known {
        [only] if number.is_none() && user_id.is_none() => Some(only),
        _ => None,
    });
    let user_id = user_id.or_else(|| contact.and_then(|contact| contact.user_id.clone()));
    let number = number.or_else(|| contact.and_then(|contact| contact.wa_id.clone()));
    let number = number.filter(|number| Some(number) != user_id.as_ref());
    let (own, alias) = match (user_id, number) {
        (Some(user_id), number) => (user_id, number),
        (None, Some(number)) => (number, None),
        (None, None) => return Err(format!("{name} is missing")),
    };
    let phone = phone(alias.as_ref().unwrap_or(&own));
    let name = contact.and_then(|contact| contact.name.clone());
    Ok(Identity { alias: alias.map(Pii::new), name, phone, ..Identity::new(own) })
}
