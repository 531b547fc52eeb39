//! A page that is open: what it is told waits in memory until it was read, and there is a bound on that.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::answers::{SHORT, TooSlow, time_to_read};
use crate::peer::Peer;
use crate::places::{Place, Places};

/// The pieces of a page's stream. An error cuts the connection, since the page reads nothing more on it.
pub(super) type Pieces = mpsc::Receiver<Result<Bytes, TooSlow>>;

/// The page went away, or reads so slowly that it is not waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gone;

pub(super) struct OpenPage {
    pieces: mpsc::Sender<Result<Bytes, TooSlow>>,
    /// Bytes that pages have still to read.
    unread: Arc<Places<IpAddr>>,
    address: IpAddr,
}

/// Something to tell a page.
pub(super) struct Piece {
    bytes: Unread,
    /// Nothing is ever sent on it: it ends with the bytes, when the last of them has left this process.
    was_read: oneshot::Receiver<Infallible>,
}

/// Bytes with their place among all that are unread.
struct Unread {
    text: String,
    _place: Option<Place<IpAddr>>,
    _read: oneshot::Sender<Infallible>,
}

impl AsRef<[u8]> for Unread {
    fn as_ref(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

impl OpenPage {
    pub(super) fn new(unread: &Arc<Places<IpAddr>>, peer: Peer) -> (Self, Pieces) {
        let (pieces, stream) = mpsc::channel(1);
        (Self { pieces, unread: Arc::clone(unread), address: peer.0 }, stream)
    }

    /// A place for a piece; none while the pages of its address, or all of them, leave too much unread. A
    /// short piece needs none, because a page has one piece to read at a time: however many leave theirs
    /// unread, short answers reach the others.
    pub(super) fn hold(&self, text: String) -> Option<Piece> {
        let place = match text.len() {
            ..=SHORT => None,
            bytes => Some(self.unread.take_many(self.address, bytes)?),
        };
        let (read, was_read) = oneshot::channel();
        Some(Piece { bytes: Unread { text, _place: place, _read: read }, was_read })
    }

    /// Tells the page a piece, and returns when it was read.
    pub(super) async fn tell(&self, piece: Piece) -> Result<(), Gone> {
        let Piece { bytes, was_read } = piece;
        let most = time_to_read(bytes.text.len());
        self.pieces.send(Ok(Bytes::from_owner(bytes))).await.map_err(|_| Gone)?;
        if timeout(most, was_read).await.is_ok() {
            return Ok(());
        }
        // There is no room if not even the piece was taken, and then there is nothing to cut short.
        let _ = self.pieces.try_send(Err(TooSlow));
        Err(Gone)
    }

    pub(super) async fn closed(&self) {
        self.pieces.closed().await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt;
    use tokio::task::JoinHandle;

    use super::*;
    use crate::answers::Answers;

    const KB: usize = 1024;

    fn unread() -> Arc<Places<IpAddr>> {
        Answers::default().pages
    }

    fn page(unread: &Arc<Places<IpAddr>>, host: u8) -> (OpenPage, Pieces) {
        OpenPage::new(unread, Peer([203, 0, 113, host].into()))
    }

    fn text(bytes: usize) -> String {
        "x".repeat(bytes)
    }

    /// Tells a page something in a task of its own, and hands back what the page took of it, unread.
    async fn told((page, mut pieces): (OpenPage, Pieces), bytes: usize) -> Option<Taken> {
        let piece = page.hold(text(bytes))?;
        let telling = tokio::spawn(async move { page.tell(piece).await });
        let taken = pieces.recv().await.expect("a piece").expect("in time");
        assert_eq!(taken.len(), bytes);
        Some((taken, pieces, telling))
    }

    type Taken = (Bytes, Pieces, JoinHandle<Result<(), Gone>>);

    #[tokio::test(start_paused = true)]
    async fn pages_of_ten_addresses_that_read_nothing_keep_nobody_else_waiting() {
        let unread = unread();
        let mut taken = Vec::new();
        for host in [2, 3, 4, 5, 6, 7, 8, 9, 10, 1] {
            for _ in 0..20 {
                taken.extend(told(page(&unread, host), 100 * KB).await);
            }
        }
        assert_eq!(taken.len(), 50, "five pages of 100 kB for each address");
        assert!(told(page(&unread, 11), 100 * KB).await.is_some(), "another address");
        assert!(told(page(&unread, 1), 2 * KB).await.is_some(), "a short answer");
        let (piece, _pieces, telling) = taken.pop().expect("one of them");
        assert!(!telling.is_finished());
        drop(piece);
        assert_eq!(telling.await.expect("no panic"), Ok(()));
        assert!(told(page(&unread, 1), 100 * KB).await.is_some(), "what was read makes room");
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_does_not_read_is_cut_after_half_a_minute_and_a_second_for_each_four_kilobytes()
    {
        let unread = unread();
        let (piece, mut pieces, telling) = told(page(&unread, 1), 40 * KB).await.expect("room");
        tokio::time::sleep(Duration::from_secs(39)).await;
        assert!(!telling.is_finished() && pieces.recv().now_or_never().is_none());
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(telling.is_finished());
        assert_eq!(telling.await.expect("no panic"), Err(Gone));
        assert!(pieces.recv().await.is_some_and(|cut| cut.is_err()));
        drop(piece);
        let (page, pieces) = page(&unread, 1);
        drop(pieces);
        assert_eq!(page.tell(page.hold(text(1)).expect("room")).await, Err(Gone));
    }
}
