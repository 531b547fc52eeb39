//! Bytes that are read and not yet done with: a pool gives out so many and no more, so that what is
//! read at once has a bound whoever sends it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, HttpBody};
use bytes::{Bytes, BytesMut};
use domain::{Timestamp, WorkspaceId};
use futures::future::poll_fn;

use crate::door::TooSlow;
use crate::peer::Peer;
use crate::places::{Place, Places};
use crate::problem::Problem;

const KB: usize = 1024;
const MB: usize = 1024 * KB;
/// Deliveries of a few messages are no longer than this.
const SHORT: u64 = 16 * 1024;

/// A pool for each standing a caller may have, so that nobody uses up another's.
pub(crate) struct Pools {
    /// For callers who have shown credentials before the body, shared by workspaces.
    pub(crate) known: Pool,
    /// Where a signature can only be judged with the body, and was right lately; shared by workspaces too.
    familiar: Pool,
    /// For signatures of callers whom nobody knows, shared by addresses.
    strangers: Pool,
    /// For strangers who announce a short body: after a restart every provider is a stranger, and long
    /// bodies of a few addresses must not keep out what they deliver.
    short: Pool,
    /// For visitors of web chats, shared by addresses.
    pub(crate) visitors: Pool,
}

impl Default for Pools {
    fn default() -> Self {
        Self {
            known: Pool::of(64 * MB, 24 * MB),
            familiar: Pool::of(32 * MB, 16 * MB),
            strangers: Pool::of(16 * MB, 8 * MB),
            short: Pool::of(4 * MB, 64 * KB),
            visitors: Pool::of(16 * MB, MB),
        }
    }
}

impl Pools {
    /// Reads a delivery to this workspace with a signature that only the body can prove.
    pub(crate) async fn read_signed(
        &self,
        workspace: WorkspaceId,
        is_familiar: bool,
        peer: Peer,
        body: Body,
        most: usize,
    ) -> Result<(Bytes, Held), Problem> {
        if is_familiar {
            return self.familiar.read(workspace, body, most).await;
        }
        let is_short = body.size_hint().exact().is_some_and(|bytes| bytes <= SHORT);
        let pool = if is_short { &self.short } else { &self.strangers };
        pool.read(peer, body, most).await
    }
}

/// The holder of a part of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Holder {
    Address(IpAddr),
    Workspace(WorkspaceId),
}

impl From<Peer> for Holder {
    fn from(peer: Peer) -> Self {
        Self::Address(peer.0)
    }
}

impl From<WorkspaceId> for Holder {
    fn from(workspace: WorkspaceId) -> Self {
        Self::Workspace(workspace)
    }
}

/// So many bytes in all, and so many for each holder.
pub(crate) struct Pool(Arc<Places<Holder>>);

impl Pool {
    fn of(most: usize, for_each: usize) -> Self {
        Self(Places::new(most, for_each))
    }

    /// Reads a body of at most `most` bytes. The announced length is reserved before any of the
    /// body is read.
    pub(crate) async fn read(
        &self,
        holder: impl Into<Holder>,
        mut body: Body,
        most: usize,
    ) -> Result<(Bytes, Held), Problem> {
        let read = self.keep(holder.into(), &mut body, most).await;
        // A caller with more to write than is let go hears no answer either way, so that nothing of it
        // is waited for.
        let said = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        if matches!(read, Err(Problem::TooLarge(_))) && said <= 2 * most {
            let_go(&mut body, 2 * most).await;
        }
        read
    }

