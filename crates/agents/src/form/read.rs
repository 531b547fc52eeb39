//! Which value of a message belongs to which field.

use std::ops::Range;
use std::sync::LazyLock;

use nlu::{Found, Normalized, Value, ValueKind};
use pack::files::FieldKind;
use regex::Regex;

use super::free_text;
use super::heard::{Heard, Named};
use super::names;
use super::spec::Spec;
use super::state::Candidate;

/// A value that belongs to a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) field: usize,
    pub(crate) value: Candidate,
    /// The part of the message that it was read from, with the name of the field.
    pub(crate) span: Range<usize>,
    /// Whether the message says which field it is for, or its kind leaves no doubt.
    pub(crate) certain: bool,
}

impl Reading {
    fn text(field: usize, value: String, span: Range<usize>, certain: bool) -> Self {
        Self { field, value: Candidate::Text(value), span, certain }
    }
}

/// All values of a message that belong to some field. `expected` is the field that was asked for:
/// a bare value that fits it is an answer to the question.
pub(crate) fn read(spec: &Spec, heard: &Heard<'_>, expected: Option<usize>) -> Vec<Reading> {
    let mut readings: Vec<Reading> = Vec::new();
    if heard.is_code {
        return readings;
    }
    for found in &heard.found {
        if let Some(reading) = of_found(spec, heard, expected, found) {
            add(heard, &mut readings, reading);
        }
        if let Some(reading) = city_beside(spec, found) {
            add(heard, &mut readings, reading);
        }
    }
    if let Some(field) = expected.filter(|field| !readings.iter().any(|one| one.field == *field)) {
        readings.extend(as_asked(spec, heard, field, &readings));
    }
    for (at, named) in heard.named.iter().enumerate() {
        if let Some((value, end)) = free_text::labelled(spec, heard, at) {
            let reading = Reading::text(named.field, value, named.span.start..end, true);
            add(heard, &mut readings, reading);
        } else if is_without(spec, heard, named) {
            let (value, span) = (Candidate::Without, named.span.clone());
            add(heard, &mut readings, Reading { field: named.field, value, span, certain: true });
        }
    }
    readings
}

/// The city that was taken for part of a name.
fn city_beside(spec: &Spec, found: &Found) -> Option<Reading> {
    let Value::Name(name) = &found.value else { return None };
    let field = spec.fields.iter().position(|field| field.kind == FieldKind::City)?;
    let (_, city) = from_city(spec, name)?;
    Some(Reading::text(field, city, found.span.clone(), true))
}

/// The first value for a field counts; in a correction the last, since the first may be the old.
fn add(heard: &Heard<'_>, readings: &mut Vec<Reading>, reading: Reading) {
    match readings.iter_mut().find(|known| known.field == reading.field) {
        Some(known) if heard.is_cue() => *known = reading,
        Some(_) => {}
        None => readings.push(reading),
    }
}

/// «no tenemos página web»: the field is named after the words that say so.
fn is_without(spec: &Spec, heard: &Heard<'_>, named: &Named) -> bool {
    let near = |set: &str| {
        heard.hits.of(set).any(|hit| {
            hit.span.end <= named.span.start && heard.is_one_clause(hit.span.end..named.span.start)
        })
    };
    spec.fields[named.field].optional && (near("refusal") || near("skip"))
}

/// Whether a value of this kind can be what the field asks for.
fn fits(kind: FieldKind, value: &Value) -> bool {
    match kind {
        FieldKind::Email => matches!(value, Value::Email(_)),
        FieldKind::Phone => matches!(value, Value::Phone(_)),
        FieldKind::Url => matches!(value, Value::Url(_)),
        FieldKind::Number => matches!(value, Value::Number(_) | Value::Money { .. }),
        FieldKind::Name => matches!(value, Value::Name(_)),
        FieldKind::City => matches!(value, Value::City(_)),
        FieldKind::Address => matches!(value, Value::Address(_)),
        FieldKind::Document => matches!(value, Value::Document { .. }),
        FieldKind::Text => false,
    }
}

