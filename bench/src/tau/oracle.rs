//! The model: an OpenAI-compatible server on this machine that says what the tasks' scripts say.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

use super::hall;
use super::script::{Script, WORDS, named};
use super::side::Side;
use super::task::{Call, Task};
use crate::http::Wire;

/// How long it thinks, so that there is a time to be killed in.
const THINKS: Duration = Duration::from_millis(40);

/// Which answer is asked for: the task's place, the message, the answer.
type Question = (usize, usize, usize);

pub(super) struct Oracle {
    pub(super) address: SocketAddr,
    mind: Arc<Mind>,
}

struct Mind {
    tasks: Vec<Task>,
    side: Arc<Side>,
    asked: Mutex<BTreeMap<Question, u64>>,
    /// Questions whose answer was on record when they came.
    again: AtomicU64,
    /// Whether a question that follows a repeatable write gets no answer.
    holds: AtomicBool,
}

impl Oracle {
    pub(super) async fn start(tasks: &[Task], side: Arc<Side>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let mind = Arc::new(Mind {
            tasks: tasks.to_vec(),
            side,
            asked: Mutex::default(),
            again: AtomicU64::new(0),
            holds: AtomicBool::new(false),
        });
        let listening = Arc::clone(&mind);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mind = Arc::clone(&listening);
                // A connection that breaks is a process that was killed.
                tokio::spawn(async move { mind.serve(stream).await });
            }
        });
        Ok(Self { address, mind })
    }

    /// How often it was asked for an answer.
    pub(super) fn asked(&self) -> u64 {
        self.mind.asked.lock().unwrap_or_else(PoisonError::into_inner).values().sum()
    }

    /// How often although that answer was on record.
    pub(super) fn asked_again(&self) -> u64 {
        self.mind.again.load(Ordering::Relaxed)
    }

    /// Lets the first question that follows a repeatable write go without an answer, or no longer, so
    /// that whoever asks is killed between that write and its reply, however slow the machine is.
    pub(super) fn hold_after_writes(&self, holds: bool) {
        self.mind.holds.store(holds, Ordering::Relaxed);
    }
}

impl Mind {
    async fn serve(&self, stream: TcpStream) -> Result<()> {
        let mut wire = Wire::new(stream)?;
        while let Some(request) = wire.receive(|_, body| serde_json::from_slice(body)).await? {
            let Some(events) = self.answer(&request?).await? else { continue };
            tokio::time::sleep(THINKS).await;
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ";
            wire.send(format!("{head}{}\r\n\r\n{events}", events.len()).as_bytes()).await?;
        }
        Ok(())
    }

    /// The events of the answer that a request asks for, unless the answer is held back.
    async fn answer(&self, request: &Value) -> Result<Option<String>> {
        let question = question(request).context("a request without a task")?;
        let (place, part, number) = question;
        let task = self.tasks.get(place).context("a task that there is not")?;
        let script = Script::of(place, task);
        if self.note(question) > 1 {
            let answers = self.side.answers().await?;
            let on_record = answers.get(&hall::name(place)).copied().unwrap_or_default();
            if on_record > i64::try_from(script.before(part, number))? {
                self.again.fetch_add(1, Ordering::Relaxed);
            }
        } else if self.holds.load(Ordering::Relaxed) && follows_write(&script, part, number) {
            return Ok(None);
        }
        Ok(Some(events(script.answer(part, number))))
    }

    fn note(&self, question: Question) -> u64 {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let times = asked.entry(question).or_default();
        *times += 1;
        *times
    }
}

/// The customer's last message says which task and message it is; the answers that stand after it
/// say which answer comes next.
fn question(request: &Value) -> Option<Question> {
    let messages = request["messages"].as_array()?;
    let written = |message: &Value| {
        (message["role"] == "user").then(|| named(&message["content"].to_string())).flatten()
    };
    let last = messages.iter().rposition(|message| written(message).is_some())?;
    let (place, part) = written(&messages[last])?;
    let answered = messages[last..].iter().filter(|message| message["role"] == "assistant");
    Some((place, part, answered.count()))
}

/// Whether the answer before this one called for a repeatable write.
fn follows_write(script: &Script<'_>, part: usize, number: usize) -> bool {
    let before = number.checked_sub(1).and_then(|number| script.answer(part, number));
    before.is_some_and(|calls| calls.iter().any(Call::is_repeatable))
}

/// Calls, or the last words.
fn events(calls: Option<&[Call]>) -> String {
    let (delta, finish) = match calls {
        Some(calls) => {
            let calls: Vec<_> = calls.iter().enumerate().map(called).collect();
            (json!({ "role": "assistant", "tool_calls": calls }), "tool_calls")
        }
        None => (json!({ "role": "assistant", "content": WORDS }), "stop"),
    };
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 20 });
    let chunks = [
        json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] }),
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }] }),
        json!({ "choices": [], "usage": usage }),
    ];
    let chunks = chunks.iter().map(|chunk| format!("data: {chunk}\n\n"));
    chunks.chain(["data: [DONE]\n\n".to_owned()]).collect()
}

fn called((index, call): (usize, &Call)) -> Value {
    // On the wire, names have no dots.
    let name = call.name.replace('.', "_");
    let function = json!({ "name": name, "arguments": call.arguments.to_string() });
    json!({ "index": index, "id": format!("call_{index}"), "type": "function", "function": function })
}
