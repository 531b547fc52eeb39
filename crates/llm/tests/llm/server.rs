//! A loopback server that gives each connection its own bytes and then closes it or falls silent.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The bytes that a connection gets.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    bytes: Vec<u8>,
    hangs: bool,
}

impl Answer {
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), hangs: false }
    }

    pub(crate) fn status(status: &str, headers: &str, body: &str) -> Self {
        let length = body.len();
        Self::raw(format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n{body}"))
    }

    pub(crate) fn json(body: &str) -> Self {
        Self::status("200 OK", "content-type: application/json\r\n", body)
    }

    /// Events, after which the connection ends.
    pub(crate) fn events(body: &str) -> Self {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
        Self::raw(format!("{head}{body}"))
    }

    /// Events in chunks of so many bytes; without the final chunk if cut off.
    pub(crate) fn chunked(body: &str, size: usize, cut_off: bool) -> Self {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                    transfer-encoding: chunked\r\n\r\n";
        let mut bytes = head.as_bytes().to_vec();
        for chunk in body.as_bytes().chunks(size) {
            bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
        }
        if !cut_off {
            bytes.extend_from_slice(b"0\r\n\r\n");
        }
        Self::raw(bytes)
    }

    pub(crate) fn followed_by(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// The same answer, but the connection stays open and silent.
    pub(crate) fn then_silence(self) -> Self {
        Self { hangs: true, ..self }
    }
}

pub(crate) struct Server {
    pub(crate) base: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Gives the answers in order, the last one for ever.
    pub(crate) async fn giving(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        tokio::spawn(async move {
            for number in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let answer = answers[number.min(answers.len() - 1)].clone();
                tokio::spawn(serve(stream, answer, Arc::clone(&kept)));
            }
        });
        Self { base, requests }
    }

    /// Head and body of each request so far.
    pub(crate) fn requests(&self) -> Vec<(String, Value)> {
        let split = |request: &String| {
            let (head, body) = request.split_once("\r\n\r\n").unwrap();
            (head.to_lowercase(), serde_json::from_str(body).unwrap())
        };
        self.requests.lock().unwrap().iter().map(split).collect()
    }
}

/// An address at which nothing listens: the port was free a moment ago.
pub(crate) async fn nowhere() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

async fn serve(mut stream: TcpStream, answer: Answer, requests: Arc<Mutex<Vec<String>>>) {
    let request = read_request(&mut stream).await;
    requests.lock().unwrap().push(request);
    // The client may have gone away by then, which is its right.
    let _ = stream.write_all(&answer.bytes).await;
    if answer.hangs {
        let _ = stream.read(&mut [0]).await;
    } else {
        let _ = stream.shutdown().await;
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer).await.unwrap();
        request.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&request);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
            });
            if body.len() >= length.unwrap_or(0) {
                return text.into_owned();
            }
        }
        assert!(count > 0, "the request broke off");
    }
}
