//! `check_correction`: whether the message corrects values that were given before, and which.

use std::sync::{Arc, LazyLock};

use domain::Tier;
use nlu::Normalized;
use pack::files::FieldKind;
use regex::Regex;
use serde_json::{Map, Value};

use crate::Context;
use crate::form::free_text;
use crate::form::heard::Heard;
use crate::form::memory::Correcting;
use crate::form::read::{Reading, read};
use crate::form::state::{Candidate, GraphState};
use crate::model::{Question, judge};

/// The prompt that decides what the rules leave open, and its answer for no correction.
const PROMPT: &str = "correccion";
const NONE: &str = "ninguno";

pub(crate) async fn check_correction(state: &mut GraphState<'_>, context: &mut dyn Context) {
    let Some(heard) = state.heard().filter(|heard| !heard.is_code) else { return };
    // A proposed value is answered first.
    if state.conversation.talk.proposed.is_some() && state.conversation.talk.correcting.is_none() {
        return;
    }
    let readings = Arc::clone(&state.readings);
    let fields = match state.conversation.talk.correcting.take() {
        Some(Correcting::Field(name)) => state.spec.index_of(&name).map(|field| vec![field]),
        Some(Correcting::Unknown) => Some(meant(state, heard, &readings)),
        None => corrected(state, context, heard, &readings).await,
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
        || (heard.hits.any("question") && !heard.is_cue())
}

/// The fields a correction speaks of; none if it is no correction.
async fn corrected(
    state: &mut GraphState<'_>,
    context: &mut dyn Context,
    heard: &Heard<'_>,
    readings: &[Reading],
) -> Option<Vec<usize>> {
    if let Some((field, value)) = replacement(state, heard) {
        state.replaced = Some((field, value));
        return Some(vec![field]);
    }
    if !heard.is_cue() {
        let restated = restated(state, heard, readings);
        return (!restated.is_empty()).then_some(restated);
    }
    let fields = meant(state, heard, readings);
    if !fields.is_empty() {
        return Some(fields);
    }
    // A value for the field that is being asked for is its answer, and corrects nothing.
    let answers = state.missing().is_some_and(|missing| {
        readings.iter().any(|reading| reading.field == missing)
            || heard.named.iter().any(|named| named.field == missing)
            || (state.spec.fields[missing].kind == FieldKind::Text && free_text::introduces(heard))
    });
    if answers || state.conversation.data.is_empty() {
        return None;
    }
    ask_model(state, context, heard).await
}

/// Values for fields that hold another one already: «mi correo es …», said again.
fn restated(state: &GraphState<'_>, heard: &Heard<'_>, readings: &[Reading]) -> Vec<usize> {
    let other = |reading: &&Reading| {
        let name = &state.spec.fields[reading.field].name;
        let known = state.conversation.data.get(name);
        reading.certain && known.is_some_and(|known| !same(state, known, &reading.value))
    };
    let restated = readings.iter().filter(other).filter(|one| is_plain(state, heard, one));
    restated.map(|reading| reading.field).collect()
}

/// More words than these beside a value say something else of it.
const FEW: usize = 6;

/// Whether a message plainly gives a value, so that it takes the place of the one there is: it names
/// the field, speaks of who writes, or says next to nothing else. A link alone gives nothing.
pub(crate) fn is_plain(state: &GraphState<'_>, heard: &Heard<'_>, reading: &Reading) -> bool {
    let labelled = heard.named.iter().any(|named| named.field == reading.field);
    let link = state.spec.fields[reading.field].kind == FieldKind::Url;
    let alone = heard.words_beside_values() <= FEW && !link;
    labelled || heard.is_first_person() || alone
}

fn same(state: &GraphState<'_>, known: &Value, said: &Candidate) -> bool {
    match said {
        Candidate::Without => known.is_null(),
        Candidate::Text(text) => {
            let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
            let known = state.spec.show(known);
            known == *text || (!digits(text).is_empty() && digits(&known) == digits(text))
        }
    }
}

/// «no era Gómez sino Gomes»: which value holds the first, and that value with the second.
fn replacement(state: &GraphState<'_>, heard: &Heard<'_>) -> Option<(usize, String)> {
    static NOT_BUT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?i)\bno\s+(?:era|es|soy|fue|son)\s+(.{1,60}?),?\s+(?:sino|es|era|son)\s+(.{1,60})$",
        )
        .expect("a constant pattern")
    });
    let parts = NOT_BUT.captures(heard.text.original().trim())?;
    let plain = |text: &str| Normalized::new(text).plain().to_owned();
    let (wrong, right) = (plain(&parts[1]), parts[2].trim_end_matches(['.', '!']).trim());
    let holds = |field: &usize| {
        let known = state.conversation.data.get(&state.spec.fields[*field].name);
        known.and_then(Value::as_str).is_some_and(|known| {
            let words = format!(" {} ", plain(known));
            words.contains(&format!(" {wrong} "))
        })
    };
    let field = (0..state.spec.fields.len()).find(holds)?;
    let known = state.conversation.data.get(&state.spec.fields[field].name)?.as_str()?;
    let length = wrong.split(' ').count();
    let words: Vec<&str> = known.split_whitespace().collect();
    let at = words.windows(length).position(|window| plain(&window.join(" ")) == wrong);
    let value = match at {
        Some(at) => [&words[..at], &[right], &words[at + length..]].concat().join(" "),
        None => right.to_owned(),
    };
    Some((field, value))
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
        fields.extend(last_text(state, heard).or_else(|| a_number(state, heard)));
    }
    fields
}

/// «perdón, son 50 millones» means the one field that holds a number.
fn a_number(state: &GraphState<'_>, heard: &Heard<'_>) -> Option<usize> {
    let given = |field: &usize| {
        let field = &state.spec.fields[*field];
        field.kind == FieldKind::Number && state.conversation.has(&field.name)
    };
    let field = (0..state.spec.fields.len()).find(given)?;
    read(state.spec, heard, Some(field))
        .iter()
        .any(|reading| reading.field == field)
        .then_some(field)
}

/// «no, es Panadería Sol» means the field that was taken last, if that is free text.
fn last_text(state: &GraphState<'_>, heard: &Heard<'_>) -> Option<usize> {
    let field = state.spec.index_of(state.conversation.talk.last_field.as_deref()?)?;
    let kind = state.spec.fields[field].kind;
    let says_it = || free_text::corrected(state.spec, heard, kind).is_some();
    (kind.is_free_text() && says_it()).then_some(field)
}

/// A correction that names nothing: a model may know, and otherwise the customer is asked.
async fn ask_model(
    state: &mut GraphState<'_>,
    context: &mut dyn Context,
    heard: &Heard<'_>,
) -> Option<Vec<usize>> {
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
    match judge(&state.spec.pack, context, &question).await {
        None => Some(Vec::new()),
        Some(judgement) if judgement.answer == NONE => None,
        Some(judgement) => {
            let field = state.spec.index_of(&judgement.answer);
            state.metadata.understood("correccion", judgement.confidence, Tier::Model);
            Some(field.into_iter().collect())
        }
    }
}
