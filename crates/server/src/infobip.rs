//! `POST /webhooks/infobip/{channel}`: verify the raw bytes, understand each item, make it
//! durable, and only then answer 200.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use channels::infobip::{self, BadItem, SIGNATURE_HEADERS};
use domain::ChannelId;
use serde_json::{Value, json};

use crate::App;
use crate::problem::Problem;

pub(crate) async fn deliver(
    State(app): State<App>,
    Path(channel): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>, Problem> {
    let channel = ChannelId(channel);
    // A channel that does not exist and one with other credentials look alike from outside.
    let auth = app.0.webhooks.get(&channel).ok_or(Problem::Unauthorized)?;
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let signature = SIGNATURE_HEADERS.iter().find_map(|name| text(name));
    if let Err(denied) = auth.verify(text(header::AUTHORIZATION.as_str()), signature, &body) {
        tracing::warn!(%channel, %denied, "webhook turned away");
        return Err(Problem::Unauthorized);
    }
    let full = || Problem::NotNow("too many deliveries at once".to_owned());
    let _permit = app.0.intake.try_acquire().map_err(|_| full())?;
    let parsed = infobip::parse(&body).map_err(|error| Problem::BadRequest(error.to_string()))?;
    let (ignored, unreadable) = (parsed.ignored, parsed.bad.len());
    if !parsed.bad.is_empty() {
        let items = raw_items(&body, parsed.bad);
        app.engine().keep_unreadable(&channel, items).await?;
    }
    let taken = app.engine().take_in(&channel, parsed.messages, parsed.reports).await?;
    Ok(Json(json!({
        "accepted": taken.new,
        "duplicates": taken.duplicates,
        "reports": taken.reports,
        "unreadable": unreadable,
        "ignored": ignored,
    })))
}

/// The bad items as they came, each with its reason.
fn raw_items(body: &[u8], bad: Vec<BadItem>) -> Vec<(Value, String)> {
    let whole: Value = serde_json::from_slice(body).unwrap_or_default();
    let item = |bad: BadItem| (whole["results"][bad.index].clone(), bad.reason);
    bad.into_iter().map(item).collect()
}
