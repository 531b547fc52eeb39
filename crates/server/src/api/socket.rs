//! `GET /ws`: the same events on a WebSocket.

use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use serde::Deserialize;
use store::{KeyRole, LiveId};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::auth::{Caller, authenticate, bearer};
use super::events::Wish;
use super::follow::{self, Ended, Follower, Interest, Told};
use super::input::Params;
use super::problems::Refusals;
use crate::App;
use crate::guests::Guest;
use crate::peer::Peer;
use crate::problem::Problem;
use crate::streams::ReaderPlace;

/// How long a caller without a key in its header may take to send one.
const AUTH: Duration = Duration::from_secs(5);
/// How often it is asked whether somebody is there.
const PING: Duration = Duration::from_secs(30);
/// How long a reader may take to take what it is told.
const TAKE: Duration = Duration::from_secs(10);
/// More than any message of a reader's.
const MAX_BYTES: usize = 4_096;
/// Bytes that are gathered before they are written, and that may wait for a reader who does not read: pings
/// of theirs are then answered no more.
const GATHERED: usize = 16 * 1024;
const UNREAD: usize = 1024 * 1024;
/// How much a reader may say between two of our pings; a dashboard says next to nothing.
const MOST_SAID: u32 = 100;
/// And before they have shown a key.
const MOST_SAID_UNKNOWN: u32 = 10;

const POLICY: u16 = 1008;
const GOING_AWAY: u16 = 1001;
const UNSUPPORTED: u16 = 1003;
const TRY_LATER: u16 = 1013;
/// Of those that applications choose: read the lists again.
const TOO_LATE: u16 = 4410;

/// The messages that a reader may send.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    auth: Option<String>,
    after: Option<String>,
}

#[utoipa::path(get, path = "/ws", tag = "events", operation_id = "follow_events_ws",
    security((), ("key" = ["viewer"])), params(Wish),
    responses((status = 101, description = "Each message is an event"),
        (status = 410, description = "Events after that id are not kept any more"), Refusals))]
/// Follow the events of a workspace, on a WebSocket
///
/// Without an `Authorization` header the first message is `{"auth": "rk_…"}`, within five seconds.
/// `{"after": "<id>"}`, there or later, goes on after that event. A page must be of this host.
pub(super) async fn open(
    State(app): State<App>,
    Params(wish): Params<Wish>,
    peer: Peer,
    parts: Parts,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    let upgrade = upgrade.map_err(|error| Problem::BadRequest(error.body_text()))?;
    if !is_of_this_host(&parts.headers) {
        let text = "a page of another host may not follow events here";
        return Err(Problem::Forbidden(text.to_owned()));
    }
    let interest = wish.interest()?;
    let who = match bearer(&parts.headers) {
        None => Follows::Guest(app.0.streams.guests.admit(peer.0).ok_or_else(too_many)?),
        Some(text) => {
            let caller = authenticate(&app, text, peer).await?;
            let place = app.0.streams.reader(caller.workspace, caller.key.id)?;
            Follows::Reader(caller, place)
        }
    };
    if let (Follows::Reader(caller, _), after @ Some(_)) = (&who, wish.after.as_deref()) {
        follow::start(&app, caller.workspace, after).await?;
    }
    let session = Session { app, interest, peer, after: wish.after };
    let upgrade = upgrade.max_message_size(MAX_BYTES).max_frame_size(MAX_BYTES);
    let upgrade = upgrade.write_buffer_size(GATHERED).max_write_buffer_size(UNREAD);
    Ok(upgrade.on_upgrade(async move |socket| {
        session.serve(socket, who).await;
    }))
}

fn too_many() -> Problem {
    let text = "too many sockets wait without a key, and those with one in the `Authorization` header \
                need not wait";
    Problem::NotNow(text.to_owned())
}

/// The caller at the other end, with the place they take.
enum Follows {
    /// Somebody who has still to show a key.
    Guest(Guest),
    Reader(Caller, ReaderPlace),
}

/// Whether the other end is there, and how much it said since it was last asked.
struct Pulse {
    said: u32,
}

impl Pulse {
    /// Counts a message, or a ping.
    fn heard(&mut self) -> Result<(), Closing> {
        self.said += 1;
        if self.said > MOST_SAID { Err((POLICY, "too many messages at once")) } else { Ok(()) }
    }

    /// Asks once more, unless the last time was not answered.
    fn goes_on(&mut self) -> bool {
        std::mem::take(&mut self.said) > 0
    }
}

/// No browser opened it, or one that shows a page of ours.
fn is_of_this_host(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    host.zip(origin).is_some_and(|(host, (_, origin))| origin.eq_ignore_ascii_case(host))
}

struct Session {
    app: App,
    interest: Interest,
    peer: Peer,
    after: Option<String>,
}

