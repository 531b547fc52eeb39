//! `validate`: takes the values that are what their fields ask for, and says why others are not.

use nlu::{Country, DocumentKind, FieldType, Invalid};
use pack::files::{Field, FieldKind};
use serde_json::{Number, Value};

use crate::form::explain;
use crate::form::memory::{Correcting, Proposed};
use crate::form::state::{Candidate, Extracted, GraphState, Opening};

/// The most that a name, be it of a person or of a company, holds: more is a paste by mistake.
const LONGEST: usize = 200;

pub(crate) fn validate(state: &mut GraphState<'_>) {
    if state.opening == Opening::WhichField {
        state.conversation.talk.correcting = Some(Correcting::Unknown);
        return;
    }
    let mut refused = None;
    for Extracted { field, value } in state.extracted.clone() {
        match judge(state, field, &value) {
            Ok(value) => store(state, field, value),
            Err(refusal) => refused = refused.or(Some((field, refusal))),
        }
    }
    let Some(target) = state.current_field else {
        state.is_valid = true;
        return;
    };
    if state.is_correction && state.extracted.is_empty() {
        // The field was named and no value came with it: the value is asked for.
        let name = state.spec.fields[target].name.clone();
        state.conversation.talk.correcting = Some(Correcting::Field(name));
        return;
    }
    state.is_valid = state.taken.contains(&target);
    if state.is_valid || (refused.is_none() && !state.taken.is_empty() && !state.is_correction) {
        // Another field was given first; this one is simply asked for again.
        return;
    }
    // Before the first question nothing is an answer to it.
    if !state.conversation.talk.greeted && refused.is_none() {
        return;
    }
    let (field, refusal) = refused.unwrap_or_else(|| (target, nothing_found(state, target)));
    refuse(state, field, refusal);
}

struct Refusal {
    explanation: String,
    proposal: Option<String>,
}

fn judge(state: &GraphState<'_>, field: usize, value: &Candidate) -> Result<Value, Refusal> {
    let text = match value {
        Candidate::Without => return Ok(Value::Null),
        Candidate::Text(text) => text,
    };
    let spec = state.spec;
    let one = &spec.fields[field];
    let refusal = |invalid: Invalid| Refusal {
        explanation: state.explanation(field, Some(&invalid)),
        proposal: proposal(state, one.kind, text, &invalid),
    };
    if one.kind == FieldKind::City && !one.others && !spec.pack.manifest.cities.contains(text) {
        return Err(nothing_found(state, field));
    }
    if one.kind.is_free_text() && text.chars().count() > LONGEST {
        return Err(Refusal {
            explanation: explain(&Invalid::TooLong, &spec.pack.explanations),
            proposal: None,
        });
    }
    let valid =
        nlu::validate(field_type(one.kind, spec.country), text, spec.country).map_err(refusal)?;
    if let Some(pattern) = &spec.patterns[field] {
        pattern.check(&valid.canonical).map_err(refusal)?;
    }
    if one.kind == FieldKind::Number {
        return number_in_range(state, one, &valid.canonical);
    }
    if one.kind == FieldKind::Phone {
        return Ok(Value::String(dialled(text)));
    }
    Ok(Value::String(valid.canonical))
}

/// The digits a customer gave, as they are dialled; a country nobody wrote is not made up.
fn dialled(text: &str) -> String {
    // An extension is dialled afterwards.
    let text = text.trim();
    let end = text.to_lowercase().find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let text = text.get(..end).unwrap_or(text);
    let plus = if text.starts_with('+') { "+" } else { "" };
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    format!("{plus}{digits}")
}

/// An address that only lacks its scheme is offered with one.
fn proposal(
    state: &GraphState<'_>,
    kind: FieldKind,
    text: &str,
    invalid: &Invalid,
) -> Option<String> {
    if kind != FieldKind::Url || *invalid != Invalid::UrlWithoutScheme {
        return None;
    }
    let completed = nlu::https_url(text);
    nlu::validate(FieldType::Url, &completed, state.spec.country).ok().map(|valid| valid.canonical)
}

fn number_in_range(
    state: &GraphState<'_>,
    field: &Field,
    canonical: &str,
) -> Result<Value, Refusal> {
    let own = &state.spec.pack.explanations;
    let number: Number =
        canonical.parse().map_err(|_| Refusal { explanation: own.ask_number(), proposal: None })?;
    let value = number.as_f64().unwrap_or_default();
    let shown = |bound: f64| state.spec.show(&Value::from(bound));
    let explanation = match (field.min, field.max) {
        (Some(min), _) if value < min => own.at_least(&shown(min)),
        (_, Some(max)) if value > max => own.at_most(&shown(max)),
        _ => return Ok(Value::Number(number)),
    };
    Err(Refusal { explanation, proposal: None })
}

/// The message held nothing for the field: why what it says instead is not a value.
fn nothing_found(state: &GraphState<'_>, field: usize) -> Refusal {
    Refusal { explanation: state.explanation(field, None), proposal: None }
}

pub(crate) fn field_type(kind: FieldKind, country: Country) -> FieldType {
    match kind {
        FieldKind::Text | FieldKind::Name | FieldKind::City | FieldKind::Address => FieldType::Text,
        FieldKind::Email => FieldType::Email,
        FieldKind::Phone => FieldType::Phone,
        FieldKind::Url => FieldType::Url,
        FieldKind::Number => FieldType::Number,
        FieldKind::Document => match country.code() {
            "AR" => FieldType::Document(DocumentKind::Dni),
            "CO" => FieldType::Document(DocumentKind::Cedula),
            _ => FieldType::Text,
        },
    }
}

fn store(state: &mut GraphState<'_>, field: usize, value: Value) {
    let name = state.spec.fields[field].name.clone();
    let talk = &mut state.conversation.talk;
    talk.failed.remove(&name);
    talk.last_field = Some(name.clone());
    // A value changed after a yes needs another one.
    talk.confirmed = false;
    talk.confirming = false;
    state.conversation.data.insert(name, value);
    state.taken.push(field);
}

fn refuse(state: &mut GraphState<'_>, field: usize, refusal: Refusal) {
    let one = &state.spec.fields[field];
    let talk = &mut state.conversation.talk;
    *talk.failed.entry(one.name.clone()).or_default() += 1;
    if state.is_correction {
        talk.correcting = Some(Correcting::Field(one.name.clone()));
    }
    state.opening = match refusal.proposal {
        Some(value) => {
            talk.proposed = Some(Proposed { field: one.name.clone(), value: value.clone() });
            Opening::Propose(refusal.explanation)
        }
        None => Opening::Invalid(refusal.explanation),
    };
}
