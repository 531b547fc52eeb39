//! Bodies as the door sees them: one that comes in has to come at a pace, and one that goes out tells
//! when it is out.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use thiserror::Error;
use tokio::time::{Instant, Sleep, sleep_until};

use super::place::{Place, Reader};

/// Time that every body may take, however little of it comes.
const GRACE: Duration = Duration::from_secs(5);
/// For each of these many bytes that came, a second more.
const PER_SECOND: u64 = 64 * 1024;
/// And no longer than this.
const LONGEST: Duration = Duration::from_secs(15);

/// The body came so slowly that it was not waited for.
#[derive(Debug, Error)]
#[error("the body came too slowly")]
pub(crate) struct TooSlow;

/// A request's body. The body's clock runs only while it is waited for, so that a body which came
/// with its head costs nothing.
pub(super) struct Paced<B = Incoming> {
    body: B,
    reader: Reader,
    read: u64,
    began: Option<Instant>,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<B> Paced<B> {
    pub(super) fn new(body: B, reader: Reader) -> Self {
        Self { body, reader, read: 0, began: None, alarm: None }
    }

    fn is_too_slow(&mut self, context: &mut Context<'_>) -> bool {
        let began = *self.began.get_or_insert_with(Instant::now);
        let earned = Duration::from_secs(self.read / PER_SECOND);
        let deadline = began + (GRACE + earned).min(LONGEST);
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if alarm.deadline() != deadline {
            alarm.as_mut().reset(deadline);
        }
        alarm.as_mut().poll(context).is_ready()
    }
}

impl<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin> Body for Paced<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
            self.reader.waits();
            let slow = self.is_too_slow(context);
            return if slow { Poll::Ready(Some(Err(TooSlow.into()))) } else { Poll::Pending };
        };
        if let Some(Ok(frame)) = &frame {
            self.read += frame.data_ref().map_or(0, |data| data.len() as u64);
        }
        if self.body.is_end_stream() || !matches!(frame, Some(Ok(_))) {
            self.reader.has_all();
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// An answer's body; its place is at rest once it is out, or will never be.
pub(super) struct Served {
    body: axum::body::Body,
    place: Option<Arc<Place>>,
}

impl Served {
    pub(super) fn new(body: axum::body::Body, place: Option<Arc<Place>>) -> Self {
        Self { body, place }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(place) = &self.place {
            place.rest();
        }
    }
}

impl Body for Served {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many bytes every so many milliseconds, for ever.
    struct Trickle {
        bytes: usize,
        every: Duration,
        next: Pin<Box<Sleep>>,
    }

    impl Trickle {
        fn of(bytes: usize, every_ms: u64) -> Paced<Self> {
            let every = Duration::from_millis(every_ms);
            let reader = Reader::new(Place::new(0, false), [203, 0, 113, 1].into());
            Paced::new(Self { bytes, every, next: Box::pin(tokio::time::sleep(every)) }, reader)
        }
    }

    impl Body for Trickle {
        type Data = Bytes;
        type Error = BoxError;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
            ready!(self.next.as_mut().poll(context));
            let next = Instant::now() + self.every;
            self.next.as_mut().reset(next);
            Poll::Ready(Some(Ok(Frame::data(vec![0; self.bytes].into()))))
        }
    }

    /// How long it is read for, in milliseconds, and how much of it.
    async fn lasts(mut body: Paced<Trickle>) -> (u128, u64) {
        let began = Instant::now();
        loop {
            assert!(began.elapsed() < 4 * LONGEST, "it is read without end");
            let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context));
            if let Err(error) = frame.await.unwrap() {
                assert!(error.is::<TooSlow>());
                return (began.elapsed().as_millis(), body.read);
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_trickle_is_cut_and_a_pace_is_let_go_on() {
        // A byte now and then holds a place for the grace alone.
        assert_eq!(lasts(Trickle::of(1, 1_000)).await.0, 5_000);
        // Half the pace: a second is earned for every two that pass.
        let (ms, bytes) = lasts(Trickle::of(32 * 1024, 1_000)).await;
        assert!((9_000..=11_000).contains(&ms), "{ms}");
        assert!(bytes <= 11 * 32 * 1024);
        // Any pace has an end.
        assert_eq!(lasts(Trickle::of(1024 * 1024, 100)).await.0, 15_000);
    }
}
