//! The webchat's API: become a visitor, write a message, read the history.

mod open_page;
mod stream;
mod words;

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{Channel, ChannelId, ChannelKind, Content, Identity, Inbound, storable, visible};
use sentences::Sentences;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store::FEW_LINES;

pub(crate) use self::stream::events;
use crate::App;
use crate::api::Named;
use crate::peer::Peer;
use crate::problem::Problem;
use crate::visitor::{Visitor, cookie};
use crate::visits::Wait;

/// Longer than anyone types; a novel is not a chat message.
const MAX_CHARS: usize = 4_000;

/// Larger than such a message, whatever its characters and however they are written.
const BODY_LIMIT: usize = 64 * 1024;
/// More than anybody says who asks for a token.
const VISIT_LIMIT: usize = 1024;

const HISTORY: u32 = 200;

#[derive(Deserialize)]
pub(crate) struct Message {
    /// Made by the page, the same when it sends the message again.
    id: String,
    text: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Visit {
    /// As somebody new, even if they are known.
    fresh: bool,
    carry: Carry,
}

/// How a visitor's token travels.
#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Carry {
    /// In a cookie that pages cannot read.
    #[default]
    Cookie,
    /// In a header, which a program of the embedder's own sends.
    Header,
}

/// Gives whoever has no token one; never in an address, which proxies and histories keep.
pub(crate) async fn visit(
    State(app): State<App>,
    Named(channel): Named<String>,
    peer: Peer,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let channel = open(&app, channel)?;
    let (body, _held) = app.0.pools.visitors.read(peer, body, VISIT_LIMIT).await?;
    let visit: Visit = if body.is_empty() { Visit::default() } else { json_of(&headers, &body)? };
    let key = app.visitor_key(&channel)?;
    if !visit.fresh && key.caller(&channel.id, &headers).is_some() {
        return Ok(Json(json!({ "is_new": false })).into_response());
    }
    let token = key.issue(&channel.id, &*app.0.ids);
    if visit.carry == Carry::Header {
        return Ok(Json(json!({ "is_new": true, "visitor": token })).into_response());
    }
    let cookie = cookie(&channel, &token, app.0.gate.is_https);
    let cookie = HeaderValue::from_str(&cookie).map_err(|_| Problem::Unauthorized)?;
    Ok(([(header::SET_COOKIE, cookie)], Json(json!({ "is_new": true }))).into_response())
}

pub(crate) async fn write(
    State(app): State<App>,
    Named(channel): Named<String>,
    peer: Peer,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let channel = open(&app, channel)?;
    let (visitor, own) = visiting(&app, &channel, &headers)?;
    let wait = |wait| waiting(wait, &own);
    app.0.visits.says(visitor, peer, app.now()).map_err(wait)?;
    let (body, _held) = app.0.pools.visitors.read(peer, body, BODY_LIMIT).await.map_err(
        |problem| match problem {
            Problem::TooLarge(_) => Problem::TooLarge(words::too_long(&own, MAX_CHARS)),
            problem => problem,
        },
    )?;
    let message: Message = json_of(&headers, &body)?;
    let id = checked_id(&message.id)?;
    let text = checked_text(&message.text, &own)?;
    let _place = app.takes_in(channel.workspace)?;
    let name = visitor.name();
    let is_known = app.0.visits.knows(visitor);
    if !is_known && app.0.visits.are_limited() {
        let found = app.store().find(channel.workspace, &channel.id, &name).await?;
        if found.is_none() {
            app.0.visits.begins(&channel.id, peer, app.now()).map_err(wait)?;
        }
    }
    // The visitor is part of the key, so that nobody can shadow another's message.
    let (external_id, from) = (format!("{name}/{id}"), Identity::new(name.as_str()));
    let content = Content::text(text);
    let item = Inbound { external_id, from, content, edits: None, sent_at: None };
    app.intake().ingest(&channel.id, vec![item]).await?;
    if !is_known {
        app.0.visits.remember(visitor);
        app.0.hubs.begun.wake(&visitor);
    }
    Ok((StatusCode::ACCEPTED, Json(json!({ "accepted": true }))))
}

