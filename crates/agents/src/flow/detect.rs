//! `detect` and `reanalyse`: what a message means when rules and examples are not sure.

use std::sync::PoisonError;

use domain::{Confidence, ModelMessage, ModelRequest, OutputSchema, Prompt, StopReason, Tier};
use nlu::Normalized;
use pack::Pack;
use pack::program::IntentId;
use sentences::Frames;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::facts::summary;
use super::models::ask_model;
use super::reading::{Band, IntentRanking};
use super::turn::Turn;
use super::understand::{by_examples, confidence, sort};
use crate::Context;
use crate::form::as_read;
use crate::form::heard::Heard;
use crate::model::{ask, inert, inert_value, messages, served, shown};

const COMPONENT: &str = "detector";

/// How much likelier an intent is that the mode waits for, in a second look without a model.
const EXPECTED: f64 = 0.25;

/// As many of a customer's lines as a second look without a model goes back.
const LOOK_BACK: usize = 6;

pub(super) fn band(turn: &Turn<'_>) -> Band {
    let (bands, confidence) = (turn.spec.flow.bands, turn.reading.ranking.confidence());
    // A yes needs no words: 👍.
    if turn.agreed_to().is_some() {
        return Band::Proceed;
    }
    // «???» says nothing that a person would understand better.
    let unread = |heard: &Heard<'_>| heard.is_code && turn.reading.ranking.ranked.is_empty();
    if turn.heard().is_some_and(|heard| heard.text.words().is_empty() || unread(heard)) {
        return Band::Clarify;
    }
    if confidence >= bands.proceed {
        Band::Proceed
    } else if confidence >= bands.reanalyse {
        Band::Reanalyse
    } else if confidence >= bands.clarify {
        Band::Clarify
    } else {
        Band::HandOff
    }
}

/// Asks the detector where rules and examples are not sure.
pub(super) async fn detect(turn: &mut Turn<'_>, context: &mut dyn Context) {
    let Some(heard) = turn.heard() else { return };
    if band(turn) != Band::Proceed {
        let lines = turn.spec.pack().manifest.history.lines;
        if let Some(ranking) = ask_detector(turn, context, heard, lines, None).await {
            turn.reading.ranking = ranking;
        }
    }
    turn.reading.band = Some(band(turn));
}

/// Looks again, with more of the conversation; may come to another ranking.
pub(super) async fn reanalyse(turn: &mut Turn<'_>, context: &mut dyn Context) {
    let Some(heard) = turn.heard() else { return };
    let first = turn.reading.ranking.clone();
    let lines = turn.spec.pack().manifest.history.reanalyse_lines;
    let again = ask_detector(turn, context, heard, lines, Some(&first)).await;
    let second = match again {
        Some(ranking) => ranking,
        None => look_back(turn, context, heard, &first).await,
    };
    turn.notes.other.push(format!(
        "reanalysed: {} {:.0} % → {} {:.0} %",
        turn.intent_name(first.intent()),
        first.confidence() * 100.0,
        turn.intent_name(second.intent()),
        second.confidence() * 100.0
    ));
    turn.reading.ranking = second;
    // A ranking that holds on a second look is gone ahead with.
    let bands = turn.spec.flow.bands;
    turn.reading.second_look = Some(if turn.reading.ranking.confidence() >= bands.reanalyse {
        Band::Proceed
    } else if turn.reading.ranking.confidence() >= bands.clarify {
        Band::Clarify
    } else {
        Band::HandOff
    });
}

/// A second look without a model: what the mode waits for, and what was said just before.
async fn look_back(
    turn: &Turn<'_>,
    context: &mut dyn Context,
    heard: &Heard<'_>,
    first: &IntentRanking,
) -> IntentRanking {
    let said = context.said(LOOK_BACK).await;
    let before = said.lines.iter().rev().find(|line| line.role == domain::Role::User);
    let joined =
        format!("{}\n{}", before.map_or("", |line| as_read(&line.text)), heard.text.original());
    let in_context = by_examples(turn, &Normalized::new(&joined));
    let expects = &turn.mode().expects;
    let mut ranked: Vec<(IntentId, Confidence)> = first
        .ranked
        .iter()
        .map(|(intent, sure)| {
            let beside = in_context.ranked.iter().find(|(other, _)| other == intent);
            let beside = beside.map_or(0.0, |(_, confidence)| confidence.get());
            let expected = if expects.contains(intent) { EXPECTED } else { 0.0 };
            let weighed = sure.get().max((sure.get() + beside) / 2.0) + expected;
            (*intent, confidence(weighed))
        })
        .collect();
    sort(&mut ranked);
    IntentRanking { ranked, ..first.clone() }
}

