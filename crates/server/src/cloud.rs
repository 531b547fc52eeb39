//! `/webhooks/whatsapp/{channel}`: Meta's handshake, and its deliveries: see that they are signed, verify
//! the raw bytes, understand each item, make it durable, and only then answer 200.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use channels::cloud::{self, SIGNATURE_HEADER, WebhookAuth};
use domain::ChannelId;
use runner::Taken;
use serde::Deserialize;

use crate::api::{Named, Params};
use crate::peer::Peer;
use crate::problem::Problem;
use crate::refusals;
use crate::{App, Hook, Webhook};

/// Longer than any challenge that Meta makes.
const MAX_CHALLENGE: usize = 256;

#[derive(Deserialize)]
pub(crate) struct Handshake {
    #[serde(rename = "hub.mode", default)]
    mode: String,
    #[serde(rename = "hub.verify_token", default)]
    verify_token: String,
    #[serde(rename = "hub.challenge", default)]
    challenge: String,
}

/// A channel of the Cloud API, and from where it is spoken to.
struct Number<'a> {
    auth: &'a WebhookAuth,
    id: &'a str,
    hook: &'a Hook,
}

/// A channel that does not exist and one with other credentials look alike from outside.
fn number<'a>(app: &'a App, channel: &ChannelId) -> Result<Number<'a>, Problem> {
    let hook = app.0.webhooks.get(channel).ok_or(Problem::Unauthorized)?;
    match &hook.webhook {
        Webhook::WhatsappCloud { auth, phone_number_id } => {
            Ok(Number { auth, id: phone_number_id, hook })
        }
        Webhook::Infobip(_) => Err(Problem::Unauthorized),
    }
}

/// Answers a caller that knows the agreed word with its challenge, as the text it is.
pub(crate) async fn shake(
    State(app): State<App>,
    Named(channel): Named<String>,
    Params(said): Params<Handshake>,
) -> Result<Response, Problem> {
    let channel = ChannelId(channel);
    let Number { auth, .. } = number(&app, &channel)?;
    if said.mode != "subscribe" || !auth.agrees(&said.verify_token) {
        refusals::count(format!("401, the handshake of `{channel}`"));
        return Err(Problem::Unauthorized);
    }
    if said.challenge.is_empty() || said.challenge.len() > MAX_CHALLENGE {
        let length = format!("hub.challenge must be 1 to {MAX_CHALLENGE} bytes long");
        return Err(Problem::BadRequest(length));
    }
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, said.challenge).into_response())
}

pub(crate) async fn deliver(
    State(app): State<App>,
    Named(channel): Named<String>,
    peer: Peer,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Taken>, Problem> {
    let channel = ChannelId(channel);
    let Number { auth, id, hook } = number(&app, &channel)?;
    let signature = headers.get(SIGNATURE_HEADER).and_then(|value| value.to_str().ok());
    auth.is_signed(signature).map_err(refusals::turned_away(&channel))?;
    let (body, _held) = app.read_signed(hook, peer, body).await?;
    auth.verify(signature, &body).map_err(refusals::turned_away(&channel))?;
    hook.familiar.meet(peer.0, app.now());
    let _place = app.takes_in(hook.workspace)?;
    let parsed = cloud::parse(&body, id);
    let parsed = parsed.map_err(|error| Problem::BadRequest(error.to_string()))?;
    Ok(Json(app.intake().ingest(&channel, parsed).await?))
}
