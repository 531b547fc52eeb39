//! A customer's message: the `message` object of each of Infobip's types as domain content.

use domain::{Content, Media, Pii};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::cards::cards;
use crate::entries::in_line;
use crate::fields::{self, Raw};
use crate::goods::{basket, form, payment};

/// The fields of all types together; each type uses its own.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, rename = "type")]
    kind: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    payload: Raw<'a>,
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    title: Raw<'a>,
    #[serde(borrow)]
    url: Raw<'a>,
    #[serde(borrow)]
    caption: Raw<'a>,
    #[serde(borrow)]
    latitude: Raw<'a>,
    #[serde(borrow)]
    longitude: Raw<'a>,
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    address: Raw<'a>,
    #[serde(borrow)]
    contacts: Raw<'a>,
    #[serde(borrow)]
    emoji: Raw<'a>,
    #[serde(borrow)]
    action: Raw<'a>,
    #[serde(borrow)]
    response: Raw<'a>,
}

/// Reads a message. A type without its own fields is an error. An unknown type is a notice, as is
/// everything that nobody wrote: people read it on the record, and no agent answers it.
pub(super) fn content(raw: &RawValue) -> Result<Content, String> {
    let message: Message<'_> = fields::object(raw, "message")?;
    let kind = fields::required(message.kind, "message.type")?;
    Ok(match kind.as_str() {
        "TEXT" => Content::Text { text: fields::required(message.text, "message.text")?.into() },
        "BUTTON" => choice(message.text, message.payload)?,
        "INTERACTIVE_BUTTON_REPLY" | "INTERACTIVE_LIST_REPLY" => choice(message.title, message.id)?,
        "AUDIO" | "DOCUMENT" | "IMAGE" | "STICKER" | "VIDEO" | "VOICE" => Content::Media(Media {
            kind: kind.to_ascii_lowercase(),
            url: Some(fields::required(message.url, "message.url")?.into()),
            caption: fields::string(message.caption, "message.caption")?.map(Pii::new),
            ..Media::default()
        }),
        "LOCATION" => Content::Location {
            latitude: fields::number(message.latitude, "message.latitude")?,
            longitude: fields::number(message.longitude, "message.longitude")?,
            label: label(&message)?,
            url: fields::string(message.url, "message.url").ok().flatten().map(Pii::new),
        },
        "CONTACT" => cards(message.contacts, "message.contacts")?,
        "REACTION" => Content::Reaction { emoji: emoji(&message)? },
        "ORDER" => basket(Some(raw), "message")?,
        "INTERACTIVE_FLOW_REPLY" => form(None, message.response),
        "INTERACTIVE_PAYMENT_CONFIRMATION" => {
            Content::Payment(payment(Some(raw), None, "message")?)
        }
        _ => Content::Notice {
            kind: kind.to_ascii_lowercase(),
            detail: in_line(raw.get(), &["type", "context.from", "context.id"]),
        },
    })
}

/// The tapped choice: its label, and the payload behind it. Either may be missing, but not both.
fn choice(label: Raw<'_>, payload: Raw<'_>) -> Result<Content, String> {
    let label = fields::string(label, "the choice's label")?;
    let payload = fields::string(payload, "the choice's payload")?;
    let text =
        label.or_else(|| payload.clone()).ok_or("the choice has neither label nor payload")?;
    Ok(Content::Choice { text: text.into(), payload })
}

fn label(message: &Message<'_>) -> Result<Option<Pii>, String> {
    let name = fields::string(message.name, "message.name")?;
    let address = fields::string(message.address, "message.address")?;
    let parts: Vec<_> =
        [name, address].into_iter().flatten().filter(|part| !part.is_empty()).collect();
    Ok((!parts.is_empty()).then(|| parts.join(", ").into()))
}

/// The emoji of a reaction; `None` if the reaction was taken back.
fn emoji(message: &Message<'_>) -> Result<Option<String>, String> {
    let taken_back =
        fields::string(message.action, "message.action")?.as_deref() == Some("UNREACT");
    let emoji = fields::string(message.emoji, "message.emoji")?;
    Ok(emoji.filter(|emoji| !taken_back && !emoji.is_empty()))
}