#[derive(Deserialize)]
struct Answer {
    intent: String,
    confidence: f64,
    #[serde(default)]
    alternatives: Vec<Alternative>,
    #[serde(default)]
    reasoning: String,
}

#[derive(Deserialize)]
struct Alternative {
    intent: String,
    confidence: f64,
}

/// The detector's ranking, if there is a model to ask; an answer that is not in its form is `unknown`,
/// and not sure at all.
async fn ask_detector(
    turn: &mut Turn<'_>,
    context: &mut dyn Context,
    heard: &Heard<'_>,
    lines: u32,
    first: Option<&IntentRanking>,
) -> Option<IntentRanking> {
    let spec = turn.spec;
    let detector = spec.pack().manifest.models.detector.as_ref();
    let component = served(detector, context)?;
    if turn.models.away.is_some() {
        return None;
    }
    let facts = profile(turn);
    let (summary, said) =
        shown(spec.pack(), context, &mut turn.state.memory.history, lines, &facts).await;
    let frames = &spec.pack().frames;
    let mode = frames.mode(&turn.mode().name);
    let mut last = format!("{mode}\n{}", frames.message(&inert(heard.text.original())));
    if let Some(first) = first {
        let seen = first.ranked.iter().take(3);
        let seen = seen.map(|(intent, sure)| {
            format!("{} {:.0}", turn.intent_name(*intent), sure.get() * 100.0)
        });
        let seen = seen.collect::<Vec<_>>().join(", ");
        last.push('\n');
        last.push_str(&frames.first_reading(&seen));
    }
    let names: Vec<&str> = names(turn);
    let request = ModelRequest {
        system: system(turn, COMPONENT),
        messages: messages(frames, &summary, &said, last),
        output: Some(OutputSchema {
            name: "intent".to_owned(),
            schema: schema(&names, &frames.confidence()),
        }),
        ..ModelRequest::default()
    };
    let ask = ask(spec.pack(), COMPONENT, component, request);
    let Some(reply) = ask_model(turn, context, &ask, None).await else {
        return turn.models.malformed.take().map(malformed);
    };
    let text = reply.text();
    let whole = reply.stop == StopReason::End;
    Some(read(turn, &text).filter(|_| whole).unwrap_or_else(|| malformed(text)))
}

fn malformed(text: String) -> IntentRanking {
    let reasoning = text.chars().take(2_000).collect();
    let ranked = vec![(IntentId::UNKNOWN, Confidence::NONE)];
    IntentRanking { ranked, by_rules: Vec::new(), tier: Some(Tier::Model), reasoning }
}

fn read(turn: &Turn<'_>, text: &str) -> Option<IntentRanking> {
    let answer: Answer = serde_json::from_str(text.trim()).ok()?;
    // Messages are understood as what the pack declares, or as nothing of it.
    let intents = &turn.spec.flow.intents;
    let known = |name: &str| {
        let known = |id: &IntentId| *id == IntentId::OTHER || intents.get(*id).declared;
        intents.named(name).filter(known)
    };
    let mut ranked = vec![(known(&answer.intent)?, sure(answer.confidence)?)];
    for Alternative { intent, confidence } in answer.alternatives {
        ranked.push((known(&intent)?, sure(confidence)?));
    }
    let reasoning = answer.reasoning;
    Some(IntentRanking { ranked, by_rules: Vec::new(), tier: Some(Tier::Model), reasoning })
}

/// Models answer in per cent; a fraction is taken as one.
fn sure(said: f64) -> Option<Confidence> {
    let share = if said > 1.0 { said / 100.0 } else { said };
    Confidence::try_from(share).ok()
}

/// The names of what a message may be understood as.
fn names<'a>(turn: &Turn<'a>) -> Vec<&'a str> {
    let declared = turn.spec.flow.intents.declared();
    let other = (!declared.contains(&IntentId::OTHER)).then_some(IntentId::OTHER);
    declared.iter().copied().chain(other).map(|intent| turn.intent_name(intent)).collect()
}

fn schema(intents: &[&str], confidence: &str) -> Value {
    let confidence = json!({ "type": "integer", "description": confidence });
    let intent = json!({ "type": "string", "enum": intents });
    json!({
        "type": "object",
        "properties": {
            "intent": intent,
            "confidence": confidence,
            "alternatives": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": { "intent": intent, "confidence": confidence },
                    "required": ["intent", "confidence"],
                    "additionalProperties": false,
                },
            },
            "reasoning": { "type": "string" },
        },
        "required": ["intent", "confidence", "alternatives", "reasoning"],
        "additionalProperties": false,
    })
}

