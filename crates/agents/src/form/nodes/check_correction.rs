//! `check_correction`: whether the message corrects values that were given before, and which.

use domain::Tier;
use serde_json::{Map, Value};

use crate::Question;
use crate::form::heard::Heard;
use crate::form::memory::Correcting;
use crate::form::read::{Reading, read};
use crate::form::state::GraphState;

/// The prompt that settles what the rules leave open, and its answer for no correction.
const PROMPT: &str = "correccion";
const NONE: &str = "ninguno";

pub(in crate::form) async fn check_correction(state: &mut GraphState<'_>) {
    let Some(heard) = state.heard() else { return };
    let readings = read(state.spec, heard, state.missing());
    let fields = match state.conversation.talk.correcting.take() {
        Some(Correcting::Field(name)) => state.spec.index_of(&name).map(|field| vec![field]),
        Some(Correcting::Unknown) => Some(meant(state, heard, &readings)),
        None => corrected(state, heard, &readings).await,
    };
    let Some(fields) = fields else { return };
    if is_interruption(heard) && readings.is_empty() {
        return;
    }
    state.is_correction = true;
    state.correction_fields = fields;
    state.metadata.understood("correccion", domain::Confidence::CERTAIN, Tier::Rules);
    if let Some(hit) = heard.hits.first("correction") {
        state.metadata.rules.push(format!("correction: {}", hit.rule));
    }
}

/// A question or a greeting in the middle of a correction does not answer it.
fn is_interruption(heard: &Heard<'_>) -> bool {
    heard.is_only(&["greeting", "thanks", "farewell"])
        || (heard.hits.any("question") && !heard.hits.any("correction"))
}

/// The fields a correction speaks of; none if it is no correction.
async fn corrected(
    state: &mut GraphState<'_>,
    heard: &Heard<'_>,
    readings: &[Reading],
) -> Option<Vec<usize>> {
    if !heard.hits.any("correction") {
        let restated = restated(state, readings);
        return (!restated.is_empty()).then_some(restated);
    }
    let fields = meant(state, heard, readings);
    if !fields.is_empty() {
        return Some(fields);
    }
    // What belongs to the field that is being asked for is its answer, and corrects nothing.
    let answers = state.missing().is_some_and(|missing| {
        readings.iter().any(|reading| reading.field == missing)
            || heard.named.iter().any(|named| named.field == missing)
    });
    if answers || state.conversation.data.is_empty() {
        return None;
    }
    ask_model(state, heard).await
}

/// Values for fields that hold another one already: «mi correo es …», said again.
fn restated(state: &GraphState<'_>, readings: &[Reading]) -> Vec<usize> {
    let other = |reading: &&Reading| {
        let name = &state.spec.fields[reading.field].name;
        let known = state.conversation.data.get(name);
        reading.certain && known.is_some_and(|known| state.spec.show(known) != reading.value)
    };
    readings.iter().filter(other).map(|reading| reading.field).collect()
}

/// The fields that a correction names or gives values for.
fn meant(state: &GraphState<'_>, heard: &Heard<'_>, readings: &[Reading]) -> Vec<usize> {
    let given = |field: &usize| state.conversation.was_given(&state.spec.fields[*field].name);
    let mut fields: Vec<usize> =
        readings.iter().map(|reading| reading.field).filter(given).collect();
    for named in heard.named.iter().map(|named| named.field).filter(given) {
        if !fields.contains(&named) {
            fields.push(named);
        }
    }
    if fields.is_empty() && readings.is_empty() {
        fields.extend(last_text(state, heard));
    }
    fields
}

/// «no, es Panadería Sol» means the field that was taken last, if that is free text.
fn last_text(state: &GraphState<'_>, heard: &Heard<'_>) -> Option<usize> {
    let field = state.spec.index_of(state.conversation.talk.last_field.as_deref()?)?;
    let kind = state.spec.fields[field].kind;
    let says_it = heard.hits.first("correction")?.span.end < heard.text.original().trim_end().len();
    (kind.is_free_text() && says_it && state.spec.corrected_text(heard, kind).is_some())
        .then_some(field)
}

/// A correction that names nothing: a model may know, and otherwise the customer is asked.
async fn ask_model(state: &mut GraphState<'_>, heard: &Heard<'_>) -> Option<Vec<usize>> {
    let fields = &state.spec.fields;
    let known = fields.iter().filter(|field| state.conversation.has(&field.name));
    let question = Question {
        prompt: PROMPT.to_owned(),
        values: Map::from_iter([
            ("mensaje".to_owned(), Value::from(heard.text.original())),
            ("resumen".to_owned(), state.summary().into()),
        ]),
        choices: known.map(|field| field.name.clone()).chain([NONE.to_owned()]).collect(),
    };
    match state.context.judge(&question).await {
        None => Some(Vec::new()),
        Some(judgement) if judgement.answer == NONE => None,
        Some(judgement) => {
            let field = state.spec.index_of(&judgement.answer);
            state.metadata.understood("correccion", judgement.confidence, Tier::Model);
            Some(field.into_iter().collect())
        }
    }
}
