//! The form's door: for an agent that does more than collect, what a message gives for the fields, and
//! whether its sender should have a person. Values go in and come out; nothing of the form is lent.

use std::ops::Range;

use domain::Timestamp;
use pack::files::FieldKind;

use super::heard::Heard;
use super::memory::{Conversation, Escalated};
use super::nodes::{
    check_correction, check_escalation, extract_field, is_plain, prompt_next, validate,
};
use super::read::Reading;
use super::spec::Spec;
use super::state::{Cause, Extracted, GraphState};
use crate::Context;

/// A message, and how the fields stand to it.
pub(crate) struct Message<'a> {
    pub(crate) heard: &'a Heard<'a>,
    pub(crate) now: Timestamp,
    /// Whether the fields are being asked for.
    pub(crate) asked: bool,
    /// Whether all of it may be the answer to what was asked.
    pub(crate) may_answer: bool,
    /// The templates that the session has had.
    pub(crate) sent: Vec<String>,
}

/// The values that a message gave for the fields.
#[derive(Clone, Default)]
pub(crate) struct Collected {
    /// The fields taken, by name.
    pub(crate) taken: Vec<String>,
    /// Whether it was read as data, taken or not.
    pub(crate) attempted: bool,
    /// Whether values given before were changed.
    pub(crate) corrected: bool,
    /// The form's answer: what was noted, what is wrong, what is asked next.
    pub(crate) response: Vec<String>,
    /// The templates that this is made of.
    pub(crate) templates: Vec<String>,
    /// Why a person should take over, after too many attempts at one field.
    pub(crate) escalated: Option<Escalated>,
}

/// Takes what a message gives for the fields into the conversation.
pub(crate) async fn collect(
    spec: &Spec,
    message: Message<'_>,
    conversation: Conversation,
    context: &mut dyn Context,
) -> (Conversation, Collected) {
    let Message { heard, now, asked, may_answer, sent } = message;
    let mut form = GraphState::new(spec, now, Cause::Message(heard), conversation);
    form.sent = sent;
    let plain = plainly_given(&form, heard);
    if !asked {
        // Nothing was just asked for that an unnamed correction could mean.
        form.conversation.talk.last_field = None;
    }
    if !form.conversation.data.is_empty() {
        check_correction(&mut form, context).await;
    }
    let attempted = form.is_correction || may_answer || !plain.is_empty();
    if attempted {
        if form.is_correction || may_answer {
            extract_field(&mut form);
        } else {
            form.extracted = plain;
        }
        validate(&mut form);
    }
    let taken: Vec<String> =
        form.taken.iter().map(|field| spec.fields[*field].name.clone()).collect();
    let corrected = form.is_correction && !taken.is_empty();
    if attempted && (asked || form.is_correction) {
        prompt_next(&mut form);
    }
    let escalated = form.conversation.talk.escalated.take();
    let GraphState { conversation, response, metadata, .. } = form;
    let templates = metadata.templates;
    let collected = Collected { taken, attempted, corrected, response, templates, escalated };
    (conversation, collected)
}

/// Whether a person should take over, by the form's policies.
pub(crate) struct Escalation {
    pub(crate) why: Option<Escalated>,
    /// The rules that say so.
    pub(crate) rules: Vec<String>,
}

/// Asks the form's policies whether a person should take over.
pub(crate) async fn escalation(
    spec: &Spec,
    now: Timestamp,
    cause: Cause<'_>,
    conversation: Conversation,
    context: &mut dyn Context,
) -> (Conversation, Escalation) {
    let mut form = GraphState::new(spec, now, cause, conversation);
    check_escalation(&mut form, context).await;
    let GraphState { conversation, escalation_reason: why, metadata, .. } = form;
    (conversation, Escalation { why, rules: metadata.rules })
}

/// The signs that part clauses.
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
