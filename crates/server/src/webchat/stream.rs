//! The stream that a visitor's page follows: the lines said to them and the draft being written.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use domain::{Channel, ConversationId};
use futures::StreamExt;
use serde::Deserialize;
use serde_json::json;
use store::fair::Pass;
use store::{FEW_LINES, SentLine, StoreError};
use tokio::time::sleep;
use tokio_stream::wrappers::ReceiverStream;

use super::open_page::{Gone, OpenPage};
use super::{open, visiting, words};
use crate::App;
use crate::api::{Named, Params};
use crate::hub::Listener;
use crate::peer::Peer;
use crate::problem::Problem;
use crate::repeated;
use crate::visitor::Visitor;
use crate::visits::Wait;

/// Lines are looked at this often although nothing said that there are new ones.
const SAFETY_POLL: Duration = Duration::from_secs(30);
/// A page hears this often that its stream stands, so that no proxy takes it for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
const STANDS: &str = ":\n\n";
/// Lines of a backlog that are read at once: few, because they lie in memory until the page has read them.
const BACKLOG: u32 = 20;
/// How soon room is looked for again for what a page is to be told.
const NO_ROOM: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
pub(crate) struct Start {
    #[serde(default)]
    after: i64,
}

pub(crate) async fn events(
    State(app): State<App>,
    Named(channel): Named<String>,
    Params(start): Params<Start>,
    peer: Peer,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let channel = open(&app, channel)?;
    let (visitor, own) = visiting(&app, &channel, &headers)?;
    let no_place = |why| Problem::Wait { seconds: 10, text: words::no_place(&own, why) };
    let place = app.0.streams.page(channel.workspace, visitor, peer).map_err(no_place)?;
    let last_id = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let (page, pieces) = OpenPage::new(&app.0.answers.pages, peer);
    let follower = Follower {
        // Before the first look, so that nothing falls between the two.
        begun: app.0.hubs.begun.listen(visitor),
        lines: None,
        visitor,
        peer,
        app,
        channel,
        conversation: None,
        is_behind: false,
        cursor: last_id.unwrap_or(start.after),
        draft: String::new(),
        page,
    };
    tokio::spawn(follower.follow());
    // The page has its place for as long as the connection has the stream.
    let pieces = ReceiverStream::new(pieces).map(move |piece| {
        let _until_then = &place;
        piece
    });
    let head = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
    Ok((head, Body::from_stream(pieces)).into_response())
}

/// Reads a conversation's new lines, and what is being written, whenever something is said of it.
struct Follower {
    app: App,
    channel: Channel,
    visitor: Visitor,
    peer: Peer,
    /// Tells of the conversation's beginning, if it begins on this node.
    begun: Listener<Visitor>,
    conversation: Option<ConversationId>,
    /// Tells of the conversation's lines, once it is known.
    lines: Option<Listener<ConversationId>>,
    cursor: i64,
    /// Whether the page got as many lines at once as it may, so that there may be more.
    is_behind: bool,
    /// The draft that the page shows as being written.
    draft: String,
    page: OpenPage,
}

/// Why the page was not told all there is.
enum Halt {
    Gone,
    /// The rest has to wait this long.
    Later(Duration),
    Store(StoreError),
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Gone> for Halt {
    fn from(_: Gone) -> Self {
        Self::Gone
    }
}

impl Follower {
    async fn follow(self) {
        let engine = Arc::clone(&self.app.0.engine);
        tokio::select! {
            () = self.tell_all() => {}
            () = engine.stopped() => {}
        }
    }

    /// Tells what there is and what comes, until the page is gone.
    async fn tell_all(mut self) {
        loop {
            let paused = match self.news().await {
                Ok(()) => self.until_told().await,
                Err(Halt::Later(wait)) => self.pause(wait).await,
                Err(Halt::Store(error)) => {
                    repeated::EVENTS_WAIT.warn(&error);
                    self.until_told().await
                }
                Err(Halt::Gone) => Err(Gone),
            };
            if paused == Err(Gone) {
                return;
            }
        }
    }

