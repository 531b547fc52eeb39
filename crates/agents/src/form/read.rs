//! Which value of a message belongs to which field.

use std::ops::Range;

use nlu::{Found, Value, ValueKind};
use pack::files::FieldKind;

use super::heard::{Heard, Named};
use super::spec::Spec;

/// A value that belongs to a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) field: usize,
    pub(super) value: String,
    /// Whether the message says which field it is for, or its kind leaves no doubt.
    pub(super) certain: bool,
}

/// All values of a message that belong to some field. `expected` is the field that was asked for:
/// a bare value that fits it is an answer to the question.
pub(super) fn read(spec: &Spec, heard: &Heard<'_>, expected: Option<usize>) -> Vec<Reading> {
    let mut readings: Vec<Reading> = Vec::new();
    for found in &heard.found {
        if let Some(reading) = of_found(spec, heard, expected, found) {
            add(&mut readings, reading);
        }
    }
    if let Some(field) = expected.filter(|field| !readings.iter().any(|one| one.field == *field)) {
        readings.extend(as_asked(spec, heard, field));
    }
    for (at, named) in heard.named.iter().enumerate() {
        if let Some(value) = labelled_text(spec, heard, at) {
            add(&mut readings, Reading { field: named.field, value, certain: true });
        }
    }
    readings
}

/// The first value for a field counts.
fn add(readings: &mut Vec<Reading>, reading: Reading) {
    if !readings.iter().any(|known| known.field == reading.field) {
        readings.push(reading);
    }
}

/// A value too weak to stand among all kinds is an answer to a question that asks for its kind,
/// unless it belongs to another field already.
fn as_asked(spec: &Spec, heard: &Heard<'_>, field: usize) -> Option<Reading> {
    let kinds: &[ValueKind] = match spec.fields[field].kind {
        FieldKind::Email => &[ValueKind::Email],
        FieldKind::Phone => &[ValueKind::Phone],
        FieldKind::Url => &[ValueKind::Url],
        FieldKind::Number => &[ValueKind::Money, ValueKind::Number],
        FieldKind::Name => &[ValueKind::Name],
        FieldKind::Text => &[],
    };
    let weak = heard.found_as(spec, kinds);
    let strong = |weak: &Found| {
        heard
            .found
            .iter()
            .any(|found| found.span.start < weak.span.end && weak.span.start < found.span.end)
    };
    let found = weak.into_iter().find(|weak| !strong(weak))?;
    let written = heard.written(&found.span).trim().to_owned();
    Some(Reading { field, value: value_of(&found, written), certain: false })
}

/// Whether a value of this kind can be what the field asks for.
fn fits(kind: FieldKind, value: &Value) -> bool {
    match kind {
        FieldKind::Email => matches!(value, Value::Email(_)),
        FieldKind::Phone => matches!(value, Value::Phone(_)),
        FieldKind::Url => matches!(value, Value::Url(_)),
        FieldKind::Number => matches!(value, Value::Number(_) | Value::Money { .. }),
        FieldKind::Name => matches!(value, Value::Name(_)),
        FieldKind::Text => false,
    }
}

/// A long number may be a phone, a document or an amount; what was asked for decides.
fn digits(value: &Value) -> bool {
    matches!(
        value,
        Value::Phone(_) | Value::Number(_) | Value::Money { .. } | Value::Document { .. }
    )
}

fn of_found(
    spec: &Spec,
    heard: &Heard<'_>,
    expected: Option<usize>,
    found: &Found,
) -> Option<Reading> {
    let value = heard.written(&found.span).trim().to_owned();
    let kind = |field: usize| spec.fields[field].kind;
    let numeric = |field: usize| matches!(kind(field), FieldKind::Number | FieldKind::Phone);
    let takes =
        |field: usize| fits(kind(field), &found.value) || (digits(&found.value) && numeric(field));
    // «mi celular es …», «presupuesto: …»
    if let Some(named) = label_before(heard, &found.span).filter(|named| takes(named.field)) {
        return Some(Reading { field: named.field, value: value_of(found, value), certain: true });
    }
    if let Some(field) = expected.filter(|field| takes(*field)) {
        let certain = fits(kind(field), &found.value);
        return Some(Reading { field, value: value_of(found, value), certain });
    }
    if !speaks_for_itself(heard, &found.value) {
        return None;
    }
    // A kind that only one field has speaks for itself; a bare number does not.
    let mut alike = (0..spec.fields.len()).filter(|field| fits(kind(*field), &found.value));
    match (alike.next(), alike.next()) {
        (Some(field), None) if kind(field) != FieldKind::Number => {
            Some(Reading { field, value: value_of(found, value), certain: true })
        }
        _ => None,
    }
}

/// «se llama Sol» may be a company, and «ana.sol.co» a mail address gone wrong.
fn speaks_for_itself(heard: &Heard<'_>, value: &Value) -> bool {
    match value {
        Value::Name(_) => heard.is_first_person(),
        Value::Url(url) => url.contains("://") || url.starts_with("www."),
        _ => true,
    }
}

/// What is validated: the value where extraction made one out of words, else what was written.
fn value_of(found: &Found, written: String) -> String {
    match &found.value {
        Value::Email(email) => email.clone(),
        Value::Name(name) => name.clone(),
        Value::Number(number) => number.to_string(),
        Value::Money { amount, .. } => amount.to_string(),
        _ => written,
    }
}

/// The name of a field that stands before a place, with no other value in between.
fn label_before<'h>(heard: &'h Heard<'_>, span: &Range<usize>) -> Option<&'h Named> {
    let named = heard.named.iter().rev().find(|named| named.span.end <= span.start)?;
    let between =
        |found: &Found| named.span.end <= found.span.start && found.span.end <= span.start;
    (!heard.found.iter().any(between)).then_some(named)
}

/// The text that follows the name of a text field: «la empresa se llama Sol», «empresa: Sol».
fn labelled_text(spec: &Spec, heard: &Heard<'_>, at: usize) -> Option<String> {
    let named = &heard.named[at];
    if !matches!(spec.fields[named.field].kind, FieldKind::Text | FieldKind::Name) {
        return None;
    }
    let original = heard.text.original();
    let rest = original[named.span.end..].trim_start();
    let value = spec.lead_ins.after_label(rest)?;
    let start = original.len() - value.len();
    let next_label = heard.named[at + 1..].iter().map(|next| next.span.start);
    let next_value = heard.found.iter().map(|found| found.span.start);
    let end = next_label.chain(next_value).filter(|end| *end > start).min();
    let value = &original[start..end.unwrap_or(original.len())];
    spec.lead_ins.clean(value, end.is_some())
}

/// The whole message as the answer to a text field: without greetings, lead-ins and punctuation.
pub(super) fn whole(spec: &Spec, heard: &Heard<'_>, kind: FieldKind) -> Option<String> {
    let lines = heard.text.original().lines().filter(|line| !spec.is_small_talk(line));
    let text = lines.collect::<Vec<_>>().join(" ");
    let value = spec.lead_ins.answer(&text)?;
    let plausible = kind != FieldKind::Name || is_name(&value);
    plausible.then_some(value)
}

/// A few words of letters.
pub(super) fn is_name(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let letters =
        text.chars().all(|c| c.is_alphabetic() || c.is_whitespace() || "'’.-".contains(c));
    (1..=6).contains(&words) && letters && text.chars().filter(|c| c.is_alphabetic()).count() >= 2
}
