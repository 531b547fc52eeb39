//! What a customer sent: each of the Cloud API's message types as domain content.

use domain::{Content, Media, Pii, storable};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::cards::cards;
use crate::entries::in_line;
use crate::fields::{self, Raw};
use crate::goods::{basket, form};

/// The parts of all types together; each type has its own, under its name.
#[derive(Deserialize)]
struct Message<'a> {
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

/// The fields of all parts together.
#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, rename = "type")]
    kind: Raw<'a>,
    #[serde(borrow)]
    body: Raw<'a>,
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    url: Raw<'a>,
    #[serde(borrow)]
    mime_type: Raw<'a>,
    #[serde(borrow)]
    sha256: Raw<'a>,
    #[serde(borrow)]
    caption: Raw<'a>,
    #[serde(borrow)]
    filename: Raw<'a>,
    #[serde(borrow)]
    voice: Raw<'a>,
    #[serde(borrow)]
    latitude: Raw<'a>,
    #[serde(borrow)]
    longitude: Raw<'a>,
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    address: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    payload: Raw<'a>,
    #[serde(borrow)]
    title: Raw<'a>,
    #[serde(borrow)]
    button_reply: Raw<'a>,
    #[serde(borrow)]
    list_reply: Raw<'a>,
    #[serde(borrow)]
    nfm_reply: Raw<'a>,
    #[serde(borrow)]
    response_json: Raw<'a>,
    #[serde(borrow)]
    call_permission_reply: Raw<'a>,
    #[serde(borrow)]
    emoji: Raw<'a>,
    #[serde(borrow)]
    original_message_id: Raw<'a>,
    #[serde(borrow)]
    message: Raw<'a>,
}

pub(super) enum Body {
    Content(Content),
    /// Takes the place of the message with this id.
    Edits(String, Content),
    /// Takes back the message with this id.
    Deletes(String),
}

/// A type that lacks what makes it that type is an error. A type unknown to us is a notice, as is
/// all that nobody wrote: people read it on the record, and no agent answers it.
pub(super) fn body(raw: &RawValue) -> Result<Body, String> {
    let message: Message<'_> = fields::object(raw, "the message")?;
    let kind = fields::required(message.kind, "type")?;
    let content = match kind.as_str() {
        "text" => Content::Text {
            text: fields::required(part(message.text, "text")?.body, "text.body")?.into(),
        },
        "image" => media(&kind, message.image)?,
        "audio" => media(&kind, message.audio)?,
        "video" => media(&kind, message.video)?,
        "sticker" => media(&kind, message.sticker)?,
        "document" => media(&kind, message.document)?,
        "location" => location(message.location)?,
        "contacts" => cards(message.contacts, "contacts")?,
        "button" => {
            let button = part(message.button, "button")?;
            choice(button.text, button.payload)?
        }
        "interactive" => interactive(message.interactive)?,
        "order" => basket(message.order, "order")?,
        "system" => system(message.system)?,
        "reaction" => {
            // Without an emoji it was taken back.
            let emoji =
                fields::string(part(message.reaction, "reaction")?.emoji, "reaction.emoji")?;
            Content::Reaction { emoji: emoji.filter(|emoji| !emoji.is_empty()) }
        }
        "revoke" => {
            let original = part(message.revoke, "revoke")?.original_message_id;
            return fields::id(original, "revoke.original_message_id").map(Body::Deletes);
        }
        "edit" => {
            let edit = part(message.edit, "edit")?;
            let original = fields::id(edit.original_message_id, "edit.original_message_id")?;
            return match body(edit.message.ok_or("edit.message is missing")?)? {
                Body::Content(content) => Ok(Body::Edits(original, content)),
                Body::Edits(..) | Body::Deletes(_) => Err("edit.message is no content".to_owned()),
            };
        }
        // `unsupported`, and whatever carries errors instead of content, among them.
        _ => Content::Notice { detail: unknown(raw, &kind, message.errors), kind },
    };
    Ok(Body::Content(content))
}