/// How a socket is closed, and why.
type Closing = (u16, &'static str);

impl Session {
    async fn serve(mut self, mut socket: WebSocket, who: Follows) {
        let closing = match self.follow(&mut socket, who).await {
            Ok(()) => return,
            Err(closing) => closing,
        };
        let (code, reason) = closing;
        let close = CloseFrame { code, reason: reason.into() };
        // The other side may be gone already.
        let _ = tokio::time::timeout(TAKE, socket.send(Message::Close(Some(close)))).await;
    }

    async fn follow(&mut self, socket: &mut WebSocket, who: Follows) -> Result<(), Closing> {
        let (caller, _place) = match who {
            Follows::Reader(caller, place) => (caller, place),
            Follows::Guest(guest) => self.known(socket, guest).await?,
        };
        caller.must_be(KeyRole::Viewer).map_err(|_| (POLICY, "this key may not read"))?;
        let after = self.after.take();
        let mut feed = self.feed(&caller, after.as_deref()).await?;
        let mut ping = tokio::time::interval(PING);
        ping.reset();
        let mut pulse = Pulse { said: 1 };
        loop {
            tokio::select! {
                told = feed.told.recv() => match told {
                    Some(told) => {
                        let text = serde_json::to_string(&told).unwrap_or_default();
                        tell(socket, Message::text(text)).await?;
                    }
                    None => return feed.ended().await,
                },
                message = socket.recv() => match message {
                    Some(Ok(Message::Text(text))) => {
                        pulse.heard()?;
                        let said = said(&text)?;
                        let Some(after) = said.after else { continue };
                        feed = self.feed(&caller, Some(&after)).await?;
                    }
                    Some(Ok(Message::Binary(_))) => return Err((UNSUPPORTED, "send text")),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => pulse.heard()?,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return Ok(()),
                },
                _ = ping.tick() => {
                    if !pulse.goes_on() {
                        return Err((GOING_AWAY, "no ping was answered: connect again"));
                    }
                    tell(socket, Message::Ping(Default::default())).await?;
                }
            }
        }
    }

    /// Waits for the key of a guest, and finds them a reader's place.
    async fn known(
        &mut self,
        socket: &mut WebSocket,
        guest: Guest,
    ) -> Result<(Caller, ReaderPlace), Closing> {
        let caller = tokio::select! {
            asked = tokio::time::timeout(AUTH, self.ask_for_key(socket)) => {
                asked.map_err(|_| (POLICY, "no key was sent in time"))??
            }
            () = guest.told_to_go() => return Err((TRY_LATER, "others wait for the place: connect again")),
        };
        let place = self.app.0.streams.reader(caller.workspace, caller.key.id);
        let place = place.map_err(|_| (TRY_LATER, "too many follow events already"))?;
        Ok((caller, place))
    }

    async fn ask_for_key(&mut self, socket: &mut WebSocket) -> Result<Caller, Closing> {
        for _ in 0..MOST_SAID_UNKNOWN {
            let text = match socket.recv().await {
                Some(Ok(Message::Text(text))) => text,
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                _ => break,
            };
            let said = said(&text)?;
            let key = said.auth.ok_or((POLICY, "the first message is {\"auth\": \"rk_…\"}"))?;
            self.after = said.after.or(self.after.take());
            let caller = authenticate(&self.app, &key, self.peer).await;
            return caller.map_err(|_| (POLICY, "this key opens nothing"));
        }
        Err((POLICY, "no key was sent"))
    }

    async fn feed(&self, caller: &Caller, after: Option<&str>) -> Result<Feed, Closing> {
        let start = follow::start(&self.app, caller.workspace, after).await;
        let after: LiveId = start.map_err(|problem| match problem {
            Problem::Gone(_) => (TOO_LATE, "events after that id are not kept any more"),
            Problem::Invalid(_) => (UNSUPPORTED, "`after` is no event's id"),
            _ => (GOING_AWAY, "not now, connect again"),
        })?;
        let (sender, told) = mpsc::channel(16);
        let (app, interest) = (self.app.clone(), self.interest.clone());
        let follower = Follower { app, caller: caller.clone(), interest, after };
        Ok(Feed { told, task: tokio::spawn(follower.follow(sender)) })
    }
}

/// Tells the reader something; one who does not take it is gone.
async fn tell(socket: &mut WebSocket, message: Message) -> Result<(), Closing> {
    match tokio::time::timeout(TAKE, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err((GOING_AWAY, "connect again")),
    }
}

fn said(text: &str) -> Result<Said, Closing> {
    serde_json::from_str(text).map_err(|_| (UNSUPPORTED, "a message is {\"after\": \"<id>\"}"))
}

/// A follower under way; it ends when nobody listens any more.
struct Feed {
    told: mpsc::Receiver<Told>,
    task: JoinHandle<Ended>,
}

impl Feed {
    async fn ended(self) -> Result<(), Closing> {
        match self.task.await {
            Ok(Ended::Left) => Ok(()),
            Ok(Ended::Revoked) => Err((POLICY, "this key opens nothing any more")),
            Ok(Ended::Behind) => Err((TOO_LATE, "events are gone: read the lists again")),
            Ok(Ended::Stopping) | Err(_) => Err((GOING_AWAY, "connect again")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ping_that_is_not_answered_before_the_next_ends_it() {
        let mut pulse = Pulse { said: 1 };
        for _ in 0..5 {
            assert!(pulse.goes_on());
            pulse.heard().unwrap();
        }
        assert!(pulse.goes_on());
        assert!(!pulse.goes_on());
    }

    #[test]
    fn whoever_floods_it_with_pings_is_cut_off() {
        let mut pulse = Pulse { said: 0 };
        for _ in 0..MOST_SAID {
            pulse.heard().unwrap();
        }
        assert!(pulse.heard().is_err());
        assert!(pulse.goes_on());
        assert!(pulse.heard().is_ok(), "it is counted anew after each ping of ours");
    }
}
