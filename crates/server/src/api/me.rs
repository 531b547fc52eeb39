//! `GET /me`: whose key this is.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::auth::Viewer;
use super::problems::Refusals;
use super::words::{Role, time};
use crate::App;
use crate::problem::Problem;

#[derive(Serialize, ToSchema)]
pub(super) struct Me {
    workspace: Uuid,
    /// The workspace's name in the configuration.
    workspace_name: Option<String>,
    key: Uuid,
    /// As whom this key acts.
    name: String,
    role: Role,
    expires_at: Option<String>,
}

#[utoipa::path(get, path = "/me", tag = "keys", operation_id = "get_me",
    security(("key" = ["viewer"])), responses((status = 200, body = Me), Refusals))]
/// Whose key this is
pub(super) async fn get(
    State(app): State<App>,
    Viewer(caller): Viewer,
) -> Result<Json<Me>, Problem> {
    let workspace = app.store().workspace(caller.workspace).await?;
    Ok(Json(Me {
        workspace: caller.workspace.0,
        workspace_name: workspace.map(|workspace| workspace.slug),
        key: caller.key.id.0,
        name: caller.key.name,
        role: caller.key.role.into(),
        expires_at: caller.key.expires_at.map(time),
    }))
}
