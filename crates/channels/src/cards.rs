//! Contact cards that a customer passes on, as both WhatsApp channels write them.

use domain::{Card, Content, Pii};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::entries::entries;
use crate::fields::{self, Raw};

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    phones: Raw<'a>,
    #[serde(borrow)]
    emails: Raw<'a>,
    #[serde(borrow)]
    addresses: Raw<'a>,
    #[serde(borrow)]
    org: Raw<'a>,
    #[serde(borrow)]
    urls: Raw<'a>,
    #[serde(borrow)]
    birthday: Raw<'a>,
}

#[derive(Deserialize)]
struct Name<'a> {
    #[serde(borrow, alias = "formattedName")]
    formatted_name: Raw<'a>,
}

#[derive(Deserialize)]
struct Phone<'a> {
    #[serde(borrow)]
    phone: Raw<'a>,
    #[serde(borrow, alias = "waId")]
    wa_id: Raw<'a>,
}

/// The cards of a message. A card that cannot be read is left out, because the others are still
/// worth having.
pub(crate) fn cards(raw: Raw<'_>, name: &str) -> Result<Content, String> {
    let raw = raw.ok_or_else(|| format!("{name} is missing"))?;
    let all = list(raw).ok_or_else(|| format!("{name} is not a list"))?;
    Ok(Content::Contacts { people: all.into_iter().filter_map(card).collect() })
}

fn list(raw: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(raw.get()).ok()
}

fn card(raw: &RawValue) -> Option<Card> {
    let written: Written<'_> = fields::object(raw, "a contact").ok()?;
    let phones = written.phones.and_then(list).unwrap_or_default();
    let rest = [written.emails, written.addresses, written.org, written.urls, written.birthday];
    let card = Card {
        name: name(written.name),
        phones: phones.into_iter().filter_map(phone).collect(),
        details: rest.into_iter().flat_map(values).map(Pii::new).collect(),
    };
    let says_something = card.name.is_some() || !card.phones.is_empty() || !card.details.is_empty();
    says_something.then_some(card)
}

/// The values of a part of a card, without the words that only sort it: `HOME`, `WORK`.
fn values(raw: Raw<'_>) -> Vec<String> {
    let Some(raw) = raw else { return Vec::new() };
    let sorts = |field: &str| field.rsplit('.').next() == Some("type");
    let said = entries(raw.get()).into_iter().filter(|(field, _)| !sorts(field));
    said.map(|(_, value)| value).collect()
}

fn name(raw: Raw<'_>) -> Option<Pii> {
    let name: Name<'_> = fields::object(raw?, "a name").ok()?;
    text(name.formatted_name)
}

/// The number as it was written down, or else WhatsApp's id of the phone.
fn phone(raw: &RawValue) -> Option<Pii> {
    let phone: Phone<'_> = fields::object(raw, "a phone").ok()?;
    text(phone.phone).or_else(|| text(phone.wa_id))
}

fn text(raw: Raw<'_>) -> Option<Pii> {
    let text = fields::string(raw, "a part of a contact").ok()??;
    (!text.is_empty()).then(|| text.into())
}