pub(crate) async fn history(
    State(app): State<App>,
    Named(channel): Named<String>,
    peer: Peer,
    headers: HeaderMap,
) -> Result<Json<Value>, Problem> {
    let channel = open(&app, channel)?;
    let (visitor, own) = visiting(&app, &channel, &headers)?;
    let read = app.0.visits.reads(visitor, peer, app.now());
    read.map_err(|wait| waiting(wait, &own))?;
    let store = app.store();
    let Some(id) = store.find(channel.workspace, &channel.id, &visitor.name()).await? else {
        return Ok(Json(json!({ "lines": [], "cursor": 0 })));
    };
    let _turn = app.0.answers.visitors_turn(channel.workspace).await;
    let transcript = store.transcript(channel.workspace, id, HISTORY).await?;
    // Options of the last message can still be picked after a reload.
    let last = store.sent_after(channel.workspace, id, transcript.cursor - 1, FEW_LINES).await?;
    let mut lines: Vec<_> = transcript
        .lines
        .iter()
        .filter(|line| line.role != domain::Role::System)
        .map(|line| {
            let text = line.content.reveal();
            json!({ "role": line.role.as_str(), "text": text, "at": line.at.to_string() })
        })
        .collect();
    if let (Some(line), Some(sent)) = (lines.last_mut(), last.last())
        && line["text"] == *sent.text.reveal()
        && !sent.options.is_empty()
    {
        line["options"] = json!(sent.options);
    }
    Ok(Json(json!({ "lines": lines, "cursor": transcript.cursor })))
}

fn waiting(wait: Wait, own: &Sentences) -> Problem {
    let (Wait::Messages(seconds) | Wait::Beginnings(seconds) | Wait::Reads(seconds)) = wait;
    Problem::Wait { seconds, text: words::wait(own, wait) }
}

fn open(app: &App, channel: String) -> Result<Channel, Problem> {
    let id = ChannelId(channel);
    let outlet = app.connected().outlet(&id);
    let outlet = outlet.filter(|outlet| outlet.channel.kind == ChannelKind::Webchat);
    let missing = || Problem::NotFound(format!("there is no webchat `{id}`"));
    outlet.map(|outlet| outlet.channel.clone()).ok_or_else(missing)
}

/// The visitor who calls, and the engine's own sentences as they read them.
fn visiting(
    app: &App,
    channel: &Channel,
    headers: &HeaderMap,
) -> Result<(Visitor, Arc<Sentences>), Problem> {
    let own = app.connected().sentences(channel);
    let visitor = app.visitor_key(channel)?.caller(&channel.id, headers);
    match visitor {
        Some(visitor) => Ok((visitor, own)),
        None => Err(Problem::NoVisitor(own.not_open())),
    }
}

fn json_of<T: DeserializeOwned>(headers: &HeaderMap, body: &[u8]) -> Result<T, Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !kind.is_some_and(|kind| kind.starts_with("application/json")) {
        return Err(Problem::WrongType(
            "send JSON, as `content-type: application/json`".to_owned(),
        ));
    }
    serde_json::from_slice(body).map_err(|error| Problem::BadRequest(error.to_string()))
}

fn checked_text(text: &str, own: &Sentences) -> Result<String, Problem> {
    // Looked at as it came: a character that cannot be stored is stored as one that can be seen.
    if visible(text).trim().is_empty() {
        return Err(Problem::BadRequest(own.empty()));
    }
    let text = storable(text.trim());
    if text.chars().count() > MAX_CHARS {
        return Err(Problem::TooLarge(words::too_long(own, MAX_CHARS)));
    }
    Ok(text)
}

/// Ids made by pages: what a UUID needs, and nothing that could be anything else.
fn checked_id(id: &str) -> Result<&str, Problem> {
    let fits = (8..=64).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let form = "the message's id must be 8 to 64 letters, digits or hyphens, such as a UUID";
    if fits { Ok(id) } else { Err(Problem::BadRequest(form.to_owned())) }
}
