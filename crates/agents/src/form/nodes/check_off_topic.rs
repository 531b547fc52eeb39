//! `check_off_topic`: whether the message is beside the point: rules, then examples, then a model.

use domain::Tier;
use nlu::Classification;
use pack::files::{FieldKind, Intent};
use serde_json::{Map, Value};

use crate::Context;
use crate::form::free_text;
use crate::form::heard::Heard;
use crate::form::spec::INTENT_SET;
use crate::form::state::{Cause, GraphState, Opening};
use crate::model::{Question, judge};

const PROMPT: &str = "fuera_de_tema";
const ANSWER: &str = "respuesta";
const ELSE: &str = "otra_cosa";

/// Small talk by its set, as an intent is called.
const SMALL_TALK: [(&str, &str); 4] = [
    ("greeting", "saludo"),
    ("thanks", "gracias"),
    ("farewell", "despedida"),
    ("off_topic", "fuera_de_tema"),
];

pub(crate) async fn check_off_topic(state: &mut GraphState<'_>, context: &mut dyn Context) {
    let heard = match state.cause {
        Cause::Message(heard) => heard,
        // Nothing was said that could be a value.
        Cause::Unreadable | Cause::Silence | Cause::Deadline | Cause::Returned => {
            state.is_off_topic = true;
            return;
        }
    };
    if answers(state, heard) {
        state.metadata.by_rule("dato");
        // «… pero antes dime cuánto vale»: the value is taken and the question answered.
        if heard.hits.any("question") || heard.hits.any("off_topic") {
            state.aside = known_reply(state, heard);
        }
        return;
    }
    if let Some(opening) = by_rules(state, heard) {
        state.is_off_topic = true;
        state.opening = opening;
        return;
    }
    if let Some(opening) = by_examples(state, heard) {
        state.is_off_topic = true;
        state.opening = opening;
        return;
    }
    if by_model(state, context, heard).await {
        state.is_off_topic = true;
        state.opening = Opening::Redirect(None);
    } else if let Some(classification) = state.metadata.unsure.take() {
        state.metadata.ranked(&classification);
    } else {
        state.metadata.by_rule("dato");
    }
}

/// Whether there is something in it that the form waits for.
fn answers(state: &GraphState<'_>, heard: &Heard<'_>) -> bool {
    let talk = &state.conversation.talk;
    let yes_or_no = heard.is_yes() || heard.is_no();
    if yes_or_no && (talk.confirming || talk.proposed.is_some()) {
        return true;
    }
    let Some(missing) = state.missing() else { return false };
    let field = &state.spec.fields[missing];
    let skips = field.optional && (heard.goes_without() || heard.is_no());
    // A name in capitals is a name, whatever words are in it: «El Precio Justo».
    let proper = field.kind == FieldKind::Text
        && free_text::is_title(heard.text.original())
        && !heard.is_only(&["greeting", "thanks", "farewell"]);
    let proper = proper
        || (field.kind == FieldKind::Text && free_text::introduces(heard))
        || (field.kind == FieldKind::Name && free_text::is_greeting_with_name(state.spec, heard));
    skips || proper || !state.readings.is_empty()
}

fn by_rules(state: &mut GraphState<'_>, heard: &Heard<'_>) -> Option<Opening> {
    let by_rules = state
        .spec
        .pack
        .intents
        .intents
        .iter()
        .find(|intent| heard.hits.any(&format!("{INTENT_SET}{}", intent.name)));
    if let Some(intent) = by_rules.filter(|intent| state.spec.is_off_topic(&intent.name)) {
        state.metadata.by_rule(&intent.name);
        return Some(Opening::Redirect(intent.reply.clone()));
    }
    if heard.hits.any("help") {
        state.metadata.by_rule("ayuda");
        return Some(Opening::Explain);
    }
    let wordless = heard.text.words().is_empty();
    let small_talk = wordless || heard.is_only(&["greeting", "thanks", "farewell", "yes", "no"]);
    let asks = heard.hits.any("off_topic") || heard.hits.any("question");
    if !small_talk && !asks {
        return None;
    }
    let (set, intent) = SMALL_TALK
        .into_iter()
        .find(|(set, _)| heard.hits.any(set))
        .unwrap_or(("question", "pregunta"));
    if let Some(hit) = heard.hits.first(set) {
        state.metadata.rules.push(format!("{set}: {}", hit.rule));
    }
    // A greeting is answered by the question itself, and what a question asks may have a reply.
    let reply = if asks { known_reply(state, heard) } else { None };
    state.metadata.by_rule(intent);
    let bare = matches!(intent, "saludo") && !asks;
    Some(if bare { Opening::Nothing } else { Opening::Redirect(reply) })
}

fn classified(state: &GraphState<'_>, heard: &Heard<'_>) -> Option<Classification> {
    state.spec.classifier.as_ref().map(|classifier| classifier.classify(&heard.text))
}

/// The reply to what the examples say it is, if they are sure.
fn known_reply(state: &mut GraphState<'_>, heard: &Heard<'_>) -> Option<String> {
    let intent = sure(state, heard)?;
    intent.reply.clone()
}

/// The intent beside the point that the classifier is sure of.
fn sure<'s>(state: &mut GraphState<'s>, heard: &Heard<'_>) -> Option<&'s Intent> {
    let classification = classified(state, heard)?;
    let best = classification.ranked.first()?;
    let is_sure = f64::from(best.confidence) >= state.spec.form.off_topic.confidence
        && !classification.out_of_scope
        && state.spec.is_off_topic(&best.intent);
    if !is_sure {
        state.metadata.unsure = Some(classification);
        return None;
    }
    state.metadata.ranked(&classification);
    let spec = state.spec;
    spec.pack.intents.intents.iter().find(|intent| *intent.name == *best.intent)
}

fn by_examples(state: &mut GraphState<'_>, heard: &Heard<'_>) -> Option<Opening> {
    let intent = sure(state, heard)?;
    Some(Opening::Redirect(intent.reply.clone()))
}

/// Only a message too long to be a value plainly is put to a model.
async fn by_model(
    state: &mut GraphState<'_>,
    context: &mut dyn Context,
    heard: &Heard<'_>,
) -> bool {
    let Some(missing) = state.missing().filter(|_| !heard.is_short()) else { return false };
    let question = Question {
        prompt: PROMPT.to_owned(),
        values: Map::from_iter([
            ("mensaje".to_owned(), Value::from(heard.text.original())),
            ("campo".to_owned(), state.spec.fields[missing].label.as_str().into()),
        ]),
        choices: vec![ANSWER.to_owned(), ELSE.to_owned()],
    };
    match judge(&state.spec.pack, context, &question).await {
        Some(judgement) if judgement.answer == ELSE => {
            state.metadata.understood("fuera_de_tema", judgement.confidence, Tier::Model);
            true
        }
        _ => false,
    }
}
