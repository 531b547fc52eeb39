//! Keys: listing them, making one, ending one.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::KeyId;
use serde::{Deserialize, Serialize};
use store::ApiKey;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::auth::Admin;
use super::input::{Body, Named, Params};
use super::page::{self, Page};
use super::problems::{Bodies, Conflicts, Refusals};
use super::words::{Role, time};
use crate::App;
use crate::problem::Problem;
use crate::token;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// A key that lives longer than this is meant for ever.
const MAX_DAYS: u32 = 3_650;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Paging {
    /// At most 200; 50 if not given.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// The `next` of the last page.
    after: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(super) struct KeyCard {
    id: Uuid,
    /// The name of the key's holder, as in the audit log.
    name: String,
    role: Role,
    created_at: String,
    expires_at: Option<String>,
    revoked_at: Option<String>,
    /// To the minute.
    last_used_at: Option<String>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewKey {
    #[schema(min_length = 1, max_length = 60)]
    name: String,
    role: Role,
    /// For ever if not given.
    #[schema(minimum = 1, maximum = 3650)]
    expires_in_days: Option<u32>,
}

/// A new key, with the secret that is shown this once.
#[derive(Serialize, ToSchema)]
pub(super) struct MadeKey {
    #[serde(flatten)]
    key: KeyCard,
    secret: String,
}

#[utoipa::path(get, path = "/keys", tag = "keys", operation_id = "list_keys",
    security(("key" = ["admin"])), params(Paging),
    responses((status = 200, body = Page<KeyCard>), Refusals))]
/// Keys, newest first, those that open nothing any more among them
pub(super) async fn list(
    State(app): State<App>,
    Admin(caller): Admin,
    Params(paging): Params<Paging>,
) -> Result<Json<Page<KeyCard>>, Problem> {
    let limit = page::limit(paging.limit)?;
    let after = page::place(paging.after.as_deref())?;
    let rows = app.store().keys(caller.workspace, after, limit + 1).await?;
    Ok(Json(Page::of(rows, limit, |key| (key.created_at, key.id), card)))
}

#[utoipa::path(post, path = "/keys", tag = "keys", operation_id = "create_key",
    security(("key" = ["admin"])), request_body = NewKey,
    responses((status = 201, body = MadeKey), Refusals, Bodies, Conflicts))]
/// Make a key; its secret is in this answer and nowhere else
pub(super) async fn create(
    State(app): State<App>,
    Admin(caller): Admin,
    Body(wish): Body<NewKey>,
) -> Result<(StatusCode, Json<MadeKey>), Problem> {
    if let Some(mistake) = token::name_mistake(&wish.name) {
        return Err(Problem::Invalid(mistake.to_owned()));
    }
    let now = app.now();
    let expires_at = match wish.expires_in_days {
        None => None,
        Some(days @ 1..=MAX_DAYS) => Some(now.plus_ms(i64::from(days) * DAY_MS)),
        Some(_) => {
            let text = format!("`expires_in_days` is a number from 1 to {MAX_DAYS}");
            return Err(Problem::Invalid(text));
        }
    };
    let (workspace, role, ids) = (caller.workspace, wish.role.into(), &*app.0.ids);
    let (token, stored) = token::mint(workspace, &wish.name, role, expires_at, ids, now);
    app.store().add_key(workspace, &stored, caller.name(), now).await?;
    let made = MadeKey { key: card(stored.key), secret: token.reveal().to_owned() };
    Ok((StatusCode::CREATED, Json(made)))
}

#[utoipa::path(delete, path = "/keys/{id}", tag = "keys", operation_id = "revoke_key",
    security(("key" = ["admin"])), params(("id" = Uuid, Path, description = "The key")),
    responses((status = 204, description = "The key opens nothing any more"), Refusals))]
/// End a key for good
pub(super) async fn revoke(
    State(app): State<App>,
    Admin(caller): Admin,
    Named(id): Named<KeyId>,
) -> Result<StatusCode, Problem> {
    let (store, now) = (app.store(), app.now());
    store.revoke_key(caller.workspace, id, caller.name(), now).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn card(key: ApiKey) -> KeyCard {
    KeyCard {
        id: key.id.0,
        name: key.name,
        role: key.role.into(),
        created_at: time(key.created_at),
        expires_at: key.expires_at.map(time),
        revoked_at: key.revoked_at.map(time),
        last_used_at: key.last_used_at.map(time),
    }
}