/// A long number may be a phone, a document or an amount; what was asked for decides, unless the
/// customer says that it is a document.
fn is_digits(heard: &Heard<'_>, found: &Found, kind: FieldKind) -> bool {
    let long = || found.text.chars().filter(char::is_ascii_digit).count() >= 7;
    let plain = match found.value {
        Value::Phone(_) | Value::Number(_) | Value::Money { .. } => true,
        Value::Document { .. } => !heard.speaks_of_document(),
        _ => false,
    };
    match kind {
        FieldKind::Phone => plain && long(),
        FieldKind::Document => long(),
        FieldKind::Number => plain,
        _ => false,
    }
}

fn of_found(
    spec: &Spec,
    heard: &Heard<'_>,
    expected: Option<usize>,
    found: &Found,
) -> Option<Reading> {
    let kind = |field: usize| spec.fields[field].kind;
    let takes =
        |field: usize| fits(kind(field), &found.value) || is_digits(heard, found, kind(field));
    let value = value_of(heard, found)?;
    let value = match &found.value {
        Value::Name(_) => names::spelt(without_city(spec, &value))?,
        Value::Address(_) => with_directions(heard, found).unwrap_or(value),
        _ => value,
    };
    // «mi celular es …», «presupuesto: …»
    if let Some(named) = label_before(heard, &found.span) {
        if takes(named.field) {
            let span = named.span.start..found.span.end;
            let value = in_currency(spec, heard, named.field, found).unwrap_or(value);
            return Some(Reading::text(named.field, value, span, true));
        }
        // A name behind the name of a free-text field is that field's value.
        if kind(named.field).is_free_text() && matches!(found.value, Value::Name(_)) {
            return None;
        }
    }
    if let Some(field) = expected.filter(|field| takes(*field)) {
        let certain = fits(kind(field), &found.value);
        let value = in_currency(spec, heard, field, found).unwrap_or(value);
        return Some(Reading::text(field, value, found.span.clone(), certain));
    }
    // A kind that only one field has speaks for itself; a bare number does not.
    // A field that is never asked for leaves the value to another that is.
    let asked = |field: &usize| spec.fields[*field].ask.is_some();
    let alike: Vec<usize> =
        (0..spec.fields.len()).filter(|field| fits(kind(*field), &found.value)).collect();
    let is_one_asked = alike.iter().filter(|field| asked(field)).count() == 1;
    let mut alike = alike.into_iter().filter(|field| !is_one_asked || asked(field));
    match (alike.next(), alike.next()) {
        (Some(field), None) if speaks_for_itself(heard, found) => {
            let certain = kind(field) != FieldKind::Number;
            Some(Reading::text(field, value, found.span.clone(), certain))
        }
        _ => None,
    }
}

/// «se llama Sol» may be a company, «ana.sol.co» a mail address gone wrong, and a number anything
/// unless it is an amount.
fn speaks_for_itself(heard: &Heard<'_>, found: &Found) -> bool {
    match &found.value {
        Value::Name(_) => heard.is_first_person(),
        Value::Url(url) => url.contains("://") || url.starts_with("www."),
        Value::Number(_) | Value::Money { .. } => heard.is_amount(&found.span),
        _ => true,
    }
}

/// «cll 10 # 5-22 casa amarilla»: what follows in the same breath helps to find the place.
fn with_directions(heard: &Heard<'_>, found: &Found) -> Option<String> {
    let text = heard.text.original();
    // A bare number, as of a floor, goes with it.
    let others = heard.found.iter().filter(|other| !matches!(other.value, Value::Number(_)));
    let next = others.map(|other| other.span.start);
    let next = next.filter(|start| *start >= found.span.end).min().unwrap_or(text.len());
    let named = heard.named.iter().map(|named| named.span.start);
    let end = named.filter(|start| *start >= found.span.end).fold(next, usize::min);
    let rest = &text[found.span.end..end];
    let end = rest.find([',', ';', '.', '\n', '?', '¿', '!']).unwrap_or(rest.len());
    let asks = rest[end..].starts_with(['?', '¿']);
    let whole = free_text::undangled(&text[found.span.start..found.span.end + end]);
    let whole = free_text::tidy(&whole, FieldKind::Address);
    whole.filter(|_| !asks && rest[..end].split_whitespace().count() <= DIRECTIONS)
}

/// More words than this behind an address are about something else.
const DIRECTIONS: usize = 6;

