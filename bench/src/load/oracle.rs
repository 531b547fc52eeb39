//! A model on this machine that speaks OpenAI's protocol: it takes its time and greets.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::http::Wire;

/// The pack whose models it is.
pub(crate) const PACK: &str = "somnio";
/// The pack's rules settle this, so that the one model call is the answer's.
pub(crate) const LINE: &str = "hola buenas tardes";

pub(crate) struct Oracle {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    thinks: Duration,
    /// Whether anybody is answered at all.
    answers: watch::Sender<bool>,
    asked: AtomicUsize,
}

impl Oracle {
    pub(crate) async fn start(thinks: Duration, answers: bool) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (answers, asked) = (watch::Sender::new(answers), AtomicUsize::new(0));
        let shared = Arc::new(Shared { thinks, answers, asked });
        let serving = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shared = Arc::clone(&serving);
                // A node that was killed no longer listens.
                tokio::spawn(async move { serve(stream, &shared).await });
            }
        });
        Ok(Self { address, shared })
    }

    /// The lines of a configuration that have the pack's models served here.
    ///
    /// Without a budget: what the pack may spend on strangers would end long before the calls do.
    pub(crate) fn yaml(&self) -> String {
        format!(
            "budget: {{ workspace_usd_per_day: none }}\nproviders:\n  - {{ id: local, kind: openai, base_url: \"http://{}/v1\", \
             models: [claude-haiku-4-5, claude-sonnet-4-5] }}\n",
            self.address
        )
    }

    /// Questions it was asked so far.
    pub(crate) fn asked(&self) -> usize {
        self.shared.asked.load(Ordering::Relaxed)
    }

    /// From now on everybody is answered, those who wait too.
    pub(crate) fn answer(&self) {
        self.shared.answers.send_replace(true);
    }
}

async fn serve(stream: TcpStream, shared: &Shared) -> Result<()> {
    let body = greeting();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length";
    let answer = format!("{head}: {}\r\n\r\n{body}", body.len());
    let mut wire = Wire::new(stream)?;
    while wire.receive(|_, _| ()).await?.is_some() {
        shared.asked.fetch_add(1, Ordering::Relaxed);
        shared.answers.subscribe().wait_for(|answers| *answers).await?;
        tokio::time::sleep(shared.thinks).await;
        wire.send(answer.as_bytes()).await?;
    }
    Ok(())
}

/// A stream whose one call sends the pack's greeting.
fn greeting() -> String {
    let chunk = |delta: Value, finish: Value| json!({ "model": "local", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    let function = json!({ "name": "flow_say", "arguments": r#"{"template":"saludo"}"# });
    let call = json!({ "index": 0, "id": "call_0", "type": "function", "function": function });
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 20 });
    let chunks = [
        chunk(json!({ "role": "assistant", "content": null }), Value::Null),
        chunk(json!({ "tool_calls": [call] }), Value::Null),
        chunk(json!({}), json!("tool_calls")),
        json!({ "model": "local", "choices": [], "usage": usage }),
    ];
    let events = chunks.iter().map(Value::to_string).chain(["[DONE]".to_owned()]);
    events.map(|event| format!("data: {event}\n\n")).collect()
}
