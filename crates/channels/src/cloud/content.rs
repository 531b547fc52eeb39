//! The parts of a customer's message: each of the Cloud API's message types as domain content.

use domain::{Content, Media, Pii, storable};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::entries::in_line;
use crate::fields::{self, Raw};
use crate::goods::form;

/// The fields of all parts together.
#[derive(Deserialize)]
pub(super) struct Part<'a> {
    #[serde(borrow, rename = "type")]
    kind: Raw<'a>,
    #[serde(borrow)]
    pub(super) body: Raw<'a>,
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
    pub(super) text: Raw<'a>,
    #[serde(borrow)]
    pub(super) payload: Raw<'a>,
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
    pub(super) emoji: Raw<'a>,
    #[serde(borrow)]
    pub(super) original_message_id: Raw<'a>,
    #[serde(borrow)]
    pub(super) message: Raw<'a>,
}

/// The words of a message of an unknown type, or else the reason why it has none.
pub(super) fn unknown(raw: &RawValue, kind: &str, errors: Raw<'_>) -> Option<Pii> {
    let parts: serde_json::Value = serde_json::from_str(raw.get()).ok()?;
    let said = parts.get(kind).and_then(|part| in_line(&part.to_string(), &[]));
    said.or_else(|| errors.map(|raw| storable(&super::errors::first(Some(raw)).told()).into()))
}

/// WhatsApp's own news of a customer: another number, another phone.
pub(super) fn system(raw: Raw<'_>) -> Result<Content, String> {
    let system = part(raw, "system")?;
    let kind = fields::string(system.kind, "system.type")?.filter(|kind| !kind.is_empty());
    let detail = raw.and_then(|raw| in_line(raw.get(), &["type"]));
    Ok(Content::Notice { kind: kind.unwrap_or_else(|| "system".to_owned()), detail })
}

pub(super) fn part<'a>(raw: Raw<'a>, name: &str) -> Result<Part<'a>, String> {
    fields::object(raw.ok_or_else(|| format!("{name} is missing"))?, name)
}

pub(super) fn media(kind: &str, raw: Raw<'_>) -> Result<Content, String> {
    let part = part(raw, kind)?;
    let is_voice = part.voice.is_some_and(|voice| voice.get() == "true");
    // The other fields of a file help, and a faulty one is no reason to lose the message.
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

pub(super) fn location(raw: Raw<'_>) -> Result<Content, String> {
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

pub(super) fn interactive(raw: Raw<'_>) -> Result<Content, String> {
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

/// The tapped choice: its label, and the payload behind it. Either may be missing, but not both.
pub(super) fn choice(label: Raw<'_>, payload: Raw<'_>) -> Result<Content, String> {
    let label = fields::string(label, "the choice's label")?;
    let payload = fields::string(payload, "the choice's payload")?;
    let text =
        label.or_else(|| payload.clone()).ok_or("the choice has neither label nor payload")?;
    Ok(Content::Choice { text: text.into(), payload })
}
