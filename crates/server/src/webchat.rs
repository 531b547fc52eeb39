//! The webchat's API: write a message, read the history, follow what is said.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use domain::{
    Channel, ChannelId, ChannelKind, Content, ConversationId, Identity, Inbound, Pii, storable,
    visible,
};
use futures::Stream;
use runner::Engine;
use serde::Deserialize;
use serde_json::{Value, json};
use store::SentLine;
use tokio::sync::broadcast;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::App;
use crate::problem::Problem;

/// Longer than anyone types; a novel is not a chat message.
const MAX_CHARS: usize = 4_000;

const HISTORY: u32 = 200;

/// Lines are looked at this often although nothing said that there are new ones.
const SAFETY_POLL: Duration = Duration::from_secs(15);

#[derive(Deserialize)]
pub(crate) struct Message {
    visitor: String,
    /// Made by the page, the same when it sends the message again.
    id: String,
    text: String,
}

#[derive(Deserialize)]
pub(crate) struct Visitor {
    visitor: String,
    #[serde(default)]
    after: i64,
}

pub(crate) async fn write(
    State(app): State<App>,
    Path(channel): Path<String>,
    message: Result<Json<Message>, JsonRejection>,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let channel = webchat(&app, channel)?;
    let Json(message) = message.map_err(|error| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::TooLarge(error.body_text()),
        _ => Problem::BadRequest(error.body_text()),
    })?;
    let visitor = checked_id(&message.visitor)?;
    let id = checked_id(&message.id)?;
    let text = storable(message.text.trim());
    if visible(&text).trim().is_empty() {
        return Err(Problem::BadRequest("El mensaje está vacío.".to_owned()));
    }
    if text.chars().count() > MAX_CHARS {
        let error = format!("El mensaje es muy largo: hasta {MAX_CHARS} caracteres.");
        return Err(Problem::TooLarge(error));
    }
    let full = || Problem::NotNow("too many messages at once".to_owned());
    let _permit = app.0.intake.try_acquire().map_err(|_| full())?;
    let from = Identity::new(visitor);
    // The visitor is part of the key, so that nobody can shadow another's message.
    let external_id = format!("{visitor}/{id}");
    let content = Content::text(text);
    let item = Inbound { external_id, from, content, edits: None, sent_at: None };
    app.engine().take_in(&channel.id, vec![item], Vec::new()).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "accepted": true }))))
}

