//! Answers on their way out: how much of them may wait for its readers, in all and for each address, how
//! slowly they may be read, and how many long ones are made at once. An answer lies in memory until it is read,
//! and asking is cheap.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::WorkspaceId;
use hyper::body::{Frame, SizeHint};
use store::fair::{Gate, Pass};
use thiserror::Error;
use tokio::time::Instant;

use crate::App;
use crate::peer::Peer;
use crate::places::{Place, Places};
use crate::problem::Problem;

const MB: usize = 1024 * 1024;
/// So short an answer is not counted: it is gone at once.
pub(crate) const SHORT: usize = 2 * 1024;
/// An answer is handed on in such pieces, each when the one before has been taken.
const PIECE: usize = 64 * 1024;
/// Time that every answer may take to be read.
const GRACE: Duration = Duration::from_secs(30);
/// For each of these many bytes, a second more.
const PER_SECOND: usize = 4 * 1024;
/// So many long answers are made at once for visitors, and as many for operators.
const MADE_AT_ONCE: usize = 2;
/// How soon a caller may ask again.
const WAIT_SECONDS: u64 = 5;

pub(crate) struct Answers {
    /// To visitors of web chats.
    visitors: Arc<Places<IpAddr>>,
    /// To all others, so that no visitor keeps an operator waiting.
    others: Arc<Places<IpAddr>>,
    /// To pages of web chats that are open.
    pub(crate) pages: Arc<Places<IpAddr>>,
    /// Passed by whoever makes an answer of many texts, which is several times as large while it is made:
    /// visitors of a workspace who read without end wait for each other, and its operators for none of them.
    histories: Gate,
    transcripts: Gate,
}

impl Answers {
    /// The turn to make a long answer for a visitor, which is over when it is made.
    pub(crate) async fn visitors_turn(&self, workspace: WorkspaceId) -> Pass {
        self.histories.enter(Some(workspace)).await
    }

    /// The same for an operator.
    pub(crate) async fn operators_turn(&self, workspace: WorkspaceId) -> Pass {
        self.transcripts.enter(Some(workspace)).await
    }
}

/// How long an answer of so many bytes may take to be read.
pub(crate) fn time_to_read(bytes: usize) -> Duration {
    GRACE + Duration::from_secs((bytes / PER_SECOND) as u64)
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            visitors: Places::new(32 * MB, 4 * MB),
            others: Places::new(64 * MB, 24 * MB),
            // An address has room for one piece of any length, and it takes sixty-four of them, each with
            // pages that read nothing, to keep others from theirs.
            pages: Places::new(32 * MB, 512 * 1024),
            histories: Gate::of(MADE_AT_ONCE),
            transcripts: Gate::of(MADE_AT_ONCE),
        }
    }
}

/// Lets an answer out only if there is room for it.
pub(crate) async fn bounded(
    State(app): State<App>,
    peer: Peer,
    request: Request,
    next: Next,
) -> Response {
    let is_visitor = request.uri().path().starts_with("/chat/");
    let response = next.run(request).await;
    // Events are of no known length; they wait in short queues of their own.
    let length = response.body().size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok());
    let Some(bytes) = length.filter(|bytes| *bytes > SHORT) else { return response };
    let Answers { visitors, others, .. } = &app.0.answers;
    let places = if is_visitor { visitors } else { others };
    match places.take_many(peer.0, bytes) {
        Some(place) => response.map(|body| Body::new(Going::new(body, place))),
        None => full().into_response(),
    }
}

fn full() -> Problem {
    let text = "too many answers wait to be read: read those that were asked for, then ask again";
    Problem::Wait { seconds: WAIT_SECONDS, text: text.to_owned() }
}

/// The answer was read so slowly that it was not waited for.
#[derive(Debug, Error)]
#[error("the answer was read too slowly")]
pub(crate) struct TooSlow;

/// A body on its way, with its place.
struct Going {
    body: Body,
    /// Of the last frame, the part that was not handed on yet.
    rest: Bytes,
    sent: usize,
    began: Option<Instant>,
    _place: Place<IpAddr>,
}

impl Going {
    fn new(body: Body, place: Place<IpAddr>) -> Self {
        Self { body, rest: Bytes::new(), sent: 0, began: None, _place: place }
    }

    fn is_too_slow(&mut self) -> bool {
        let began = *self.began.get_or_insert_with(Instant::now);
        began.elapsed() > time_to_read(self.sent)
    }
}

impl HttpBody for Going {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.is_too_slow() {
            return Poll::Ready(Some(Err(TooSlow.into())));
        }
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)).transpose()? {
                None => return Poll::Ready(None),
                Some(frame) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
            }
        }
        let length = self.rest.len().min(PIECE);
        let piece = self.rest.split_to(length);
        self.sent += piece.len();
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let left = self.body.size_hint().exact().unwrap_or(0) + self.rest.len() as u64;
        SizeHint::with_exact(left)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn visitors_who_read_without_end_keep_no_operator_of_their_shop_waiting() {
        let (answers, shop) = (Answers::default(), WorkspaceId::from_slug("tienda"));
        let reading: Vec<_> =
            (0..10).map_while(|_| answers.visitors_turn(shop).now_or_never()).collect();
        assert_eq!(reading.len(), MADE_AT_ONCE);
        let operators: Vec<_> =
            (0..10).map_while(|_| answers.operators_turn(shop).now_or_never()).collect();
        assert_eq!(operators.len(), MADE_AT_ONCE);
    }

    fn going(bytes: usize, places: &Arc<Places<IpAddr>>) -> Going {
        let place = places.take_many([127, 0, 0, 1].into(), bytes).expect("a place");
        Going::new(Body::from(vec![7; bytes]), place)
    }

    async fn next(body: &mut Going) -> Option<Result<usize, BoxError>> {
        let frame =
            std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await?;
        Some(frame.map(|frame| frame.into_data().expect("data").len()))
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_goes_out_in_pieces_and_holds_its_place_until_the_last() {
        let places = Places::new(MB, MB);
        let mut body = going(MB, &places);
        assert!(places.take_many([127, 0, 0, 1].into(), 1).is_none());
        for piece in 1..=16 {
            assert_eq!(body.size_hint().exact(), Some((MB - (piece - 1) * PIECE) as u64));
            assert_eq!(next(&mut body).await.expect("a piece").expect("in time"), PIECE);
        }
        assert!(body.is_end_stream() && next(&mut body).await.is_none());
        drop(body);
        assert!(places.take_many([127, 0, 0, 1].into(), MB).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_read_in_drips_is_cut() {
        let places = Places::new(8 * MB, 8 * MB);
        let (mut steady, mut drips) = (going(MB, &places), going(MB, &places));
        for _ in 0..16 {
            tokio::time::advance(Duration::from_secs(16)).await;
            next(&mut steady).await.expect("a piece").expect("at the pace");
        }
        let mut pieces = 0;
        while next(&mut drips).await.expect("more").is_ok() {
            tokio::time::advance(Duration::from_secs(29)).await;
            pieces += 1;
            assert!(pieces < 16, "it is waited for without end");
        }
        assert!((2..5).contains(&pieces), "{pieces}");
    }
}
