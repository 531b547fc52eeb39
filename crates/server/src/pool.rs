//! Bytes that are read and not yet done with: a pool gives out so many and no more, so that what is
//! read at once has a bound whoever sends it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use axum::body::{Body, HttpBody};
use bytes::{Bytes, BytesMut};
use domain::Timestamp;
use futures::future::poll_fn;

use crate::door::TooSlow;
use crate::problem::Problem;

const MB: usize = 1024 * 1024;

/// A pool for each standing a caller may have, so that nobody uses up another's.
pub(crate) struct Pools {
    /// Callers who have shown credentials before the body.
    pub(crate) known: Pool,
    /// Whose signature can only be judged with the body, and was right lately.
    pub(crate) familiar: Pool,
    /// The same, and nobody knows them.
    pub(crate) strangers: Pool,
    /// Visitors of web chats.
    pub(crate) visitors: Pool,
}

impl Default for Pools {
    fn default() -> Self {
        Self {
            known: Pool::of(64 * MB),
            familiar: Pool::of(32 * MB),
            strangers: Pool::of(16 * MB),
            visitors: Pool::of(16 * MB),
        }
    }
}

pub(crate) struct Pool {
    used: AtomicUsize,
    most: usize,
}

impl Pool {
    fn of(most: usize) -> Self {
        Self { used: AtomicUsize::new(0), most }
    }

    /// Reads a body of at most `most` bytes. What its length says is set apart before any of it is read.
    pub(crate) async fn read(&self, body: Body, most: usize) -> Result<(Bytes, Held<'_>), Problem> {
        let mut body = body;
        let read = self.keep(&mut body, most).await;
        if matches!(read, Err(Problem::TooLarge(_))) {
            let_go(&mut body, 2 * most).await;
        }
        read
    }

    async fn keep(&self, body: &mut Body, most: usize) -> Result<(Bytes, Held<'_>), Problem> {
        let mut held = Held { pool: self, bytes: 0 };
        let said = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        held.hold(said, most)?;
        let first = match data(body).await? {
            Some(first) => first,
            None => return Ok((Bytes::new(), held)),
        };
        held.hold(first.len(), most)?;
        // Most come whole in one piece, which is then not copied.
        if body.is_end_stream() {
            return Ok((first, held));
        }
        let mut whole = BytesMut::with_capacity(said.max(first.len()));
        whole.extend_from_slice(&first);
        drop(first);
        while let Some(part) = data(body).await? {
            held.hold(whole.len() + part.len(), most)?;
            whole.extend_from_slice(&part);
        }
        Ok((whole.freeze(), held))
    }
}

/// Reads up to `most` bytes and keeps none of them: who is still writing does not hear an answer.
async fn let_go(body: &mut Body, most: usize) {
    let mut gone = 0;
    while let Ok(Some(part)) = data(body).await {
        gone += part.len();
        if gone > most {
            break;
        }
    }
}

/// The next piece; none at the end.
async fn data(body: &mut Body) -> Result<Option<Bytes>, Problem> {
    loop {
        let frame = poll_fn(|context| std::pin::Pin::new(&mut *body).poll_frame(context)).await;
        match frame.transpose().map_err(unread)? {
            None => return Ok(None),
            // Trailers say nothing here.
            Some(frame) => match frame.into_data() {
                Ok(data) if !data.is_empty() => return Ok(Some(data)),
                _ => {}
            },
        }
    }
}

/// Why a body was not read.
pub(crate) fn unread(error: axum::Error) -> Problem {
    match error.into_inner().downcast::<TooSlow>() {
        Ok(slow) => Problem::TooSlow(slow.to_string()),
        Err(error) => Problem::BadRequest(format!("the body did not come whole: {error}")),
    }
}

/// A part of a pool, given back when it is dropped.
pub(crate) struct Held<'a> {
    pool: &'a Pool,
    bytes: usize,
}

