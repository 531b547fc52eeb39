//! Handoffs: who waits for a person, who has them, and how each ended.

use axum::Json;
use axum::extract::State;
use domain::{HandoffId, HandoffRequest};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::HandoffFilter;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::auth::{Caller, Operator, Viewer};
use super::input::{self, Body, Named, Params};
use super::page::{self, Page};
use super::problems::{Bodies, Conflicts, Refusals};
use super::words::{HandoffWord, TriggerWord, time};
use crate::App;
use crate::problem::Problem;

const MAX_CHARS: usize = 4_000;
const MAX_NAME: usize = 60;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Filter {
    status: Option<HandoffWord>,
    /// The person who has it.
    assignee: Option<String>,
    /// At most 200; 50 if not given.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// The `next` of the last page.
    after: Option<String>,
}

/// A conversation that waits for a person, with all that the person should know.
#[derive(Serialize, ToSchema)]
pub(super) struct HandoffCard {
    id: Uuid,
    conversation: Uuid,
    session: Uuid,
    contact: Uuid,
    trigger: TriggerWord,
    reason: String,
    /// `current_mode`, `cart_summary`, `last_messages`, `customer_info` and `pending_issue`, as they
    /// were.
    #[schema(value_type = Object)]
    context: Value,
    status: HandoffWord,
    assigned_to: Option<String>,
    assigned_at: Option<String>,
    resolved_at: Option<String>,
    resolution: Option<String>,
    created_at: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Assign {
    /// The person to attend to it; the key's holder if not given.
    #[schema(min_length = 1, max_length = 60)]
    to: Option<String>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Resolve {
    /// How it ended.
    #[schema(min_length = 1, max_length = 4000)]
    resolution: String,
}

#[utoipa::path(get, path = "/handoffs", tag = "handoffs", operation_id = "list_handoffs",
    security(("key" = ["viewer"])), params(Filter),
    responses((status = 200, body = Page<HandoffCard>), Refusals))]
/// Handoffs, newest first
pub(super) async fn list(
    State(app): State<App>,
    Viewer(caller): Viewer,
    Params(filter): Params<Filter>,
) -> Result<Json<Page<HandoffCard>>, Problem> {
    let limit = page::limit(filter.limit)?;
    let wanted = HandoffFilter {
        status: filter.status.map(Into::into),
        assignee: filter.assignee,
        before: page::place(filter.after.as_deref())?,
        limit: limit + 1,
    };
    let rows = app.store().handoffs(caller.workspace, wanted).await?;
    Ok(Json(Page::of(rows, limit, |row| row.id, card)))
}

#[utoipa::path(get, path = "/handoffs/{id}", tag = "handoffs", operation_id = "get_handoff",
    security(("key" = ["viewer"])), params(("id" = Uuid, Path, description = "The handoff")),
    responses((status = 200, body = HandoffCard), Refusals))]
/// Read a handoff
pub(super) async fn get(
    State(app): State<App>,
    Viewer(caller): Viewer,
    Named(id): Named<HandoffId>,
) -> Result<Json<HandoffCard>, Problem> {
    read(&app, &caller, id).await
}

#[utoipa::path(post, path = "/handoffs/{id}/assign", tag = "handoffs",
    operation_id = "assign_handoff", security(("key" = ["operator"])),
    params(("id" = Uuid, Path, description = "The handoff")), request_body = Assign,
    responses((status = 200, body = HandoffCard), Refusals, Bodies, Conflicts))]
/// Say who is to attend to it; a conversation that somebody has passes to that person
pub(super) async fn assign(
    State(app): State<App>,
    Operator(caller): Operator,
    Named(id): Named<HandoffId>,
    Body(wish): Body<Assign>,
) -> Result<Json<HandoffCard>, Problem> {
    let to = match &wish.to {
        Some(to) => input::text("the name", to, MAX_NAME)?,
        None => caller.name().to_owned(),
    };
    let (store, now) = (app.store(), app.now());
    store.assign_handoff(caller.workspace, id, caller.name(), &to, now).await?;
    read(&app, &caller, id).await
}

#[utoipa::path(post, path = "/handoffs/{id}/resolve", tag = "handoffs",
    operation_id = "resolve_handoff", security(("key" = ["operator"])),
    params(("id" = Uuid, Path, description = "The handoff")), request_body = Resolve,
    responses((status = 200, body = HandoffCard), Refusals, Bodies, Conflicts))]
/// Say how it ended; the conversation stays with people until it is given back
pub(super) async fn resolve(
    State(app): State<App>,
    Operator(caller): Operator,
    Named(id): Named<HandoffId>,
    Body(wish): Body<Resolve>,
) -> Result<Json<HandoffCard>, Problem> {
    let resolution = input::text("the resolution", &wish.resolution, MAX_CHARS)?;
    let (store, now) = (app.store(), app.now());
    store.resolve_handoff(caller.workspace, id, caller.name(), &resolution, now).await?;
    read(&app, &caller, id).await
}

async fn read(app: &App, caller: &Caller, id: HandoffId) -> Result<Json<HandoffCard>, Problem> {
    let handoff = app.store().handoff(caller.workspace, id).await?;
    Ok(Json(card(handoff)))
}

fn card(row: HandoffRequest) -> HandoffCard {
    HandoffCard {
        id: row.id.0,
        conversation: row.conversation.0,
        session: row.session.0,
        contact: row.contact.0,
        trigger: row.trigger.into(),
        reason: row.reason,
        context: row.context,
        status: row.status.into(),
        assigned_to: row.assigned_to,
        assigned_at: row.assigned_at.map(time),
        resolved_at: row.resolved_at.map(time),
        resolution: row.resolution,
        created_at: time(row.created_at),
    }
}
