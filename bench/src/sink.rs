//! The provider's end: takes replies, tells of them, and says that all is well.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde::Deserialize;
use tokio::net::{TcpListener, TcpStream};

use crate::http::Wire;

/// A message in Infobip's words or in Meta's.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    to: Cow<'a, str>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
    #[serde(borrow)]
    biz_opaque_callback_data: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

pub(crate) struct Reply<'a> {
    pub(crate) to: &'a str,
    /// Of Infobip's messages only.
    pub(crate) text: &'a str,
    /// The id under which the provider takes it.
    pub(crate) id: &'a str,
    /// The sender's own word for it, which Meta's statuses repeat.
    pub(crate) reference: Option<&'a str>,
}

/// A listener to replies.
pub(crate) trait Hears: Send + Sync {
    fn replied(&self, reply: &Reply<'_>);
}

pub(crate) struct Sink {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    ear: Mutex<Option<Arc<dyn Hears>>>,
    connections: AtomicU64,
    taken: AtomicU64,
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

    pub(crate) fn tell(&self, ear: Arc<dyn Hears>) {
        *self.shared.ear.lock().unwrap_or_else(PoisonError::into_inner) = Some(ear);
    }

    /// How many connections were ever opened to it.
    pub(crate) fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::Relaxed)
    }
}

async fn serve(stream: TcpStream, shared: &Shared) -> Result<()> {
    let mut wire = Wire::new(stream)?;
    while let Some(answer) = wire.receive(|_, body| take(body, shared)).await? {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length";
        wire.send(format!("{head}: {}\r\n\r\n{answer}", answer.len()).as_bytes()).await?;
    }
    Ok(())
}

/// Tells of a message, and answers as its provider does.
fn take(body: &[u8], shared: &Shared) -> String {
    let id = format!("wamid.{}", shared.taken.fetch_add(1, Ordering::Relaxed));
    let Ok(message) = serde_json::from_slice::<Message<'_>>(body) else { return "{}".to_owned() };
    let Message { to, content, biz_opaque_callback_data: reference } = &message;
    let text = content.as_ref().map_or("", |content| &content.text);
    let reply = Reply { to, text, id: &id, reference: reference.as_deref() };
    let ear = shared.ear.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(ear) = ear {
        ear.replied(&reply);
    }
    if content.is_some() {
        format!(
            r#"{{"to":"{to}","messageCount":1,"messageId":"{id}","status":{{"groupId":1,"groupName":"PENDING","id":7,"name":"PENDING_ENROUTE","description":"Message sent to next instance"}}}}"#
        )
    } else {
        format!(
            r#"{{"messaging_product":"whatsapp","contacts":[{{"input":"{to}","wa_id":"{to}"}}],"messages":[{{"id":"{id}"}}]}}"#
        )
    }
}
