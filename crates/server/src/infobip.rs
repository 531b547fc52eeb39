//! `POST /webhooks/infobip/{channel}`: know the caller, verify the raw bytes, understand each item, make
//! it durable, and only then answer 200.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use channels::infobip::{self, SIGNATURE_HEADERS};
use domain::ChannelId;
use runner::Taken;

use crate::api::Named;
use crate::peer::Peer;
use crate::problem::Problem;
use crate::refusals;
use crate::{App, BODY_LIMIT, Hook, Webhook};

pub(crate) async fn deliver(
    State(app): State<App>,
    Named(channel): Named<String>,
    peer: Peer,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Taken>, Problem> {
    let channel = ChannelId(channel);
    // A channel that does not exist and one with other credentials look alike from outside.
    let Some(hook @ Hook { webhook: Webhook::Infobip(auth), .. }) = app.0.webhooks.get(&channel)
    else {
        return Err(Problem::Unauthorized);
    };
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let signature = SIGNATURE_HEADERS.iter().find_map(|name| text(name));
    let authorization = text(header::AUTHORIZATION.as_str());
    let is_known = auth.knows(authorization, signature).map_err(refusals::turned_away(&channel))?;
    let (body, _held) = match is_known {
        true => app.0.pools.known.read(hook.workspace, body, BODY_LIMIT).await?,
        false => app.read_signed(hook, peer, body).await?,
    };
    if !is_known {
        let verified = auth.verify(authorization, signature, &body);
        verified.map_err(refusals::turned_away(&channel))?;
        hook.familiar.meet(peer.0, app.now());
    }
    let _place = app.takes_in(hook.workspace)?;
    let parsed = infobip::parse(&body).map_err(|error| Problem::BadRequest(error.to_string()))?;
    Ok(Json(app.intake().ingest(&channel, parsed).await?))
}
