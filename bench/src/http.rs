//! As much HTTP/1.1 as generator and sink need, by hand: on two cores they must cost little.

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A kept-alive connection, with the bytes that were read from it and not yet used.
pub(crate) struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// A whole request or answer, as places in the buffer.
struct Frame {
    head: usize,
    end: usize,
}

impl Wire {
    pub(crate) fn new(stream: TcpStream) -> Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(4096) })
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.stream.write_all(bytes).await?)
    }

    /// Reads one message and gives its first line and body to `read`; none at the end.
    pub(crate) async fn receive<T>(
        &mut self,
        read: impl FnOnce(&[u8], &[u8]) -> T,
    ) -> Result<Option<T>> {
        let frame = loop {
            if let Some(frame) = frame(&self.buffer)? {
                break frame;
            }
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                if self.buffer.is_empty() {
                    return Ok(None);
                }
                bail!("the connection broke off");
            }
        };
        let line = self.buffer.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let value = read(line, &self.buffer[frame.head..frame.end]);
        self.buffer.drain(..frame.end);
        Ok(Some(value))
    }
}

fn frame(buffer: &[u8]) -> Result<Option<Frame>> {
    let Some(at) = buffer.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = at + 4;
    let text = std::str::from_utf8(&buffer[..at]).context("a head that is not text")?;
    let length = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>())
    });
    let end = head + length.transpose()?.unwrap_or(0);
    Ok((buffer.len() >= end).then_some(Frame { head, end }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_ends_with_its_body() {
        let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP";
        assert!(frame(&bytes[..30]).unwrap().is_none());
        assert!(frame(&bytes[..40]).unwrap().is_none());
        let frame = frame(bytes).unwrap().unwrap();
        assert_eq!(&bytes[frame.head..frame.end], b"abc");
    }
}
