//! `POST /webhooks/infobip/{channel}`: verify the raw bytes, understand each item, make it
//! durable, and only then answer 200.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use channels::infobip::{self, SIGNATURE_HEADERS};
use domain::ChannelId;
use serde_json::Value;

use crate::problem::Problem;
use crate::{App, Webhook, deliver};

pub(crate) async fn deliver(
    State(app): State<App>,
    Path(channel): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>, Problem> {
    let channel = ChannelId(channel);
    // A channel that does not exist and one with other credentials look alike from outside.
    let Some(Webhook::Infobip(auth)) = app.0.webhooks.get(&channel) else {
        return Err(Problem::Unauthorized);
    };
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let signature = SIGNATURE_HEADERS.iter().find_map(|name| text(name));
    if let Err(denied) = auth.verify(text(header::AUTHORIZATION.as_str()), signature, &body) {
        tracing::warn!(%channel, %denied, "webhook turned away");
        return Err(Problem::Unauthorized);
    }
    let full = || Problem::NotNow("too many deliveries at once".to_owned());
    let _permit = app.0.intake.try_acquire().map_err(|_| full())?;
    let parsed = infobip::parse(&body).map_err(|error| Problem::BadRequest(error.to_string()))?;
    deliver::take(&app, &channel, parsed).await
}
