//! `extract_field`: the values of the message for the corrected or the next field, and any other.

use std::sync::Arc;

use pack::files::FieldKind;

use crate::form::free_text;
use crate::form::heard::Heard;
use crate::form::prose::may_be;
use crate::form::read::{Reading, read};
use crate::form::state::{Candidate, Extracted, GraphState, Opening};

pub(crate) fn extract_field(state: &mut GraphState<'_>) {
    let Some(heard) = state.heard() else { return };
    if state.is_correction {
        corrections(state, heard);
        return;
    }
    if confirmation(state, heard) {
        return;
    }
    let Some(target) = state.missing() else {
        // A field that nothing asks for is taken when it is given, also after the last question.
        let (spec, readings) = (state.spec, Arc::clone(&state.readings));
        take(state, &readings, |field| spec.fields[field].ask.is_none());
        return;
    };
    state.current_field = Some(target);
    let proposed = state.conversation.talk.proposed.is_some();
    if let Some(accepted) = accepted_proposal(state, heard) {
        state.current_field = Some(accepted.field);
        state.extracted.push(accepted);
        return;
    }
    let mut readings = Arc::clone(&state.readings);
    if is_proper(state, heard, target, &readings) {
        readings = Arc::default();
    }
    // A value that is there already is changed by a correction alone.
    let held: Vec<bool> =
        state.spec.fields.iter().map(|field| state.conversation.has(&field.name)).collect();
    take(state, &readings, |field| !held[field]);
    if readings.iter().any(|reading| reading.field == target) {
        return;
    }
    let field = &state.spec.fields[target];
    // A no to what was proposed refuses the proposal, not the field.
    let declines = heard.is_no() && !proposed;
    // «no hay» in a long text says nothing of the field.
    let goes_without = heard.goes_without() && may_be(FieldKind::Text, heard.text.original());
    if field.optional && !heard.is_code && (goes_without || declines) {
        state.extracted.push(Extracted { field: target, value: Candidate::Without });
    } else if field.kind.is_free_text() || field.others {
        let taken: Vec<_> = readings.iter().map(|reading| reading.span.clone()).collect();
        let value = free_text::answer(state.spec, heard, &taken, field.kind);
        state.extracted.extend(value.map(|value| text(target, value)));
    } else if readings.is_empty() && !heard.is_code {
        // Not a value of its kind: validation says what is missing in it.
        let value = heard.text.original().trim().to_owned();
        state.extracted.push(text(target, value));
    }
}

/// A company called «Mi Número 1» gives no number: what its words would be read as counts only if
/// it is too long to be part of a name.
fn is_proper(
    state: &GraphState<'_>,
    heard: &Heard<'_>,
    target: usize,
    readings: &[Reading],
) -> bool {
    let slight = |reading: &Reading| match &reading.value {
        Candidate::Text(text) => text.chars().count() < 7,
        Candidate::Without => false,
    };
    state.spec.fields[target].kind == FieldKind::Text
        && free_text::is_title(heard.text.original())
        && readings.iter().all(slight)
}

fn text(field: usize, value: String) -> Extracted {
    Extracted { field, value: Candidate::Text(value) }
}

fn take(state: &mut GraphState<'_>, readings: &[Reading], wanted: impl Fn(usize) -> bool) {
    for reading in readings.iter().filter(|reading| wanted(reading.field)) {
        state.extracted.push(Extracted { field: reading.field, value: reading.value.clone() });
    }
}

/// The new values of the corrected fields, and with them any field still missing.
fn corrections(state: &mut GraphState<'_>, heard: &Heard<'_>) {
    let fields = state.correction_fields.clone();
    state.current_field = fields.first().copied();
    let Some(first) = state.current_field else {
        state.opening = Opening::WhichField;
        return;
    };
    if let Some(accepted) = accepted_proposal(state, heard) {
        state.extracted.push(accepted);
        return;
    }
    if let Some((field, value)) = state.replaced.take() {
        state.extracted.push(text(field, value));
        return;
    }
    let readings = read(state.spec, heard, Some(first));
    let named = heard.named.iter().any(|named| named.field == first);
    if readings.is_empty() && !named {
        let kind = state.spec.fields[first].kind;
        let value = free_text::corrected(state.spec, heard, kind);
        state.extracted.extend(value.map(|value| text(first, value)));
    }
    // Other values that the message plainly gives are taken too.
    take(state, &readings, |_| true);
    let given = readings
        .iter()
        .filter(|reading| state.conversation.has(&state.spec.fields[reading.field].name));
    let others: Vec<usize> =
        given.map(|reading| reading.field).filter(|field| !fields.contains(field)).collect();
    state.correction_fields.extend(others);
}

/// A yes or no to what was collected, where the pack asks for one.
fn confirmation(state: &mut GraphState<'_>, heard: &Heard<'_>) -> bool {
    let talk = &mut state.conversation.talk;
    if !talk.confirming || state.spec.form.confirm.is_none() {
        return false;
    }
    if heard.is_yes() {
        talk.confirmed = true;
        state.metadata.by_rule("confirmacion");
    } else if heard.is_no() {
        talk.confirming = false;
        state.opening = Opening::Declined;
        state.metadata.by_rule("negacion");
    } else {
        state.opening = Opening::Unclear;
    }
    true
}

/// A yes to the value that was proposed, for the field it was proposed for; any other answer drops
/// it.
fn accepted_proposal(state: &mut GraphState<'_>, heard: &Heard<'_>) -> Option<Extracted> {
    let proposed = state.conversation.talk.proposed.take()?;
    let field = state.spec.index_of(&proposed.field)?;
    heard.is_yes().then(|| text(field, proposed.value))
}
