//! The provider's end: takes replies, notes them, and says that all is well.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde::Deserialize;
use tokio::net::{TcpListener, TcpStream};

use super::ledger::Ledger;
use crate::http::Wire;

const ANSWER: &str = r#"{"to":"573001112233","messageCount":1,"messageId":"sink","status":{"groupId":1,"groupName":"PENDING","id":7,"name":"PENDING_ENROUTE","description":"Message sent to next instance"}}"#;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    to: Cow<'a, str>,
    #[serde(borrow)]
    content: Text<'a>,
}

#[derive(Deserialize)]
struct Text<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

pub(crate) struct Sink {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    ledger: Mutex<Option<Arc<Ledger>>>,
    connections: AtomicU64,
}

impl Sink {
    pub(crate) async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let accepting = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                accepting.connections.fetch_add(1, Ordering::Relaxed);
                let shared = Arc::clone(&accepting);
                // A broken connection shows as a lost message.
                tokio::spawn(async move { serve(stream, &shared).await });
            }
        });
        Ok(Self { address, shared })
    }

    pub(crate) fn write_into(&self, ledger: &Arc<Ledger>) {
        let mut current = self.shared.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        *current = Some(Arc::clone(ledger));
    }

    /// How many connections were ever opened to it.
    pub(crate) fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::Relaxed)
    }
}

async fn serve(stream: TcpStream, shared: &Shared) -> Result<()> {
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{ANSWER}",
        ANSWER.len()
    );
    let mut wire = Wire::new(stream)?;
    while wire.receive(|_, body| note(body, shared)).await?.is_some() {
        wire.send(answer.as_bytes()).await?;
    }
    Ok(())
}

fn note(body: &[u8], shared: &Shared) {
    let ledger = shared.ledger.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let (Some(ledger), Ok(message)) = (ledger, serde_json::from_slice::<Message<'_>>(body)) {
        ledger.replied(&message.to, &message.content.text);
    }
}
