//! `GET /events`: what happens, as server-sent events that can be taken up again.

use std::convert::Infallible;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use domain::ConversationId;
use futures::{Stream, StreamExt};
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use utoipa::IntoParams;
use uuid::Uuid;

use super::auth::Viewer;
use super::follow::{self, Follower, Interest, Told};
use super::input::Params;
use super::problems::Refusals;
use crate::App;
use crate::problem::Problem;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Wish {
    /// Only these, parted by commas.
    pub(super) kinds: Option<String>,
    /// Only what is about this conversation.
    pub(super) conversation: Option<Uuid>,
    /// Go on after the event of this id; `0` begins with the oldest that is kept.
    pub(super) after: Option<String>,
}

impl Wish {
    pub(super) fn interest(&self) -> Result<Interest, Problem> {
        let kinds = follow::kinds(self.kinds.as_deref())?;
        Ok(Interest { kinds, conversation: self.conversation.map(ConversationId) })
    }
}

#[utoipa::path(get, path = "/events", tag = "events", operation_id = "follow_events",
    security(("key" = ["viewer"])), params(Wish, ("Last-Event-ID" = Option<String>, Header,
        description = "Go on after the event of this id, before `after`")),
    responses((status = 200, body = Told, content_type = "text/event-stream"),
        (status = 410, description = "Events after that id are not kept any more"), Refusals))]
/// Follow the events of a workspace, as server-sent events
///
/// The first event is `ready`. After a drop, `Last-Event-ID` goes on where it ended, without a gap
/// or a repetition; events are kept for seven days.
pub(super) async fn stream(
    State(app): State<App>,
    Viewer(caller): Viewer,
    headers: HeaderMap,
    Params(wish): Params<Wish>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let interest = wish.interest()?;
    let place = app.0.streams.reader(caller.workspace, caller.key.id)?;
    let last = headers.get("last-event-id").map(|id| id.to_str().unwrap_or_default());
    let after = follow::start(&app, caller.workspace, last.or(wish.after.as_deref())).await?;
    // Small: a reader that falls behind is waited for, and the events stay in the store.
    let (told, stream) = mpsc::channel(16);
    let follower = Follower { app, caller, interest, after };
    tokio::spawn(async move {
        follower.follow(told).await;
        drop(place);
    });
    let stream = ReceiverStream::new(stream).map(|told| Ok(event(&told)));
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()))
}

fn event(told: &Told) -> Event {
    let data = serde_json::to_string(told).unwrap_or_default();
    Event::default().event(told.kind).id(&told.id).data(data)
}
