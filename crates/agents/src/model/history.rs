//! The conversation that a model is shown: the last lines word for word, the rest summed up.

use domain::{ModelMessage, ModelPart, ModelRequest, Role, Speaker, StopReason};
use pack::Pack;
use sentences::Frames;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::settings::{ask, served};
use crate::form::as_read;
use crate::{Context, Said, Spoken};

const COMPONENT: &str = "writer";
const PROMPT: &str = "resumen";

/// How many lines beyond those shown gather before they are summed up anew.
const BATCH: usize = 10;

/// As many lines as a nearly spent budget allows.
const NEAR_LINES: usize = 6;

/// The share of a session's tokens from which on its history is cut short.
const NEAR: f64 = 0.8;

/// A summary that a session carries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Memory {
    /// How many lines of the session it sums up.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) lines: usize,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) text: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The session as a model is shown it: the last `lines`, after a summary of what came before.
/// `facts` is what the engine itself knows, which is all the summary there is without a model.
pub(crate) async fn shown(
    pack: &Pack,
    context: &mut dyn Context,
    memory: &mut Memory,
    lines: u32,
    facts: &str,
) -> (String, Vec<Spoken>) {
    let limit = pack.manifest.budget.session_tokens;
    let spent = context.spending().await.session_tokens;
    let near = limit.is_some_and(|limit| spent as f64 >= limit as f64 * NEAR);
    let lines = if near { NEAR_LINES.min(lines as usize) } else { lines as usize };
    let said = context.said(lines).await;
    if said.before > 0 && said.before >= memory.lines + BATCH {
        sum_up(pack, context, memory, &said, lines, facts).await;
    }
    let before = if said.before > 0 { memory.text.clone() } else { String::new() };
    let parts = [facts, before.as_str()];
    let told: Vec<&str> = parts.into_iter().filter(|text| !text.is_empty()).collect();
    let read = |mut spoken: Spoken| {
        spoken.text.truncate(as_read(&spoken.text).len());
        spoken
    };
    (told.join("\n"), said.lines.into_iter().map(read).collect())
}

async fn sum_up(
    pack: &Pack,
    context: &mut dyn Context,
    memory: &mut Memory,
    said: &Said,
    lines: usize,
    facts: &str,
) {
    memory.lines = said.before;
    let writer = pack.manifest.models.writer.as_ref();
    let Some(component) = served(writer, context) else { return };
    let longer = context.said(lines + BATCH * 2).await;
    let old = longer.lines.len().saturating_sub(said.lines.len());
    let old = longer.lines[..old].iter().map(|spoken| line(&pack.frames, spoken));
    let old = old.collect::<Vec<_>>().join("\n");
    let values = Map::from_iter([
        ("resumen".to_owned(), Value::from(inert(&memory.text))),
        ("conversacion".to_owned(), inert(&old).into()),
        ("hechos".to_owned(), inert(facts).into()),
    ]);
    let system = match pack.prompt(PROMPT, &values) {
        Some(Ok(prompt)) => prompt,
        _ => pack.frames.summariser(),
    };
    let content = pack.frames.to_sum_up(&inert(&memory.text), &inert(&old));
    let request = ModelRequest {
        system: system.into(),
        messages: vec![ModelMessage::user(content)],
        ..ModelRequest::default()
    };
    if let Ok(reply) = context.ask(&ask(pack, COMPONENT, component, request), None).await {
        let text: String = reply.text().trim().chars().take(2_000).collect();
        if !text.is_empty() && reply.stop == StopReason::End {
            memory.text = text;
        }
    }
}

fn line(frames: &Frames, spoken: &Spoken) -> String {
    let text = as_read(&spoken.text);
    match spoken.role {
        Role::User => frames.customer_line(text),
        Role::Assistant => frames.agent_line(text),
        Role::System => frames.engine_line(text),
    }
}

/// The lines as messages, in turns, beginning with the customer; the last one is what is asked now.
pub(crate) fn messages(
    frames: &Frames,
    summary: &str,
    lines: &[Spoken],
    last: String,
) -> Vec<ModelMessage> {
    let mut messages: Vec<ModelMessage> = Vec::new();
    if !summary.is_empty() {
        push(&mut messages, Speaker::User, frames.earlier(&inert(summary)));
    }
    for spoken in lines {
        let (role, text) = match spoken.role {
            Role::User => (Speaker::User, inert(&spoken.text)),
            Role::Assistant => (Speaker::Assistant, spoken.text.clone()),
            Role::System => (Speaker::User, frames.incident(&inert(&spoken.text))),
        };
        // A conversation that the shop opened still begins with its customer's side.
        if messages.is_empty() && role == Speaker::Assistant {
            push(&mut messages, Speaker::User, frames.beginning());
        }
        push(&mut messages, role, text);
    }
    push(&mut messages, Speaker::User, last);
    messages
}

/// Two messages of one side become one, since providers want them in turns.
fn push(messages: &mut Vec<ModelMessage>, role: Speaker, text: String) {
    match messages.last_mut() {
        Some(before) if before.role == role => before.parts.push(ModelPart::Text { text }),
        _ => messages.push(ModelMessage::text(role, text)),
    }
}

/// A text of others that cannot look like a part of the frame it is shown in.
pub(crate) fn inert(text: &str) -> String {
    text.replace('<', "‹").replace('>', "›")
}

/// The same for all the texts of a value, each on one line: a prompt has no line of a customer's.
pub(crate) fn inert_value(value: &Value) -> Value {
    match value {
        Value::String(text) => inert(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into(),
        Value::Array(all) => all.iter().map(inert_value).collect(),
        Value::Object(all) => {
            let inert = |(name, value): (&String, &Value)| (name.clone(), inert_value(value));
            Value::Object(all.iter().map(inert).collect())
        }
        other => other.clone(),
    }
}