impl Held<'_> {
    /// Holds this many in all.
    fn hold(&mut self, bytes: usize, most: usize) -> Result<(), Problem> {
        if bytes > most {
            return Err(Problem::TooLarge(format!("a body has at most {most} bytes")));
        }
        let more = bytes.saturating_sub(self.bytes);
        if more == 0 {
            return Ok(());
        }
        let fits = |used: usize| used.checked_add(more).filter(|used| *used <= self.pool.most);
        let taken = self.pool.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits);
        taken.map_err(|_| Problem::NotNow("too many bytes at once".to_owned()))?;
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.pool.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Addresses remembered for a channel.
const ADDRESSES: usize = 1_000;
const REMEMBERED_MS: i64 = 24 * 60 * 60 * 1_000;

/// From where a channel's deliveries were rightly signed lately.
#[derive(Default)]
pub(crate) struct Familiar(Mutex<HashMap<IpAddr, Timestamp>>);

impl Familiar {
    pub(crate) fn knows(&self, address: IpAddr, now: Timestamp) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&address).is_some_and(|last| now.since_ms(*last) < REMEMBERED_MS)
    }

    pub(crate) fn meet(&self, address: IpAddr, now: Timestamp) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= ADDRESSES && !known.contains_key(&address) {
            // Whoever signs rightly is a provider: a thousand of their addresses is all of them.
            known.retain(|_, last| now.since_ms(*last) < REMEMBERED_MS / 2);
        }
        if known.len() < ADDRESSES || known.contains_key(&address) {
            known.insert(address, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::stream;

    use super::*;

    fn chunked(parts: usize, bytes: usize) -> Body {
        let part = move |_| Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; bytes]));
        Body::from_stream(stream::iter((0..parts).map(part)))
    }

    fn status(result: Result<(Bytes, Held<'_>), Problem>) -> String {
        match result {
            Ok((bytes, held)) => format!("{} of {}", bytes.len(), held.bytes),
            Err(problem) => format!("{problem:?}").split('(').next().unwrap_or_default().to_owned(),
        }
    }

    #[tokio::test]
    async fn a_pool_gives_out_what_it_has_and_takes_it_back() {
        let pool = Pool::of(100);
        let first = pool.read(Body::from("x".repeat(60)), 80).await.unwrap();
        assert_eq!(status(pool.read(Body::from("x".repeat(60)), 80).await), "NotNow");
        assert_eq!(status(pool.read(chunked(6, 10), 80).await), "NotNow", "counted as it comes");
        assert_eq!(status(pool.read(Body::from("x".repeat(81)), 80).await), "TooLarge");
        assert_eq!(status(pool.read(chunked(9, 9), 80).await), "NotNow");
        assert_eq!(status(pool.read(Body::from("x".repeat(40)), 80).await), "40 of 40");
        assert_eq!(status(pool.read(chunked(4, 10), 80).await), "40 of 40");
        assert_eq!(status(pool.read(Body::empty(), 80).await), "0 of 0");
        drop(first);
        assert_eq!(status(pool.read(chunked(9, 9), 80).await), "TooLarge");
        assert_eq!(pool.used.load(Ordering::Relaxed), 0, "all of it was given back");
    }

    #[test]
    fn an_address_is_familiar_for_a_day_and_a_thousand_are_remembered() {
        let (familiar, start) = (Familiar::default(), Timestamp::from_millis(1_780_000_000_000));
        let address = |n: u32| IpAddr::from(n.to_be_bytes());
        assert!(!familiar.knows(address(1), start));
        familiar.meet(address(1), start);
        assert!(familiar.knows(address(1), start.plus_ms(REMEMBERED_MS - 1)));
        assert!(!familiar.knows(address(1), start.plus_ms(REMEMBERED_MS)));
        for n in 0..2_000 {
            familiar.meet(address(n), start);
        }
        assert!(familiar.knows(address(999), start) && !familiar.knows(address(1_500), start));
        familiar.meet(address(1_500), start.plus_ms(REMEMBERED_MS));
        assert!(familiar.knows(address(1_500), start.plus_ms(REMEMBERED_MS)));
    }
}
