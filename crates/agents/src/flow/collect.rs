//! `collect`: takes the values a message gives for the fields, through the form's own nodes.

use std::ops::Range;

use pack::files::{FieldKind, Stamp};

use super::act::stamp;
use super::spec::{DATA, OTHER};
use super::state::FlowState;
use super::understand::asks;
use crate::form::free_text::is_title;
use crate::form::heard::Heard;
use crate::form::memory::Conversation;
use crate::form::nodes::{check_correction, extract_field, is_plain, prompt_next, validate};
use crate::form::read::Reading;
use crate::form::state::{Cause, Extracted, GraphState};

pub(super) async fn collect(state: &mut FlowState<'_>) {
    let Some(heard) = state.heard() else { return };
    if state.spec.fields.fields.is_empty() {
        return;
    }
    let was_missing = !state.missing().is_empty();
    let collecting = state.spec.mode(&state.mode).collects;
    let is_free = collecting && was_missing && may_be_data(state, heard);
    let conversation = Conversation {
        data: std::mem::take(&mut state.data),
        talk: std::mem::take(&mut state.memory.talk),
    };
    let spec = state.spec;
    let mut form =
        GraphState::new(&spec.fields, &mut *state.context, Cause::Message(heard), conversation);
    form.sent.clone_from(&state.session.templates_enviados);
    let plain = plainly_given(&form, heard);
    if !collecting {
        // Nothing was just asked for that an unnamed correction could mean.
        form.conversation.talk.last_field = None;
    }
    if !form.conversation.data.is_empty() {
        check_correction(&mut form).await;
    }
    let attempted = form.is_correction || is_free || !plain.is_empty();
    if attempted {
        if form.is_correction || is_free {
            extract_field(&mut form);
        } else {
            form.extracted = plain;
        }
        validate(&mut form);
    }
    let names = |fields: &[usize]| {
        fields.iter().map(|field| spec.fields.fields[*field].name.clone()).collect::<Vec<_>>()
    };
    let taken = names(&form.taken);
    let corrected = form.is_correction && !form.taken.is_empty();
    if attempted && (collecting || form.is_correction) {
        prompt_next(&mut form);
    }
    let escalated = form.conversation.talk.escalated.take();
    let GraphState { conversation, response, metadata, .. } = form;
    state.data = conversation.data;
    state.memory.talk = conversation.talk;
    state.collected.response = response;
    state.collected.templates = metadata.templates;
    state.collected.attempted = attempted;
    state.collected.corrected = corrected;
    state.collected.completes = was_missing && state.missing().is_empty();
    state.handoff = escalated.map(|why| why.handoff());
    if !taken.is_empty() {
        state.summary_falls();
        note_data(state);
    }
    state.collected.taken = taken;
    // A wish to correct something gives nothing yet.
    let gave = !state.collected.taken.is_empty() || is_free;
    if gave && state.chosen.is_empty() {
        state.verdict.gives_data();
    }
}

/// Notes when the first data came, and when the minimum was there.
pub(super) fn note_data(state: &mut FlowState<'_>) {
    stamp(state, Stamp::FirstDataAt);
    if state.missing().is_empty() && !state.minimum().is_empty() {
        stamp(state, Stamp::MinDataAt);
    }
}

fn asked_for_name(state: &FlowState<'_>) -> bool {
    let missing = state.missing().first().copied();
    let mut fields = state.spec.fields.fields.iter();
    fields.any(|field| Some(field.name.as_str()) == missing && field.kind == FieldKind::Name)
}

/// Whether a message that names no value may still be one: a name, an address.
fn may_be_data(state: &FlowState<'_>, heard: &Heard<'_>) -> bool {
    let verdict = &state.verdict;
    let sure = verdict.confidence() >= state.spec.flow.bands.proceed;
    let other = match verdict.intent() {
        DATA => false,
        // A place or an address is like nothing else; what is no name is none in capitals either.
        OTHER => sure && asked_for_name(state) && !is_title(heard.text.original()),
        _ => sure,
    };
    !other && !asks(heard) && !heard.text.words().is_empty() && !heard.is_yes()
}

/// What parts clauses.
const CLAUSE: [char; 8] = ['.', ',', ';', '!', '?', '¿', '¡', '\n'];

/// Whether the clause around a place asks something: «¿envían a Cali?» says not where the customer
/// lives.
fn is_asked_about(heard: &Heard<'_>, span: &Range<usize>) -> bool {
    let text = heard.text.original();
    let start = text[..span.start].rfind(CLAUSE).map_or(0, |at| at + 1);
    let end = text[span.end..].find(CLAUSE).map_or(text.len(), |at| span.end + at);
    let inside = |hit: &nlu::Hit<'_>| start <= hit.span.start && hit.span.start < end;
    text[end..].starts_with('?') || heard.hits.of("question").any(inside)
}

/// The values that leave no doubt. In a question only what is labelled or can be nothing else is
/// given.
fn plainly_given(form: &GraphState<'_>, heard: &Heard<'_>) -> Vec<Extracted> {
    let given = |reading: &&Reading| {
        let kind = form.spec.fields[reading.field].kind;
        let labelled = heard.named.iter().any(|named| named.field == reading.field);
        let unmistakable = matches!(kind, FieldKind::Email | FieldKind::Phone);
        let known = form.conversation.has(&form.spec.fields[reading.field].name);
        let fits = !known || is_plain(form, heard, reading);
        reading.certain
            && fits
            && (labelled || unmistakable || !is_asked_about(heard, &reading.span))
    };
    form.readings
        .iter()
        .filter(given)
        .map(|reading| Extracted { field: reading.field, value: reading.value.clone() })
        .collect()
}
