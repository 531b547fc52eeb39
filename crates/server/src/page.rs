//! The webchat page, self-contained and under a strict content policy.

use axum::extract::State;
use axum::http::header;
use axum::response::{Html, IntoResponse, Redirect, Response};
use domain::{ChannelId, ChannelKind};

use crate::App;
use crate::api::Named;
use crate::problem::Problem;

const PAGE: &str = include_str!("../assets/chat.html");

/// Leads to the first webchat there is.
pub(crate) async fn index(State(app): State<App>) -> Result<Redirect, Problem> {
    match app.connected().webchats().first() {
        Some(channel) => Ok(Redirect::temporary(&format!("/chat/{channel}"))),
        None => Err(Problem::NotFound("no webchat channel is configured".to_owned())),
    }
}

pub(crate) async fn chat(
    State(app): State<App>,
    Named(channel): Named<String>,
) -> Result<Response, Problem> {
    let channel = ChannelId(channel);
    let outlet = app.connected().outlet(&channel);
    let outlet = outlet.filter(|outlet| outlet.channel.kind == ChannelKind::Webchat);
    let outlet = outlet.ok_or_else(|| Problem::NotFound(format!("no webchat `{channel}`")))?;
    let nonce = app.0.ids.next().simple().to_string();
    // The channel's name was checked when the configuration was read: letters, digits and dashes.
    let html = PAGE
        .replace("{{nonce}}", &nonce)
        .replace("{{channel}}", &channel.0)
        .replace("{{title}}", &escape(&app.connected().title(outlet)));
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
         connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    let headers = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::REFERRER_POLICY, "no-referrer".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, Html(html)).into_response())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
