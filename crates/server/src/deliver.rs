//! What a delivery held becomes durable, whichever provider brought it; only then is it acknowledged.

use axum::Json;
use channels::{Denied, Parsed, Renaming};
use domain::{ChannelId, Inbound};
use serde_json::{Value, json};

use crate::App;
use crate::problem::Problem;
use crate::refusals;

/// Longer than any message that a provider takes from a customer.
const LONGEST: usize = 128 * 1024;

/// Whoever has not the credentials is told so, and the log why.
pub(crate) fn turned_away(channel: &ChannelId) -> impl Fn(Denied) -> Problem {
    move |denied| {
        refusals::count(format!("401, a delivery for `{channel}`: {denied}"));
        Problem::Unauthorized
    }
}

pub(crate) async fn take(
    app: &App,
    channel: &ChannelId,
    parsed: Parsed,
) -> Result<Json<Value>, Problem> {
    let engine = app.engine();
    let length = |item: &Inbound| serde_json::to_vec(&item.content).map_or(0, |json| json.len());
    let (messages, long): (Vec<_>, Vec<_>) =
        parsed.messages.into_iter().partition(|item| length(item) <= LONGEST);
    let bad = parsed.bad.into_iter().map(|bad| (cut(bad.raw), bad.reason));
    let long = long.into_iter().map(|item| {
        let content = serde_json::to_value(&item.content).unwrap_or_default();
        let raw = json!({ "id": item.external_id, "content": cut(content) });
        (raw, format!("longer than {} kB, which no customer writes", LONGEST / 1024))
    });
    let unreadable: Vec<_> = bad.chain(long).collect();
    let (ignored, unread) = (parsed.ignored, unreadable.len());
    if !unreadable.is_empty() {
        engine.keep_unreadable(channel, unreadable).await?;
    }
    let taken = engine.take_in(channel, messages, parsed.reports).await?;
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
        "unreadable": unread,
        "ignored": ignored,
    })))
}

/// A value as it is put before a person: of one that is too long, its beginning.
fn cut(raw: Value) -> Value {
    let text = raw.to_string();
    if text.len() <= LONGEST {
        return raw;
    }
    let end = text.floor_char_boundary(LONGEST);
    json!({ "begins": &text[..end], "bytes": text.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_is_too_long_a_person_gets_the_beginning() {
        assert_eq!(cut(json!({ "a": 1 })), json!({ "a": 1 }));
        let long = cut(json!("ñ".repeat(LONGEST)));
        assert_eq!(long["bytes"], 2 * LONGEST + 2);
        let begins = long["begins"].as_str().unwrap();
        assert!(begins.len() <= LONGEST && begins.ends_with('ñ'), "no letter is cut in two");
    }
}