    /// Waits until something is said of the conversation, or nothing was for long.
    async fn until_told(&self) -> Result<(), Gone> {
        let told = async {
            match &self.lines {
                Some(lines) => lines.told().await,
                None => self.begun.told().await,
            }
        };
        tokio::select! {
            () = told => Ok(()),
            paused = self.pause(SAFETY_POLL) => paused,
        }
    }

    async fn pause(&self, wait: Duration) -> Result<(), Gone> {
        let mut over = pin!(sleep(wait));
        loop {
            tokio::select! {
                () = &mut over => return Ok(()),
                () = self.page.closed() => return Err(Gone),
                () = sleep(KEEP_ALIVE) => if let Some(stands) = self.page.hold(STANDS.to_owned()) {
                    self.page.tell(stands).await?;
                },
            }
        }
    }

    /// Tells the page what it was not told yet. A draft that is gone is told after the lines that took its
    /// place, so that the page is never without either.
    async fn news(&mut self) -> Result<(), Halt> {
        let (store, workspace) = (Arc::clone(self.app.store()), self.channel.workspace);
        if self.conversation.is_none() {
            let name = self.visitor.name();
            self.conversation = store.find(workspace, &self.channel.id, &name).await?;
            let listen = |conversation| self.app.0.hubs.lines.listen(conversation);
            self.lines = self.conversation.map(listen);
        }
        let Some(conversation) = self.conversation else { return Ok(()) };
        self.tell_lines(conversation).await?;
        let draft = store.draft(workspace, conversation).await?.unwrap_or_default();
        if draft.is_empty() && !self.draft.is_empty() {
            self.tell_lines(conversation).await?;
        }
        if draft != self.draft {
            self.tell(being_written(&draft)).await?;
            self.draft = draft;
        }
        Ok(())
    }

    /// Tells the lines piece by piece: the next is read when the page has read the one before.
    async fn tell_lines(&mut self, conversation: ConversationId) -> Result<(), Halt> {
        let (store, workspace) = (Arc::clone(self.app.store()), self.channel.workspace);
        loop {
            let (limit, turn) = match self.is_behind {
                true => (BACKLOG, Some(self.turn_to_catch_up().await?)),
                false => (FEW_LINES, None),
            };
            let lines = store.sent_after(workspace, conversation, self.cursor, limit).await?;
            let is_behind = lines.len() == limit as usize;
            let cursor = lines.last().map_or(self.cursor, |line| line.cursor);
            let piece = self.page.hold(lines.iter().map(event).collect());
            drop((lines, turn));
            if cursor > self.cursor {
                self.page.tell(piece.ok_or(Halt::Later(NO_ROOM))?).await?;
                // The page puts a line in the draft's place; one that goes on is told again.
                self.draft.clear();
            }
            (self.cursor, self.is_behind) = (cursor, is_behind);
            if !is_behind {
                return Ok(());
            }
        }
    }

    /// The turn of a page that is far behind, which counts as a look at the history.
    async fn turn_to_catch_up(&self) -> Result<Pass, Halt> {
        let read = self.app.0.visits.reads(self.visitor, self.peer, self.app.now());
        read.map_err(|wait| {
            let (Wait::Messages(seconds) | Wait::Beginnings(seconds) | Wait::Reads(seconds)) = wait;
            Halt::Later(Duration::from_secs(seconds))
        })?;
        Ok(self.app.0.answers.visitors_turn(self.channel.workspace).await)
    }

    async fn tell(&self, text: String) -> Result<(), Halt> {
        let piece = self.page.hold(text).ok_or(Halt::Later(NO_ROOM))?;
        Ok(self.page.tell(piece).await?)
    }
}

/// Without an id: it has no place among the lines, and a page that comes back asks for those.
fn being_written(draft: &str) -> String {
    format!("event: draft\ndata: {}\n\n", json!({ "text": draft }))
}

/// JSON has no line breaks of its own, and so needs but one line of data.
fn event(line: &SentLine) -> String {
    let mut data = json!({
        "role": "assistant",
        "text": line.text.reveal(),
        "at": line.at.to_string(),
        "author": line.author.as_str(),
    });
    if !line.options.is_empty() {
        data["options"] = json!(line.options);
    }
    format!("event: line\nid: {}\ndata: {data}\n\n", line.cursor)
}
