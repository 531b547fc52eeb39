//! `extract_field`: the values of the message for the corrected or the next field, and any other.

use crate::form::heard::Heard;
use crate::form::read::{Reading, read, whole};
use crate::form::state::{Candidate, Extracted, GraphState, Opening};

pub(in crate::form) fn extract_field(state: &mut GraphState<'_>) {
    let Some(heard) = state.heard() else { return };
    if state.is_correction {
        corrections(state, heard);
        return;
    }
    if confirmation(state, heard) {
        return;
    }
    let Some(target) = state.missing() else { return };
    state.current_field = Some(target);
    if let Some(value) = accepted_proposal(state, heard, target) {
        state.extracted.push(Extracted { field: target, value });
        return;
    }
    let readings = read(state.spec, heard, Some(target));
    if readings.is_empty() && heard.goes_without() && state.spec.fields[target].optional {
        state.extracted.push(Extracted { field: target, value: Candidate::Without });
        return;
    }
    take(state, &readings, |_| true);
    let found = state.extracted.iter().any(|extracted| extracted.field == target);
    // The whole message is the answer, unless it was about other fields.
    if !found && readings.is_empty() {
        let kind = state.spec.fields[target].kind;
        let value = whole(state.spec, heard, kind);
        state
            .extracted
            .extend(value.map(|value| Extracted { field: target, value: Candidate::Text(value) }));
    }
}

fn take(state: &mut GraphState<'_>, readings: &[Reading], wanted: impl Fn(usize) -> bool) {
    for reading in readings.iter().filter(|reading| wanted(reading.field)) {
        let value = Candidate::Text(reading.value.clone());
        state.extracted.push(Extracted { field: reading.field, value });
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
    if let Some(value) = accepted_proposal(state, heard, first) {
        state.extracted.push(Extracted { field: first, value });
        return;
    }
    let mut readings = read(state.spec, heard, Some(first));
    let named = heard.named.iter().any(|named| named.field == first);
    if readings.is_empty() && !named {
        let kind = state.spec.fields[first].kind;
        let value = state.spec.corrected_text(heard, kind);
        readings.extend(value.map(|value| Reading { field: first, value, certain: false }));
    }
    let missing: Vec<usize> = (0..state.spec.fields.len())
        .filter(|field| !state.conversation.has(&state.spec.fields[*field].name))
        .collect();
    take(state, &readings, |field| fields.contains(&field) || missing.contains(&field));
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

/// A yes to the value that was proposed; any other answer drops it.
fn accepted_proposal(
    state: &mut GraphState<'_>,
    heard: &Heard<'_>,
    target: usize,
) -> Option<Candidate> {
    let proposed = state.conversation.talk.proposed.take()?;
    let accepted = heard.is_yes() && state.spec.fields[target].name == proposed.field;
    accepted.then_some(Candidate::Text(proposed.value))
}
