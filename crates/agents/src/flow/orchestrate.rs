//! `orchestrate`: a model chooses among the moves the flow allows; each is checked before it is
//! done, and what is refused is told to it once.

use domain::{
    ModelMessage, ModelPart, ModelReply, ModelRequest, Speaker, StopReason, ToolSpec, ToolUseMode,
};
use serde_json::{Value, json};

use super::detect::{framed, profile, system, told};
use super::models::ask_model;
use super::moves::{self, Moved};
use super::own_words;
use super::perform::perform;
use super::turn::Turn;
use crate::Context;
use crate::form::heard::Heard;
use crate::model::{ask, messages, preview, served, shown};

const COMPONENT: &str = "orchestrator";

/// As many times as one turn asks it.
const MOST_STEPS: usize = 6;

/// A model that was told no and asks for what is forbidden again is no longer heard.
const MOST_REFUSALS: usize = 2;

/// Lets the model answer, if there is one. The rules answer whatever it leaves.
pub(super) async fn orchestrate(turn: &mut Turn<'_>, context: &mut dyn Context) {
    let Some(heard) = turn.heard() else { return };
    let spec = turn.spec;
    let orchestrator = spec.pack().manifest.models.orchestrator.as_ref();
    let Some(component) = served(orchestrator, context) else { return };
    let lines = spec.pack().manifest.history.lines;
    let facts = profile(turn);
    let (summary, said) =
        shown(spec.pack(), context, &mut turn.state.memory.history, lines, &facts).await;
    super::thread::interrupt(turn);
    let mut talk = messages(&spec.pack().frames, &summary, &said, framed(turn, heard));
    let mut refusals = 0;
    for _ in 0..MOST_STEPS {
        let request = ModelRequest {
            system: system(turn, COMPONENT),
            messages: talk.clone(),
            tools: moves::offered(turn, context),
            tool_use: ToolUseMode::Free,
            ..ModelRequest::default()
        };
        let ask = ask(spec.pack(), COMPONENT, component, request);
        let allowed = own_words::allowed(turn);
        let show = preview(&allowed);
        let speaks = !turn.mode().own_words.is_empty() && !turn.plan.says_something();
        let show: Option<crate::Preview<'_>> = if speaks { Some(&show) } else { None };
        let Some(reply) = ask_model(turn, context, &ask, show).await else { break };
        let step = take(turn, context, heard, &reply).await;
        refusals += step.refused;
        if step.ends || refusals >= MOST_REFUSALS || turn.plan.hands_off() {
            break;
        }
        talk.push(ModelMessage { role: Speaker::Assistant, parts: reply.parts.clone() });
        talk.push(step.answer);
    }
    turn.progress.is_decided = turn.plan.says_something() || turn.plan.is_over();
    if turn.progress.is_decided {
        turn.state.memory.clarified = 0;
    }
}

struct Step {
    /// The message that tells the model what came of it.
    answer: ModelMessage,
    refused: usize,
    ends: bool,
}

/// Does what a whole answer asks for; nothing is done from one that was cut off.
async fn take(
    turn: &mut Turn<'_>,
    context: &mut dyn Context,
    heard: &Heard<'_>,
    reply: &ModelReply,
) -> Step {
    match reply.stop {
        StopReason::ToolCalls => calls(turn, context, heard, reply).await,
        StopReason::End => words(turn, reply),
        _ => {
            let answer = told(&turn.spec.pack().frames, "");
            Step { answer, refused: MOST_REFUSALS, ends: true }
        }
    }
}

async fn calls(
    turn: &mut Turn<'_>,
    context: &mut dyn Context,
    heard: &Heard<'_>,
    reply: &ModelReply,
) -> Step {
    let mut results = Vec::new();
    let mut refused = 0;
    let mut wants_more = false;
    let asked: Vec<(String, String, Value)> = reply
        .calls()
        .map(|(id, name, input)| (id.to_owned(), name.to_owned(), input.clone()))
        .collect();
    for (id, name, input) in asked {
        // A conversation that was given away is no longer the model's to act on.
        if turn.plan.is_over() {
            break;
        }
        let tools = moves::business(turn, context);
        let made = |turn: &mut Turn<'_>| moves::make(turn, heard, &tools, &name, &input);
        let (content, is_error) = match perform(turn, context, made).await {
            Moved::Done(answer) => {
                wants_more |= answer.is_some();
                (answer.unwrap_or_else(|| json!({ "ok": true })).to_string(), false)
            }
            Moved::Failed(reason) => {
                wants_more = true;
                (reason, true)
            }
            Moved::Refused(reason) => {
                refused += 1;
                (reason, true)
            }
        };
        results.push(ModelPart::ToolResult { id, content, is_error });
    }
    let ends = turn.plan.says_something() && !wants_more && refused == 0;
    Step { answer: ModelMessage { role: Speaker::User, parts: results }, refused, ends }
}

/// A model that ends with words says them, where the mode lets it and nothing was said yet.
fn words(turn: &mut Turn<'_>, reply: &ModelReply) -> Step {
    let text = reply.text();
    let frames = &turn.spec.pack().frames;
    let done = || Step { answer: told(frames, ""), refused: 0, ends: true };
    if turn.plan.says_something() || text.trim().is_empty() {
        return done();
    }
    match moves::reply(turn, &text) {
        Moved::Refused(reason) => Step { answer: told(frames, &reason), refused: 1, ends: false },
        _ => done(),
    }
}

/// A move of the flow itself, as a model sees it.
pub(super) fn tool(
    name: &str,
    description: &str,
    properties: Value,
    required: &[&str],
) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        input: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
    }
}
