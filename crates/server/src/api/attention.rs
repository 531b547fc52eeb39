//! Lists for a person: events set aside, and calls and sends with an unknown end.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::ConversationId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{AttentionFilter, Resolution};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::auth::{Operator, Viewer};
use super::input::{Body, Named, Params};
use super::page::{self, Page};
use super::problems::{Bodies, Conflicts, Refusals};
use super::words::{ReconcileWord, ResolutionWord, time};
use crate::App;
use crate::problem::Problem;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Filter {
    conversation: Option<Uuid>,
    /// At most 200; 50 if not given.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// The `next` of the last page.
    after: Option<String>,
}

/// How many are asked for, and what to read for that: one more.
fn wanted<P: DeserializeOwned>(filter: &Filter) -> Result<(u32, AttentionFilter<P>), Problem> {
    let limit = page::limit(filter.limit)?;
    let conversation = filter.conversation.map(ConversationId);
    let after = page::place(filter.after.as_deref())?;
    Ok((limit, AttentionFilter { conversation, after, limit: limit + 1 }))
}

/// An event set aside after failing too often.
#[derive(Serialize, ToSchema)]
pub(super) struct SetAside {
    id: Uuid,
    /// Null for an item of a webhook that could not be read.
    conversation: Option<Uuid>,
    /// `message`, `operator`, `timer` or `unreadable`.
    kind: String,
    reason: String,
    received_at: String,
    /// The event as it is kept.
    #[schema(value_type = Object)]
    payload: Value,
}

/// Something whose end nobody knows, or that failed for good.
#[derive(Serialize, ToSchema)]
pub(super) struct Unresolved {
    /// A message's id, or `turn/step`.
    id: String,
    kind: ReconcileWord,
    conversation: Uuid,
    /// The message's text, or the tool's name.
    what: String,
    error: Option<String>,
    since: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Ruling {
    resolution: ResolutionWord,
}

#[utoipa::path(get, path = "/quarantine", tag = "attention", operation_id = "list_quarantine",
    security(("key" = ["viewer"])), params(Filter),
    responses((status = 200, body = Page<SetAside>), Refusals))]
/// Events that failed too often and were set aside
pub(super) async fn quarantined(
    State(app): State<App>,
    Viewer(caller): Viewer,
    Params(filter): Params<Filter>,
) -> Result<Json<Page<SetAside>>, Problem> {
    let (limit, wanted) = wanted(&filter)?;
    let _turn = app.0.answers.operators_turn(caller.workspace).await;
    let rows = app.store().quarantined(caller.workspace, &wanted).await?;
    let item = |row: store::Quarantined| SetAside {
        id: row.id,
        conversation: row.conversation.map(|conversation| conversation.0),
        kind: row.kind,
        reason: row.reason,
        received_at: time(row.received_at),
        payload: serde_json::from_str(row.payload.reveal()).unwrap_or_default(),
    };
    Ok(Json(Page::of(rows, limit, |row| row.id, item)))
}

#[utoipa::path(post, path = "/quarantine/{id}/retry", tag = "attention",
    operation_id = "retry_quarantined", security(("key" = ["operator"])),
    params(("id" = Uuid, Path, description = "The event")),
    responses((status = 204, description = "The event is in its lane again"), Refusals, Conflicts))]
/// Put an event back into its lane, and the conversation back to the bot
pub(super) async fn retry(
    State(app): State<App>,
    Operator(caller): Operator,
    Named(id): Named<Uuid>,
) -> Result<StatusCode, Problem> {
    let (store, now) = (app.store(), app.now());
    store.retry(caller.workspace, id, caller.name(), now).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[utoipa::path(get, path = "/reconcile", tag = "attention", operation_id = "list_reconcile",
    security(("key" = ["viewer"])), params(Filter),
    responses((status = 200, body = Page<Unresolved>), Refusals))]
/// Sends and tool calls whose outcome nobody knows, or that failed for good
pub(super) async fn unresolved(
    State(app): State<App>,
    Viewer(caller): Viewer,
    Params(filter): Params<Filter>,
) -> Result<Json<Page<Unresolved>>, Problem> {
    let (limit, wanted) = wanted(&filter)?;
    let rows = app.store().reconcile_items(caller.workspace, &wanted).await?;
    let item = |row: store::ReconcileItem| Unresolved {
        id: row.id,
        kind: row.kind.into(),
        conversation: row.conversation.0,
        what: row.what.into_revealed(),
        error: row.error,
        since: time(row.since),
    };
    Ok(Json(Page::of(rows, limit, |row| row.place.clone(), item)))
}

#[utoipa::path(post, path = "/reconcile/{id}/resolve", tag = "attention",
    operation_id = "resolve_reconcile", security(("key" = ["operator"])),
    params(("id" = String, Path, description = "The item; the `/` of a step's is written `%2F`")),
    request_body = Ruling,
    responses((status = 204, description = "The item is resolved"), Refusals, Bodies, Conflicts))]
/// Say what became of it
pub(super) async fn resolve(
    State(app): State<App>,
    Operator(caller): Operator,
    Named(id): Named<String>,
    Body(ruling): Body<Ruling>,
) -> Result<StatusCode, Problem> {
    let (store, now) = (app.store(), app.now());
    let resolution: Resolution = ruling.resolution.into();
    store.reconcile(caller.workspace, &id, resolution, caller.name(), now).await?;
    Ok(StatusCode::NO_CONTENT)
}