    async fn keep(
        &self,
        holder: Holder,
        body: &mut Body,
        most: usize,
    ) -> Result<(Bytes, Held), Problem> {
        let mut held = Held { pool: Arc::clone(&self.0), holder, bytes: 0, parts: Vec::new() };
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
pub(crate) struct Held {
    pool: Arc<Places<Holder>>,
    holder: Holder,
    bytes: usize,
    /// Most need one; a body whose length nobody said needs more as it comes.
    parts: Vec<Place<Holder>>,
}

impl Held {
    /// Holds this many in all.
    fn hold(&mut self, bytes: usize, most: usize) -> Result<(), Problem> {
        if bytes > most {
            return Err(Problem::TooLarge(format!("a body has at most {most} bytes")));
        }
        let more = bytes.saturating_sub(self.bytes);
        if more == 0 {
            return Ok(());
        }
        let part = self.pool.take_many(self.holder, more);
        let full = || Problem::NotNow("too many bytes at once".to_owned());
        self.parts.push(part.ok_or_else(full)?);
        self.bytes = bytes;
        Ok(())
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
            // A caller that signs rightly is a provider: a thousand of their addresses is all of
            // them.
            known.retain(|_, last| now.since_ms(*last) < REMEMBERED_MS / 2);
        }
        if known.len() < ADDRESSES || known.contains_key(&address) {
            known.insert(address, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use futures::{FutureExt, stream};
    use hyper::body::{Frame, SizeHint};

    use super::*;

    fn chunked(parts: usize, bytes: usize) -> Body {
        let part = move |_| Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; bytes]));
        Body::from_stream(stream::iter((0..parts).map(part)))
    }

    fn from(host: u8) -> Peer {
        Peer([203, 0, 113, host].into())
    }

    fn status(result: Result<(Bytes, Held), Problem>) -> String {
        match result {
            Ok((bytes, held)) => format!("{} of {}", bytes.len(), held.bytes),
            Err(problem) => format!("{problem:?}").split('(').next().unwrap_or_default().to_owned(),
        }
    }

    #[tokio::test]
    async fn a_pool_gives_out_what_it_has_and_takes_it_back() {
        let pool = Pool::of(100, 100);
        let read = async |body: Body| status(pool.read(from(1), body, 80).await);
        let first = pool.read(from(1), Body::from("x".repeat(60)), 80).await.unwrap();
        assert_eq!(read(Body::from("x".repeat(60))).await, "NotNow");
        assert_eq!(read(chunked(6, 10)).await, "NotNow", "counted as it comes");
        assert_eq!(read(Body::from("x".repeat(81))).await, "TooLarge");
        assert_eq!(read(chunked(9, 9)).await, "NotNow");
        assert_eq!(read(Body::from("x".repeat(40))).await, "40 of 40");
        assert_eq!(read(chunked(4, 10)).await, "40 of 40");
        assert_eq!(read(Body::empty()).await, "0 of 0");
        drop(first);
        assert_eq!(read(chunked(9, 9)).await, "TooLarge");
        assert!(pool.0.take_many(from(1).into(), 100).is_some(), "all of it was given back");
    }

    /// A body that is announced and does not come.
    struct Announced(u64);

    impl HttpBody for Announced {
        type Data = Bytes;
        type Error = std::io::Error;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
            Poll::Pending
        }

        fn size_hint(&self) -> SizeHint {
            SizeHint::with_exact(self.0)
        }
    }

    #[test]
    fn a_body_that_is_far_too_large_is_refused_without_waiting_for_any_of_it() {
        let pool = Pool::of(100, 100);
        let read = |bytes| pool.read(from(1), Body::new(Announced(bytes)), 80).now_or_never();
        for bytes in [161, 1 << 63, u64::MAX] {
            assert_eq!(read(bytes).map(status).as_deref(), Some("TooLarge"), "{bytes}");
        }
        assert!(read(160).is_none(), "its caller may be let finish, to hear the answer");
    }

    #[tokio::test]
    async fn an_address_has_no_more_of_a_pool_than_its_own() {
        let pool = Pool::of(100, 30);
        let body = || Body::from("x".repeat(20));
        let one = pool.read(from(1), body(), 80).await.unwrap();
        assert_eq!(status(pool.read(from(1), body(), 80).await), "NotNow");
        assert_eq!(status(pool.read(from(2), body(), 80).await), "20 of 20");
        drop(one);
        assert_eq!(status(pool.read(from(1), body(), 80).await), "20 of 20");
    }

    #[tokio::test]
    async fn long_bodies_of_two_strangers_keep_no_short_delivery_out() {
        let (pools, ours) = (Pools::default(), domain::Workspace::named("tienda").id);
        let read = async |host: u8, bytes: usize| {
            let body = Body::from(vec![b'x'; bytes]);
            pools.read_signed(ours, false, from(host), body, 4 * MB).await
        };
        let mut held = Vec::new();
        for host in [1, 1, 2, 2] {
            held.push(read(host, 4 * MB).await.unwrap());
        }
        assert_eq!(status(read(3, 20 * KB).await), "NotNow");
        for _ in 0..4 {
            held.push(read(3, 16 * KB).await.expect("a short one of somebody else"));
        }
        assert_eq!(status(read(3, 1).await), "NotNow", "no more than its own");
        assert_eq!(status(read(4, 1).await), "1 of 1");
        // A length that nobody announced may be any.
        let chunks = pools.read_signed(ours, false, from(4), chunked(1, 10), 4 * MB).await;
        assert_eq!(status(chunks), "NotNow");
        let familiar = pools.read_signed(ours, true, from(1), chunked(1, 10), 4 * MB).await;
        assert_eq!(status(familiar), "10 of 10");
    }

    #[tokio::test]
    async fn a_workspace_has_no_more_than_its_part_of_a_pool_from_however_many_addresses() {
        let pools = Pools::default();
        let [ours, theirs] = ["tienda", "otra"].map(|name| domain::Workspace::named(name).id);
        let mut held = Vec::new();
        for host in 1..=4 {
            let body = Body::from(vec![b'x'; 4 * MB]);
            held.push(pools.read_signed(ours, true, from(host), body, 4 * MB).await.unwrap());
        }
        let read = async |workspace| {
            let body = Body::from("x".repeat(10));
            status(pools.read_signed(workspace, true, from(9), body, 4 * MB).await)
        };
        assert_eq!((read(ours).await, read(theirs).await), ("NotNow".into(), "10 of 10".into()));
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