pub(crate) async fn history(
    State(app): State<App>,
    Path(channel): Path<String>,
    Query(query): Query<Visitor>,
) -> Result<Json<Value>, Problem> {
    let channel = webchat(&app, channel)?;
    let visitor = checked_id(&query.visitor)?;
    let store = app.engine().store();
    let Some(id) = store.find(channel.workspace, &channel.id, visitor).await? else {
        return Ok(Json(json!({ "lines": [], "cursor": 0 })));
    };
    let transcript = store.transcript(channel.workspace, id, HISTORY).await?;
    // What the last message offers is still there to be picked after a reload.
    let last = store.sent_after(channel.workspace, id, transcript.cursor - 1).await?;
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

pub(crate) async fn events(
    State(app): State<App>,
    Path(channel): Path<String>,
    Query(query): Query<Visitor>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let channel = webchat(&app, channel)?;
    let visitor = Pii::from(checked_id(&query.visitor)?);
    let last_id = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let follower = Follower {
        engine: Arc::clone(app.engine()),
        channel,
        visitor,
        conversation: None,
        cursor: last_id.unwrap_or(query.after),
        draft: String::new(),
    };
    // Small: a reader that falls behind is waited for, and the lines stay in the store.
    let (lines, stream) = mpsc::channel(16);
    tokio::spawn(follower.follow(lines));
    Ok(Sse::new(ReceiverStream::new(stream)).keep_alive(KeepAlive::default()))
}

/// Reads a conversation's new lines, and what is being written, whenever something is announced.
struct Follower {
    engine: Arc<Engine>,
    channel: Channel,
    visitor: Pii,
    conversation: Option<ConversationId>,
    cursor: i64,
    /// What the page shows as being written.
    draft: String,
}

impl Follower {
    async fn follow(mut self, lines: mpsc::Sender<Result<Event, Infallible>>) {
        let mut announced = self.engine.store().signals().watch_lines();
        loop {
            match self.news().await {
                Ok(news) => {
                    for event in news {
                        if lines.send(Ok(event)).await.is_err() {
                            return;
                        }
                    }
                }
                Err(error) => tracing::warn!(%error, "events wait for the database"),
            }
            tokio::select! {
                () = self.announcement(&mut announced) => {}
                () = tokio::time::sleep(SAFETY_POLL) => {}
                () = lines.closed() => return,
                () = self.engine.stopped() => return,
            }
        }
    }

    async fn announcement(&self, announced: &mut broadcast::Receiver<ConversationId>) {
        loop {
            match announced.recv().await {
                Ok(conversation) if self.conversation.is_some_and(|own| own != conversation) => {}
                // Ours, or perhaps ours, or some were missed: look.
                _ => return,
            }
        }
    }

    /// What the page has not been told. A draft that is gone is told after the lines that took its
    /// place, so that the page is never without either.
    async fn news(&mut self) -> store::StoreResult<Vec<Event>> {
        let (store, workspace) = (Arc::clone(self.engine.store()), self.channel.workspace);
        if self.conversation.is_none() {
            let visitor = self.visitor.reveal();
            self.conversation = store.find(workspace, &self.channel.id, visitor).await?;
        }
        let Some(conversation) = self.conversation else { return Ok(Vec::new()) };
        let mut news = Vec::new();
        self.add_lines(&mut news).await?;
        let draft = store.draft(workspace, conversation).await?.unwrap_or_default();
        if draft.is_empty() && !self.draft.is_empty() {
            self.add_lines(&mut news).await?;
        }
        if draft != self.draft {
            news.push(being_written(&draft));
            self.draft = draft;
        }
        Ok(news)
    }

    async fn add_lines(&mut self, news: &mut Vec<Event>) -> store::StoreResult<()> {
        let (store, workspace) = (self.engine.store(), self.channel.workspace);
        let Some(conversation) = self.conversation else { return Ok(()) };
        for line in store.sent_after(workspace, conversation, self.cursor).await? {
            self.cursor = line.cursor;
            // The page puts a line in the draft's place; one that goes on is told again.
            self.draft.clear();
            news.push(event(&line));
        }
        Ok(())
    }
}

/// Without an id: it has no place among the lines, and a page that comes back asks for those.
fn being_written(draft: &str) -> Event {
    Event::default().event("draft").data(json!({ "text": draft }).to_string())
}

fn event(line: &SentLine) -> Event {
    let mut data = json!({
        "role": "assistant",
        "text": line.text.reveal(),
        "at": line.at.to_string(),
        "author": line.author.as_str(),
    });
    if !line.options.is_empty() {
        data["options"] = json!(line.options);
    }
    Event::default().event("line").id(line.cursor.to_string()).data(data.to_string())
}

fn webchat(app: &App, channel: String) -> Result<Channel, Problem> {
    let id = ChannelId(channel);
    let outlet = app.engine().outlet(&id);
    let outlet = outlet.filter(|outlet| outlet.channel.kind == ChannelKind::Webchat);
    let missing = || Problem::NotFound(format!("there is no webchat `{id}`"));
    outlet.map(|outlet| outlet.channel.clone()).ok_or_else(missing)
}

/// Ids made by pages: what a UUID needs, and nothing that could be anything else.
fn checked_id(id: &str) -> Result<&str, Problem> {
    let fits = (8..=64).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if fits { Ok(id) } else { Err(Problem::BadRequest("an id is not in its form".to_owned())) }
}