/// «Ana Gómez de Cali»: where somebody is from is no part of the name, if a field asks for it.
fn without_city<'v>(spec: &Spec, name: &'v str) -> &'v str {
    match from_city(spec, name) {
        Some((at, _)) => name[..at].trim_end(),
        None => name,
    }
}

/// The city a name says somebody is from, and where that begins.
fn from_city(spec: &Spec, name: &str) -> Option<(usize, String)> {
    if !spec.fields.iter().any(|field| field.kind == FieldKind::City) {
        return None;
    }
    static FROM: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)\s(?:de|desde|en)\s").expect("a constant pattern"));
    FROM.find_iter(name).find_map(|from| {
        let city = Normalized::new(&name[from.end()..]);
        let epoch = jiff::Timestamp::UNIX_EPOCH;
        let found = spec.extractor.find_kinds(&city, epoch, &[ValueKind::City]);
        match found.first()?.value.clone() {
            Value::City(city) if found[0].span.start == 0 => Some((from.start(), city)),
            _ => None,
        }
    })
}

/// The text to be validated: the value where extraction made one out of words, else what was written.
fn value_of(heard: &Heard<'_>, found: &Found) -> Option<String> {
    match &found.value {
        // Extraction folds letters: «peña@…» is left as written, and not taken for another address.
        Value::Email(email) => {
            let written = heard.written(&found.span);
            let foreign = written.contains('@') && !written.is_ascii();
            Some(if foreign { written.to_owned() } else { email.clone() })
        }
        Value::City(city) => Some(city.clone()),
        Value::Name(name) => names::spelt(name),
        Value::Number(number) => Some(number.to_string()),
        Value::Money { amount, .. } => Some(amount.to_string()),
        Value::Phone(phone) => Some(phone.written.trim().to_owned()),
        Value::Document { digits, .. } => Some(digits.clone()),
        _ => Some(heard.written(&found.span).trim().to_owned()),
    }
}

/// An amount in another currency than the field's, as written: no number without it.
fn in_currency(spec: &Spec, heard: &Heard<'_>, field: usize, found: &Found) -> Option<String> {
    let own = spec.fields[field].currency.as_deref()?;
    match found.value {
        Value::Money { currency: Some(currency), .. } if currency != own => {
            Some(heard.written(&found.span).to_owned())
        }
        _ => None,
    }
}

/// The name of a field that stands before a place, with no other value in between.
fn label_before<'h>(heard: &'h Heard<'_>, span: &Range<usize>) -> Option<&'h Named> {
    let named = heard.named.iter().rev().find(|named| named.span.end <= span.start)?;
    let between =
        |found: &Found| named.span.end <= found.span.start && found.span.end <= span.start;
    (!heard.found.iter().any(between)).then_some(named)
}

/// A value too weak to stand among all kinds is an answer to a question that asks for its kind,
/// unless it belongs to another field already.
fn as_asked(spec: &Spec, heard: &Heard<'_>, field: usize, taken: &[Reading]) -> Option<Reading> {
    let kinds: &[ValueKind] = match spec.fields[field].kind {
        FieldKind::Email => &[ValueKind::Email],
        FieldKind::Phone => &[ValueKind::Phone],
        FieldKind::Url => &[ValueKind::Url],
        FieldKind::Number => &[ValueKind::Money, ValueKind::Number],
        FieldKind::City => &[ValueKind::City],
        FieldKind::Address => &[ValueKind::Address],
        FieldKind::Document => &[ValueKind::Document, ValueKind::Number],
        FieldKind::Name => &[ValueKind::Name],
        FieldKind::Text => return None,
    };
    let is_taken = |weak: &Found| {
        let meets =
            |one: &Reading| one.span.start < weak.span.end && weak.span.start < one.span.end;
        taken.iter().any(meets)
    };
    let of_another = |weak: &Found| {
        label_before(heard, &weak.span).is_some_and(|named| {
            named.field != field && spec.fields[named.field].kind.is_free_text()
        })
    };
    let document = heard.speaks_of_document() && spec.fields[field].kind != FieldKind::Document;
    let found = heard
        .found_as(spec, kinds)
        .into_iter()
        .find(|weak| !is_taken(weak) && !of_another(weak) && !document)?;
    let value = value_of(heard, &found)?;
    Some(Reading::text(field, value, found.span, false))
}