/// The words of a message of a type unknown to us, or else why it has none.
fn unknown(raw: &RawValue, kind: &str, errors: Raw<'_>) -> Option<Pii> {
    let parts: serde_json::Value = serde_json::from_str(raw.get()).ok()?;
    let said = parts.get(kind).and_then(|part| in_line(&part.to_string(), &[]));
    said.or_else(|| errors.map(|raw| storable(&super::errors::first(Some(raw)).told()).into()))
}

/// WhatsApp's own news of a customer: another number, another phone.
fn system(raw: Raw<'_>) -> Result<Content, String> {
    let system = part(raw, "system")?;
    let kind = fields::string(system.kind, "system.type")?.filter(|kind| !kind.is_empty());
    let detail = raw.and_then(|raw| in_line(raw.get(), &["type"]));
    Ok(Content::Notice { kind: kind.unwrap_or_else(|| "system".to_owned()), detail })
}

fn part<'a>(raw: Raw<'a>, name: &str) -> Result<Part<'a>, String> {
    fields::object(raw.ok_or_else(|| format!("{name} is missing"))?, name)
}

fn media(kind: &str, raw: Raw<'_>) -> Result<Content, String> {
    let part = part(raw, kind)?;
    let is_voice = part.voice.is_some_and(|voice| voice.get() == "true");
    // What is said of a file beside its id helps; none of it is a reason to lose the message.
    let said = |raw| fields::string(raw, "").ok().flatten();
    Ok(Content::Media(Media {
        kind: if is_voice { "voice".to_owned() } else { kind.to_owned() },
        id: Some(fields::id(part.id, "the file's id")?),
        url: said(part.url).map(Pii::new),
        caption: fields::string(part.caption, "caption")?.map(Pii::new),
        mime: said(part.mime_type),
        sha256: said(part.sha256),
        filename: said(part.filename).map(Pii::new),
    }))
}

fn location(raw: Raw<'_>) -> Result<Content, String> {
    let part = part(raw, "location")?;
    let name = fields::string(part.name, "location.name")?;
    let address = fields::string(part.address, "location.address")?;
    let said: Vec<_> =
        [name, address].into_iter().flatten().filter(|part| !part.is_empty()).collect();
    Ok(Content::Location {
        latitude: fields::number(part.latitude, "location.latitude")?,
        longitude: fields::number(part.longitude, "location.longitude")?,
        label: (!said.is_empty()).then(|| said.join(", ").into()),
        url: fields::string(part.url, "location.url").ok().flatten().map(Pii::new),
    })
}

fn interactive(raw: Raw<'_>) -> Result<Content, String> {
    let outer = part(raw, "interactive")?;
    let kind = fields::required(outer.kind, "interactive.type")?;
    let reply = match kind.as_str() {
        "button_reply" => part(outer.button_reply, "button_reply")?,
        "list_reply" => part(outer.list_reply, "list_reply")?,
        "nfm_reply" => {
            let reply = part(outer.nfm_reply, "nfm_reply")?;
            return Ok(form(fields::string(reply.name, "nfm_reply.name")?, reply.response_json));
        }
        "call_permission_reply" => {
            let detail = outer.call_permission_reply.and_then(|raw| in_line(raw.get(), &[]));
            return Ok(Content::Notice { kind: "call_permission".to_owned(), detail });
        }
        _ => {
            let detail = raw.and_then(|raw| in_line(raw.get(), &["type"]));
            return Ok(Content::Notice { kind: format!("interactive_{kind}"), detail });
        }
    };
    choice(reply.title, reply.id)
}

/// What was tapped: its label, and the payload behind it. Either may be missing, not both.
fn choice(label: Raw<'_>, payload: Raw<'_>) -> Result<Content, String> {
    let label = fields::string(label, "the choice's label")?;
    let payload = fields::string(payload, "the choice's payload")?;
    let text =
        label.or_else(|| payload.clone()).ok_or("the choice has neither label nor payload")?;
    Ok(Content::Choice { text: text.into(), payload })
}
