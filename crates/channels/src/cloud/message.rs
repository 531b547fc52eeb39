//! One message of a webhook: who wrote it, which one it is, and when.

use domain::{Content, Identity, Inbound, Pii, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{self, Body};
use crate::fields::{self, Raw};
use crate::webhook::{Echo, Renaming, phone};

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
    #[serde(borrow)]
    system: Raw<'a>,
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

/// Somebody the webhook tells of beside its messages.
pub(super) struct Known {
    wa_id: Option<String>,
    user_id: Option<String>,
    name: Option<Pii>,
}

/// What a message comes to.
pub(super) enum Item {
    Message(Box<Inbound>),
    /// Takes back the message with this id.
    Deletes(String),
}

/// Those who can be read: an odd contact is no reason to lose a message.
pub(super) fn known(contacts: &[&RawValue]) -> Vec<Known> {
    let read = |raw: &&RawValue| {
        let contact: Contact<'_> = fields::object(raw, "contact").ok()?;
        Some(Known {
            wa_id: fields::id(contact.wa_id, "wa_id").ok(),
            user_id: fields::id(contact.user_id, "user_id").ok(),
            name: name(contact.profile),
        })
    };
    contacts.iter().filter_map(read).collect()
}

fn name(profile: Raw<'_>) -> Option<Pii> {
    let profile: Profile<'_> = fields::object(profile?, "profile").ok()?;
    fields::name(profile.name)
}

pub(super) fn item(raw: &RawValue, known: &[Known]) -> Result<Item, String> {
    let message: Message<'_> = fields::object(raw, "the message")?;
    let (content, edits) = match content::body(raw)? {
        Body::Content(content) => (content, None),
        Body::Edits(original, content) => (content, Some(original)),
        Body::Deletes(id) => return Ok(Item::Deletes(id)),
    };
    Ok(Item::Message(Box::new(Inbound {
        external_id: fields::id(message.id, "id")?,
        from: identity(message.from, message.from_user_id, "from", known)?,
        content,
        edits,
        sent_at: fields::seconds(message.timestamp),
    })))
}

/// Whom a message says to have changed their number or id, if it says that of its sender.
pub(super) fn renaming(raw: &RawValue, known: &[Known]) -> Option<Renaming> {
    let message: Message<'_> = fields::object(raw, "the message").ok()?;
    let system: System<'_> = fields::object(message.system?, "system").ok()?;
    let kind = fields::string(system.kind, "system.type").ok()??;
    if !["user_changed_number", "customer_changed_number", "user_changed_user_id"]
        .contains(&kind.as_str())
    {
        return None;
    }
    Some(Renaming {
        from: identity(message.from, message.from_user_id, "from", known).ok()?,
        to: identity(system.wa_id, system.user_id, "system.wa_id", &[]).ok()?,
        at: fields::seconds(message.timestamp),
    })
}

/// None for an echo without words of its own, such as a deletion.
pub(super) fn echo(raw: &RawValue, known: &[Known]) -> Result<Option<Echo>, String> {
    let message: Message<'_> = fields::object(raw, "the echo")?;
    let content = match content::body(raw)? {
        Body::Content(content) => content,
        Body::Edits(_, now) => Content::Edited { before: None, now: Box::new(now) },
        Body::Deletes(_) => return Ok(None),
    };
    let sent_at: Option<Timestamp> = fields::seconds(message.timestamp);
    Ok(Some(Echo {
        external_id: fields::id(message.id, "id")?,
        to: identity(message.to, message.to_user_id, "to", known)?,
        text: content.in_words().into(),
        sent_at,
    }))
}

/// Who it is: the id that is the business's own where there is one, since a number may be hidden or
/// change hands; a number beside it is the other name of the same customer.
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
