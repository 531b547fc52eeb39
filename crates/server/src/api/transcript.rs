//! `GET /conversations/{id}/transcript`: what was said, backwards, and why each turn did what it did.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use domain::{ConversationId, TurnId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{Line, LinePlace, TurnDetail};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::auth::Viewer;
use super::input::{Named, Params};
use super::page::{self, Page};
use super::problems::Refusals;
use super::words::{AuthorWord, DeliveryWord, Speaker, dollars, time};
use crate::App;
use crate::problem::Problem;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Paging {
    /// At most 200; 50 if not given.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// The `next` of the last page, which goes on with older lines.
    after: Option<String>,
}

/// A line of a conversation.
#[derive(Serialize, ToSchema)]
pub(super) struct TranscriptLine {
    session: Uuid,
    /// The line's place in the session.
    number: i64,
    at: String,
    role: Speaker,
    /// To the letter, with whatever in it nobody sees.
    text: String,
    /// The same with what nobody sees shown as its number, `⟨U+202E⟩`; null where there is nothing
    /// of the kind. Show this one to people.
    revealed: Option<String>,
    /// The turn that wrote it; null for what operators did.
    turn: Option<Uuid>,
    /// The state of the message's delivery, for lines that are a message.
    delivery: Option<LineDelivery>,
    /// The tools its turn used, on the first line of the answer.
    tools: Vec<UsedTool>,
    /// How the turn came about, on its first line.
    detail: Option<Turn>,
}

#[derive(Serialize, ToSchema)]
pub(super) struct LineDelivery {
    message: Uuid,
    author: AuthorWord,
    status: DeliveryWord,
    /// Why it failed or was held back.
    error: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(super) struct UsedTool {
    name: String,
    #[schema(value_type = Object)]
    input: Value,
    ok: bool,
    /// An object, or what is said of a call that failed.
    #[schema(value_type = Value)]
    output: Value,
}

/// Why a turn did what it did.
#[derive(Serialize, ToSchema)]
pub(super) struct Turn {
    /// The agent's account of it: `path` with microseconds, `intents` with confidence, `tier`,
    /// `rules`, `templates`, `fields`, `signals`, `refused`, `asked` models, `tokens`, `ms`; each
    /// only where there is something to say.
    #[schema(value_type = Object)]
    trace: Value,
    /// The recorded calls, in order.
    steps: Vec<StepCard>,
    /// Every attempt at a model.
    models: Vec<ModelCard>,
    /// The cost of the models in all, in US dollars.
    cost_usd: String,
}

#[derive(Serialize, ToSchema)]
pub(super) struct StepCard {
    key: String,
    tool: String,
    /// `local`, `outside` or `model`.
    kind: &'static str,
    /// `intended`, `done`, `failed` or `unknown`.
    status: &'static str,
    #[schema(value_type = Value)]
    input: Value,
    #[schema(value_type = Value)]
    output: Value,
    at: String,
}

#[derive(Serialize, ToSchema)]
pub(super) struct ModelCard {
    /// The step it was made for.
    step: String,
    component: String,
    provider: String,
    model: String,
    attempt: u32,
    /// `answered`, or why not.
    outcome: String,
    input_tokens: u32,
    output_tokens: u32,
    cache_read_tokens: u32,
    cache_write_tokens: u32,
    cost_usd: String,
    ms: u32,
}

#[utoipa::path(get, path = "/conversations/{id}/transcript", tag = "conversations",
    operation_id = "get_transcript", security(("key" = ["viewer"])), params(
        ("id" = Uuid, Path, description = "The conversation"), Paging),
    responses((status = 200, body = Page<TranscriptLine>), Refusals))]
/// Read the transcript, newest line first
pub(super) async fn get(
    State(app): State<App>,
    Viewer(caller): Viewer,
    Named(id): Named<ConversationId>,
    Params(paging): Params<Paging>,
) -> Result<Json<Page<TranscriptLine>>, Problem> {
    let limit = page::limit(paging.limit)?;
    let before: Option<LinePlace> = page::place(paging.after.as_deref())?;
    let (store, workspace) = (app.store(), caller.workspace);
    // Nobody's conversation has no lines either; it is still nobody's.
    store.get(workspace, id).await?;
    let _turn = app.0.answers.operators_turn(workspace).await;
    let lines = store.lines_before(workspace, id, before, limit + 1).await?;
    let firsts = first_lines(&lines);
    let turns: Vec<TurnId> = firsts.keys().copied().collect();
    let details = store.turn_details(workspace, &turns).await?;
    let mut details: HashMap<TurnId, TurnDetail> = turns.into_iter().zip(details).collect();
    let line = |(place, line): (LinePlace, Line)| {
        let is_first = firsts.get(&line.turn) == Some(&place);
        let detail = if is_first { details.remove(&line.turn) } else { None };
        shown(line, detail)
    };
    Ok(Json(Page::of(lines, limit, |(place, _)| *place, line)))
}

/// Where each turn began, of those that begin among these lines, newest first.
fn first_lines(lines: &[(LinePlace, Line)]) -> HashMap<TurnId, LinePlace> {
    let mut firsts = HashMap::new();
    for (n, (place, line)) in lines.iter().enumerate() {
        let is_first = match lines.get(n + 1) {
            Some((_, older)) => older.turn != line.turn,
            None => line.number == 1,
        };
        if is_first && line.turn.0 != Uuid::nil() {
            firsts.insert(line.turn, *place);
        }
    }
    firsts
}

fn shown(line: Line, detail: Option<TurnDetail>) -> TranscriptLine {
    let tool = |tool: domain::ToolUse| UsedTool {
        name: tool.name,
        input: tool.input,
        ok: tool.ok,
        output: tool.output,
    };
    let trace = serde_json::to_value(line.trace.unwrap_or_default()).unwrap_or_default();
    let text = line.content.into_revealed();
    TranscriptLine {
        session: line.session.0,
        number: line.number,
        at: time(line.at),
        role: line.role.into(),
        revealed: Some(domain::revealed(&text)).filter(|shown| *shown != text),
        text,
        turn: Some(line.turn.0).filter(|turn| *turn != Uuid::nil()),
        delivery: line.delivery.map(|delivery| LineDelivery {
            message: delivery.message.0,
            author: delivery.author.into(),
            status: delivery.status.into(),
            error: delivery.error,
        }),
        tools: line.tools.into_iter().map(tool).collect(),
        detail: detail.map(|detail| turn(trace, detail)),
    }
}

fn turn(trace: Value, detail: TurnDetail) -> Turn {
    let cost = detail.calls.iter().fold(domain::Cost(0), |sum, line| sum.plus(line.call.cost));
    let step = |step: store::TurnStep| StepCard {
        key: step.step.key.0,
        tool: step.step.tool,
        kind: step.kind.as_str(),
        status: step.step.status.as_str(),
        input: step.input,
        output: step.step.output,
        at: time(step.step.at),
    };
    let model = |line: store::LedgerLine| ModelCard {
        step: line.step.0,
        component: line.call.component,
        provider: line.call.provider,
        model: line.call.model,
        attempt: line.call.attempt,
        outcome: line.call.outcome,
        input_tokens: line.call.usage.input,
        output_tokens: line.call.usage.output,
        cache_read_tokens: line.call.usage.cache_read,
        cache_write_tokens: line.call.usage.cache_write,
        cost_usd: dollars(line.call.cost),
        ms: line.call.ms,
    };
    Turn {
        trace,
        steps: detail.steps.into_iter().map(step).collect(),
        models: detail.calls.into_iter().map(model).collect(),
        cost_usd: dollars(cost),
    }
}
