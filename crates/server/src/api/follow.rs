//! Follows a workspace's live events for one reader, as long as its key stands.

use std::time::Duration;

use domain::{ConversationId, WorkspaceId};
use serde::Serialize;
use serde_json::Value;
use store::{LiveEvent, LiveId, LiveKind};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;
use utoipa::ToSchema;
use uuid::Uuid;

use super::auth::{Caller, still_stands};
use super::words::time;
use crate::App;
use crate::hub::Listener;
use crate::problem::Problem;
use crate::repeated;

/// Events read at once.
const BATCH: u32 = 500;
/// Events and the key are looked at this often although nothing was announced.
const SAFETY_POLL: Duration = Duration::from_secs(10);
/// Events within this time are read together.
const GATHER: Duration = Duration::from_millis(30);

/// The events that a reader wants.
#[derive(Clone, Debug, Default)]
pub(super) struct Interest {
    /// All if none.
    pub(super) kinds: Option<Vec<LiveKind>>,
    pub(super) conversation: Option<ConversationId>,
}

impl Interest {
    fn is_in(&self, event: &LiveEvent) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&event.kind))
            && self.conversation.is_none_or(|only| event.conversation == Some(only))
    }
}

/// Reads a list of kinds parted by commas.
pub(super) fn kinds(text: Option<&str>) -> Result<Option<Vec<LiveKind>>, Problem> {
    let kind = |name: &str| {
        let unknown = || Problem::Invalid(format!("there is no kind of event `{name}`"));
        LiveKind::parse(name.trim()).ok_or_else(unknown)
    };
    text.map(|text| text.split(',').map(kind).collect()).transpose()
}

/// The place to begin at. `None` is the end: events from now on.
pub(super) async fn start(
    app: &App,
    workspace: WorkspaceId,
    after: Option<&str>,
) -> Result<LiveId, Problem> {
    let store = app.store();
    let Some(text) = after else { return Ok(store.live_end(workspace).await?) };
    let wrong = |_| Problem::Invalid(format!("`{text}` is no event's id"));
    let after = text.parse().map_err(wrong)?;
    match store.live_after(workspace, after, 1).await?.missed {
        false => Ok(after),
        true => Err(Problem::Gone(
            "events after that one are not kept any more: read the lists again, then follow \
             without `after`"
                .to_owned(),
        )),
    }
}

/// An event as it is told.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Told {
    /// Give it as `after`, or in `Last-Event-ID`, to go on after this event.
    pub(super) id: String,
    /// `ready` when following begins, then what happened.
    pub(super) kind: &'static str,
    conversation: Option<Uuid>,
    /// The id of what it is about: a turn, a message, an order.
    subject: Option<String>,
    at: Option<String>,
    /// A few facts; never what a customer wrote or is called.
    #[schema(value_type = Object)]
    payload: Value,
}

impl Told {
    fn ready(at: LiveId) -> Self {
        let (id, payload) = (at.to_string(), Value::Object(Default::default()));
        Self { id, kind: "ready", conversation: None, subject: None, at: None, payload }
    }

    fn event(event: LiveEvent) -> Self {
        Self {
            id: event.id.to_string(),
            kind: event.kind.as_str(),
            conversation: event.conversation.map(|id| id.0),
            subject: Some(event.subject),
            at: Some(time(event.at)),
            payload: event.payload,
        }
    }
}

/// Why following ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The reader went away.
    Left,
    /// The key opens nothing any more.
    Revoked,
    /// The reader was so slow that events are gone.
    Behind,
    /// This node stops; another one goes on.
    Stopping,
}

pub(super) struct Follower {
    pub(super) app: App,
    pub(super) caller: Caller,
    pub(super) interest: Interest,
    pub(super) after: LiveId,
}

/// The wait between two looks.
enum Look {
    Now,
    Soon,
    WhenTold,
}

impl Follower {
    /// Tells each event once, in order, until it has to end.
    pub(super) async fn follow(mut self, reader: mpsc::Sender<Told>) -> Ended {
        let announced = self.app.0.hubs.live.listen(self.caller.workspace);
        let mut poll = tokio::time::interval(SAFETY_POLL);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        poll.reset();
        if reader.send(Told::ready(self.after)).await.is_err() {
            return Ended::Left;
        }
        loop {
            let look = match self.news(&reader).await {
                Ok(look) => look,
                Err(ended) => return ended,
            };
            tokio::select! {
                () = pause(look, &announced) => {}
                _ = poll.tick() => match still_stands(&self.app, &self.caller).await {
                    Ok(true) => {}
                    Ok(false) => return Ended::Revoked,
                    Err(error) => repeated::KEY_UNSEEN.warn(&error),
                },
                () = reader.closed() => return Ended::Left,
                () = self.app.0.engine.stopped() => return Ended::Stopping,
            }
        }
    }

    async fn news(&mut self, reader: &mpsc::Sender<Told>) -> Result<Look, Ended> {
        let store = self.app.store();
        let news = match store.live_after(self.caller.workspace, self.after, BATCH).await {
            Ok(news) => news,
            Err(error) => {
                repeated::EVENTS_WAIT.warn(&error);
                return Ok(Look::WhenTold);
            }
        };
        if news.missed {
            return Err(Ended::Behind);
        }
        for event in news.events {
            let is_own_end = event.kind == LiveKind::KeyRevoked
                && event.subject == self.caller.key.id.to_string();
            if is_own_end {
                return Err(Ended::Revoked);
            }
            if self.interest.is_in(&event) {
                reader.send(Told::event(event)).await.map_err(|_| Ended::Left)?;
            }
        }
        self.after = news.next;
        Ok(match (news.more, news.soon) {
            (true, _) => Look::Now,
            (false, true) => Look::Soon,
            (false, false) => Look::WhenTold,
        })
    }
}

async fn pause(look: Look, announced: &Listener<WorkspaceId>) {
    match look {
        Look::Now => return,
        Look::Soon => {}
        Look::WhenTold => announced.told().await,
    }
    tokio::time::sleep(GATHER).await;
}
