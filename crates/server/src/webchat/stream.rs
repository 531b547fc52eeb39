//! The stream that a visitor's page follows: the lines said to them and the draft being written.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use domain::{Channel, ConversationId};
use futures::Stream;
use serde::Deserialize;
use serde_json::json;
use store::SentLine;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::{open, visiting, words};
use crate::App;
use crate::hub::Listener;
use crate::peer::Peer;
use crate::problem::Problem;
use crate::repeated;
use crate::visitor::Visitor;

/// Lines are looked at this often although nothing said that there are new ones.
const SAFETY_POLL: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
pub(crate) struct From {
    #[serde(default)]
    after: i64,
}

pub(crate) async fn events(
    State(app): State<App>,
    Path(channel): Path<String>,
    Query(from): Query<From>,
    peer: Peer,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let channel = open(&app, channel)?;
    let (visitor, own) = visiting(&app, &channel, &headers)?;
    let no_place = |why| Problem::Wait { seconds: 10, text: words::no_place(&own, why) };
    let place = app.0.streams.page(channel.workspace, visitor, peer).map_err(no_place)?;
    let last_id = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let follower = Follower {
        // Before the first look, so that nothing falls between the two.
        begun: app.0.hubs.begun.listen(visitor),
        lines: None,
        name: visitor.name(),
        app,
        channel,
        conversation: None,
        cursor: last_id.unwrap_or(from.after),
        draft: String::new(),
    };
    // Small: a reader that falls behind is waited for, and the lines stay in the store.
    let (lines, stream) = mpsc::channel(16);
    tokio::spawn(async move {
        follower.follow(lines).await;
        drop(place);
    });
    Ok(Sse::new(ReceiverStream::new(stream)).keep_alive(KeepAlive::default()))
}

/// Reads a conversation's new lines, and what is being written, whenever something is said of it.
struct Follower {
    app: App,
    channel: Channel,
    name: String,
    /// Tells of the conversation's beginning, if it begins on this node.
    begun: Listener<Visitor>,
    conversation: Option<ConversationId>,
    /// Tells of the conversation's lines, once it is known.
    lines: Option<Listener<ConversationId>>,
    cursor: i64,
    /// The draft that the page shows as being written.
    draft: String,
}

impl Follower {
    async fn follow(mut self, lines: mpsc::Sender<Result<Event, Infallible>>) {
        loop {
            match self.news().await {
                Ok(news) => {
                    for event in news {
                        if lines.send(Ok(event)).await.is_err() {
                            return;
                        }
                    }
                }
                Err(error) => repeated::EVENTS_WAIT.warn(&error),
            }
            let told = async {
                match &self.lines {
                    Some(lines) => lines.told().await,
                    None => self.begun.told().await,
                }
            };
            tokio::select! {
                () = told => {}
                () = tokio::time::sleep(SAFETY_POLL) => {}
                () = lines.closed() => return,
                () = self.app.0.engine.stopped() => return,
            }
        }
    }

    /// News the page has not been told. A draft that is gone is told after the lines that took its
    /// place, so that the page is never without either.
    async fn news(&mut self) -> store::StoreResult<Vec<Event>> {
        let (store, workspace) = (Arc::clone(self.app.store()), self.channel.workspace);
        if self.conversation.is_none() {
            self.conversation = store.find(workspace, &self.channel.id, &self.name).await?;
            let listen = |conversation| self.app.0.hubs.lines.listen(conversation);
            self.lines = self.conversation.map(listen);
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
        let (store, workspace) = (self.app.store(), self.channel.workspace);
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