/// The values of a session that a prompt may ask for.
const OF_SESSION: [&str; 4] = ["perfil", "datos", "faltan", "resumen_previo"];

/// The prompt of a component, with what the pack and the session know filled in. A prompt that asks
/// for nothing of the session is filled once for each mode.
pub(super) fn system(turn: &Turn<'_>, prompt: &str) -> Prompt {
    let spec = turn.spec;
    let place = (prompt.to_owned(), turn.mode().name.clone());
    let known = spec.prompts.read().unwrap_or_else(PoisonError::into_inner).get(&place).cloned();
    match known {
        Some(Some(shared)) => return shared,
        Some(None) => return filled(turn, prompt).into(),
        None => {}
    }
    let asked = spec.pack().prompt_asks_for(prompt);
    let varies = OF_SESSION.iter().any(|name| asked.contains(*name));
    let text = filled(turn, prompt);
    let shared = (!varies).then(|| Prompt::shared(text.as_str().into()));
    let mut prompts = spec.prompts.write().unwrap_or_else(PoisonError::into_inner);
    prompts.insert(place, shared.clone());
    shared.unwrap_or_else(|| text.into())
}

fn filled(turn: &Turn<'_>, prompt: &str) -> String {
    let pack = turn.spec.pack();
    let intents = pack.intents.intents.iter();
    let intents = intents.map(|one| format!("- {}: {}", one.name, one.description.trim()));
    let mode = turn.mode();
    let mut values = Map::from_iter([
        ("intents".to_owned(), Value::from(intents.collect::<Vec<_>>().join("\n"))),
        ("pack".to_owned(), pack.manifest.title.clone().into()),
        ("negocio".to_owned(), pack.manifest.description.clone().into()),
        ("modo".to_owned(), mode.name.clone().into()),
        ("modo_descripcion".to_owned(), mode.description.clone().into()),
        ("perfil".to_owned(), inert(&profile(turn)).into()),
        ("datos".to_owned(), inert_value(&Value::Object(turn.state.session.data.clone()))),
        ("faltan".to_owned(), json!(turn.missing())),
    ]);
    let previous = turn.state.memory.previous.as_ref();
    let previous = previous.map(|previous| previous.summary.clone()).unwrap_or_default();
    values.insert("resumen_previo".to_owned(), inert(&previous).into());
    match pack.prompt(prompt, &values) {
        Some(Ok(text)) => text,
        _ => default_prompt(pack, prompt, &values),
    }
}

fn default_prompt(pack: &Pack, prompt: &str, values: &Map<String, Value>) -> String {
    let text = |name: &str| values.get(name).and_then(Value::as_str).unwrap_or_default();
    match prompt {
        COMPONENT => pack.frames.detector(text("pack"), text("intents")),
        _ => pack.frames.orchestrator(text("pack"), text("negocio")),
    }
}

/// The engine's knowledge of the customer and of where things stand.
pub(super) fn profile(turn: &Turn<'_>) -> String {
    let frames = &turn.spec.pack().frames;
    let mut lines = Vec::new();
    let data = summary(turn);
    if !data.is_empty() {
        lines.push(frames.known_data(&data));
    }
    for (name, value) in turn.choices() {
        lines.push(frames.chosen(name, value));
    }
    if let Some(previous) = &turn.state.memory.previous {
        lines.push(frames.before(&previous.summary));
    }
    let sent: Vec<&str> = turn.sent().map(String::as_str).collect();
    if !sent.is_empty() {
        lines.push(frames.sent(&sent.join(", ")));
    }
    lines.join("\n")
}

/// The customer's message, as a model is shown it.
pub(super) fn framed(turn: &Turn<'_>, heard: &Heard<'_>) -> String {
    let frames = &turn.spec.pack().frames;
    let standing = frames.standing(&inert(&standing(turn)));
    format!("{standing}\n{}", frames.message(&inert(heard.text.original())))
}

fn standing(turn: &Turn<'_>) -> String {
    let ranked = turn.reading.ranking.ranked.first();
    json!({
        "modo": turn.mode().name,
        "modo_descripcion": turn.mode().description,
        "intencion": turn.intent_name(turn.reading.ranking.intent()),
        "confianza": ranked.map(|(_, sure)| sure.get()),
        "faltan": turn.missing(),
        "elecciones": turn.choices(),
        "datos_tomados_ahora": turn.reading.collected.taken,
        // How it was said, for the tone of the answer.
        "animo": turn.reading.signals,
    })
    .to_string()
}

/// Words for a model that was told no.
pub(super) fn told(frames: &Frames, text: &str) -> ModelMessage {
    ModelMessage::user(frames.refusal(&inert(text)))
}
