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
use super::state::FlowState;
use crate::form::heard::Heard;
use crate::model::{ask, messages, preview, served, shown};

const COMPONENT: &str = "orchestrator";

/// As many times as one turn asks it.
const MOST_STEPS: usize = 6;

/// A model that was told no and asks for what is forbidden again is no longer heard.
const MOST_REFUSALS: usize = 2;

/// Lets the model answer, if there is one. What it leaves unanswered is answered by the rules.
pub(super) async fn orchestrate(state: &mut FlowState<'_>) {
    let Some(heard) = state.heard() else { return };
    let spec = state.spec;
    let orchestrator = spec.pack().manifest.models.orchestrator.as_ref();
    let Some(component) = served(orchestrator, &*state.context) else { return };
    let lines = spec.pack().manifest.history.lines;
    let facts = profile(state);
    let (summary, said) =
        shown(spec.pack(), &mut *state.context, &mut state.memory.history, lines, &facts).await;
    super::thread::interrupt(state);
    let mut talk = messages(&summary, &said, framed(state, heard));
    let mut refusals = 0;
    for _ in 0..MOST_STEPS {
        let request = ModelRequest {
            system: system(state, COMPONENT),
            messages: talk.clone(),
            tools: moves::offered(state),
            tool_use: ToolUseMode::Free,
            ..ModelRequest::default()
        };
        let ask = ask(spec.pack(), COMPONENT, component, request);
        let allowed = own_words::allowed(state);
        let show = preview(&allowed);
        let speaks = !spec.mode(&state.mode).own_words.is_empty() && !state.said_something();
        let show: Option<crate::Preview<'_>> = if speaks { Some(&show) } else { None };
        let Some(reply) = ask_model(state, &ask, show).await else { break };
        let step = take(state, heard, &reply).await;
        refusals += step.refused;
        if step.ends || refusals >= MOST_REFUSALS || state.handoff.is_some() {
            break;
        }
        talk.push(ModelMessage { role: Speaker::Assistant, parts: reply.parts.clone() });
        talk.push(step.answer);
    }
    state.settled = state.said_something() || state.handoff.is_some() || state.closes;
    if state.settled {
        state.memory.clarified = 0;
    }
}

struct Step {
    /// What the model is told next.
    answer: ModelMessage,
    refused: usize,
    ends: bool,
}

/// Does what a whole answer asks for; nothing is done from one that was cut off.
async fn take(state: &mut FlowState<'_>, heard: &Heard<'_>, reply: &ModelReply) -> Step {
    match reply.stop {
        StopReason::ToolCalls => calls(state, heard, reply).await,
        StopReason::End => words(state, reply),
        _ => Step { answer: told(""), refused: MOST_REFUSALS, ends: true },
    }
}

async fn calls(state: &mut FlowState<'_>, heard: &Heard<'_>, reply: &ModelReply) -> Step {
    let mut results = Vec::new();
    let mut refused = 0;
    let mut wants_more = false;
    let asked: Vec<(String, String, Value)> = reply
        .calls()
        .map(|(id, name, input)| (id.to_owned(), name.to_owned(), input.clone()))
        .collect();
    for (id, name, input) in asked {
        // What was given away is no longer the model's to act on.
        if state.handoff.is_some() || state.closes {
            break;
        }
        let (content, is_error) = match moves::make(state, heard, &name, &input).await {
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
    let ends = state.said_something() && !wants_more && refused == 0;
    Step { answer: ModelMessage { role: Speaker::User, parts: results }, refused, ends }
}

/// A model that ends with words says them, where the mode lets it and nothing was said yet.
fn words(state: &mut FlowState<'_>, reply: &ModelReply) -> Step {
    let text = reply.text();
    let done = |answer| Step { answer, refused: 0, ends: true };
    if state.said_something() || text.trim().is_empty() {
        return done(told(""));
    }
    match moves::reply(state, &text) {
        Moved::Refused(reason) => Step { answer: told(&reason), refused: 1, ends: false },
        _ => done(told("")),
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
