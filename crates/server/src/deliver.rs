//! What a delivery held becomes durable, whichever provider brought it; only then is it acknowledged.

use axum::Json;
use channels::{Denied, Parsed, Renaming};
use domain::ChannelId;
use serde_json::{Value, json};

use crate::App;
use crate::problem::Problem;

/// Whoever has not the credentials is told so, and the log why.
pub(crate) fn turned_away(channel: &ChannelId) -> impl Fn(Denied) -> Problem {
    move |denied| {
        tracing::warn!(%channel, %denied, "webhook turned away");
        Problem::Unauthorized
    }
}

pub(crate) async fn take(
    app: &App,
    channel: &ChannelId,
    parsed: Parsed,
) -> Result<Json<Value>, Problem> {
    let engine = app.engine();
    let (ignored, unreadable) = (parsed.ignored, parsed.bad.len());
    if !parsed.bad.is_empty() {
        let items = parsed.bad.into_iter().map(|bad| (bad.raw, bad.reason)).collect();
        engine.keep_unreadable(channel, items).await?;
    }
    let taken = engine.take_in(channel, parsed.messages, parsed.reports).await?;
    // After the messages: the one that tells of it is still under the old name.
    for Renaming { from, to, at } in parsed.renamed {
        engine.renamed(channel, from, to, at.unwrap_or_else(|| engine.now())).await?;
    }
    let echoes = parsed.echoes.len();
    for echo in parsed.echoes {
        let at = echo.sent_at.unwrap_or_else(|| engine.now());
        engine.taken_by_phone(channel, echo.to, echo.text, &echo.external_id, at).await?;
    }
    // After the messages: one may be deleted in the delivery that brings it.
    let deleted = parsed.deleted.len();
    if deleted > 0 {
        engine.forget(channel, parsed.deleted).await?;
    }
    Ok(Json(json!({
        "accepted": taken.new,
        "duplicates": taken.duplicates,
        "set_aside": taken.set_aside,
        "noted": taken.noted,
        "reports": taken.reports,
        "echoes": echoes,
        "deleted": deleted,
        "unreadable": unreadable,
        "ignored": ignored,
    })))
}
