//! Timers: what is armed, soonest first, and cancelling one.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::{ConversationId, TimerId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{ArmedTimer, TimerFilter};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::auth::{Operator, Viewer};
use super::input::{Named, Params};
use super::page::{self, Page};
use super::problems::Refusals;
use super::words::{ConditionWord, time};
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

#[derive(Serialize, ToSchema)]
pub(super) struct TimerCard {
    id: Uuid,
    conversation: Uuid,
    /// The timer's name in the pack.
    key: String,
    armed_at: String,
    due_at: String,
    /// The condition that must still hold when the timer fires.
    condition: ConditionWord,
    /// The message to the agent when the timer fires; null if there is none.
    #[schema(value_type = Option<Object>)]
    payload: Value,
}

#[utoipa::path(get, path = "/timers", tag = "timers", operation_id = "list_timers",
    security(("key" = ["viewer"])), params(Filter),
    responses((status = 200, body = Page<TimerCard>), Refusals))]
/// Armed timers, soonest first
pub(super) async fn list(
    State(app): State<App>,
    Viewer(caller): Viewer,
    Params(filter): Params<Filter>,
) -> Result<Json<Page<TimerCard>>, Problem> {
    let limit = page::limit(filter.limit)?;
    let after: Option<(Timestamp, TimerId)> = page::place(filter.after.as_deref())?;
    let conversation = filter.conversation.map(ConversationId);
    let wanted = TimerFilter { conversation, after, limit: limit + 1 };
    let rows = app.store().armed(caller.workspace, &wanted).await?;
    let place = |row: &ArmedTimer| (row.timer.due_at, row.timer.id);
    let item = |row: ArmedTimer| TimerCard {
        id: row.timer.id.0,
        conversation: row.conversation.0,
        key: row.timer.key,
        armed_at: time(row.timer.armed_at),
        due_at: time(row.timer.due_at),
        condition: row.timer.condition.into(),
        payload: row.timer.payload,
    };
    Ok(Json(Page::of(rows, limit, place, item)))
}

#[utoipa::path(post, path = "/timers/{id}/cancel", tag = "timers", operation_id = "cancel_timer",
    security(("key" = ["operator"])), params(("id" = Uuid, Path, description = "The timer")),
    responses((status = 204, description = "The timer will not fire"), Refusals))]
/// Cancel a timer
pub(super) async fn cancel(
    State(app): State<App>,
    Operator(caller): Operator,
    Named(id): Named<TimerId>,
) -> Result<StatusCode, Problem> {
    let (store, now) = (app.store(), app.now());
    store.cancel_timer(caller.workspace, id, caller.name(), now).await?;
    Ok(StatusCode::NO_CONTENT)
}
