//! The wire of one connection, which tells its place what passes over it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::seats::Seat;

/// Holds the seat too: it is free when the wire is cut, whoever holds it by then.
pub(super) struct Line {
    stream: TcpStream,
    seat: Seat,
}

impl Line {
    pub(super) fn new(stream: TcpStream, seat: Seat) -> Self {
        Self { stream, seat }
    }

    fn wrote(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.seat.place().wrote(written.is_ready());
        written
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.seat.place().heard();
        }
        read
    }
}

// The system would keep what the caller left unread until it is read or times out, minutes later: such a
// connection is reset, which gives its memory back at once.
impl Drop for Line {
    fn drop(&mut self) {
        if self.seat.place().is_stalled() {
            // A connection that cannot be reset is closed as any other.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.wrote(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::door::Room;
    use crate::door::seats::Seats;

    /// Cuts a line on which the caller was told so much and has read nothing; how its reading ends then.
    async fn cut_after(bytes: usize) -> io::Result<usize> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut caller = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let seat = Seats::new(Room { connections: 1, reserve: 0 }).take().unwrap();
        let mut line = Line::new(stream, seat);
        let told = vec![b'x'; bytes];
        let the_system_has_all_it_takes = async {
            for _ in 0..1_000 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            told = line.write_all(&told) => told.unwrap(),
            () = the_system_has_all_it_takes => {}
        }
        drop(line);
        caller.read_to_end(&mut Vec::new()).await
    }

    #[tokio::test]
    async fn a_caller_who_leaves_an_answer_unread_is_cut_off_at_once_and_others_read_theirs_whole()
    {
        assert_eq!(cut_after(3).await.unwrap(), 3);
        let ended = cut_after(32 * 1024 * 1024).await.unwrap_err();
        assert_eq!(ended.kind(), io::ErrorKind::ConnectionReset);
    }
}
