//! Deeds as the API does them: under the caller's name, and once for each of its ids.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use store::Deed;
use uuid::Uuid;

use super::auth::Caller;
use crate::App;
use crate::problem::Problem;

/// Looks something up; none if it is not there.
pub(super) async fn consult<T: DeserializeOwned>(
    app: &App,
    caller: &Caller,
    deed: impl Deed + 'static,
) -> Result<Option<T>, Problem> {
    let (store, now) = (app.store(), app.now());
    match store.consult(caller.workspace, Arc::new(deed), now).await? {
        Value::Null => Ok(None),
        found => read(found).map(Some),
    }
}

/// Does something, audited. Asked for again under the same id it is done once.
pub(super) async fn perform<T: DeserializeOwned>(
    app: &App,
    caller: &Caller,
    (action, subject): (&str, &str),
    client_id: Option<Uuid>,
    deed: impl Deed + 'static,
) -> Result<T, Problem> {
    // An id is the caller's for each thing it does; two things under one id are two.
    let own = |id: Uuid| Uuid::new_v5(&id, format!("{action}/{subject}").as_bytes());
    let id = client_id.map_or_else(|| app.0.ids.next(), own);
    let (store, now, by) = (app.store(), app.now(), caller.name());
    let deed = Arc::new(deed);
    let done = store.perform(caller.workspace, by, action, subject, id, deed, now).await?;
    read(done)
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, Problem> {
    let unreadable = |error: serde_json::Error| Problem::Internal(error.to_string());
    serde_json::from_value(value).map_err(unreadable)
}
