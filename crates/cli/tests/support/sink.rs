//! The outside: plays Infobip's send address and the address the `avisar` tool posts to, records
//! what came, and misbehaves when told to.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

pub(crate) const API_KEY: &str = "sink-key";
pub(crate) const FILE: &[u8] = b"una foto del gato";

/// The sink's answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Accept,
    /// Takes it, and answers only once the gate is opened.
    Hold,
    /// Takes it, and closes the connection without an answer.
    Break,
    /// Does not take it: 429, come back in an hour. No test waits for that.
    Later,
    /// Does not take it, and answers 500, from which the caller cannot know.
    Fail,
}

/// A message that was taken.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) to: String,
    pub(crate) reference: String,
    pub(crate) text: String,
    pub(crate) at: Instant,
}

/// A post of the `avisar` tool that was taken.
#[derive(Clone, Debug)]
pub(crate) struct Notified {
    pub(crate) key: String,
    pub(crate) text: String,
}

#[derive(Default)]
struct Book {
    sent: Vec<Sent>,
    notified: Vec<Notified>,
    /// The answers to the next sends; later sends are accepted.
    sends: VecDeque<Answer>,
    /// The answers to the next posts; later posts are accepted.
    notices: VecDeque<Answer>,
    /// Requests being answered, by whom they are for.
    open: BTreeMap<String, u32>,
    /// How often a message came while another to the same number was being answered.
    overlaps: u32,
    /// How many sends were told to come later.
    put_off: u32,
    /// Whether the file is not given out.
    keeps_file: bool,
    holding: usize,
}

struct Shared {
    book: Mutex<Book>,
    gate: watch::Sender<bool>,
}

impl Shared {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct Sink {
    shared: Arc<Shared>,
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Sink {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port for the sink");
        let address = listener.local_addr().expect("the sink's address");
        let shared = Arc::new(Shared { book: Mutex::default(), gate: watch::channel(false).0 });
        let router = Router::new()
            .route("/whatsapp/1/message/text", post(take_message))
            .route("/avisos", post(take_notice))
            .route("/v23.0/{number}/messages", post(take_meta))
            .route("/files/1", get(give_file))
            .with_state(Arc::clone(&shared));
        let serving = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("the sink serves");
        });
        Self { shared, address, serving }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where the one file is that the sink gives out.
    pub(crate) fn file(&self) -> String {
        format!("{}/files/1", self.url())
    }

    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.shared.book().sent.clone()
    }

    pub(crate) fn notified(&self) -> Vec<Notified> {
        self.shared.book().notified.clone()
    }

    pub(crate) fn next_sends(&self, answers: impl IntoIterator<Item = Answer>) {
        self.shared.book().sends.extend(answers);
    }

    pub(crate) fn next_notices(&self, answers: impl IntoIterator<Item = Answer>) {
        self.shared.book().notices.extend(answers);
    }

    /// Gives the file out, or no longer.
    pub(crate) fn gives_file(&self, gives: bool) {
        self.shared.book().keeps_file = !gives;
    }

    /// Requests that wait for the gate, their callers alive.
    pub(crate) fn holding(&self) -> usize {
        self.shared.book().holding
    }

    pub(crate) fn overlaps(&self) -> u32 {
        self.shared.book().overlaps
    }

    pub(crate) fn put_off(&self) -> u32 {
        self.shared.book().put_off
    }

    /// Lets everything held go, and holds nothing more.
    pub(crate) fn open_gate(&self) {
        self.shared.gate.send_replace(true);
    }
}

async fn take_message(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let key = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if key != Some(&format!("App {API_KEY}")) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let field = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (to, reference) = (field(&body["to"]), field(&body["messageId"]));
    let text = field(&body["content"]["text"]);
    let _open = Open::count(&shared, &to);
    let answer = shared.book().sends.pop_front().unwrap_or(Answer::Accept);
    if takes(answer) {
        let sent = Sent { to: to.clone(), reference: reference.clone(), text, at: Instant::now() };
        shared.book().sent.push(sent);
    }
    let accepted = json!({
        "to": to,
        "messageCount": 1,
        "messageId": reference,
        "status": {
            "groupId": 1, "groupName": "PENDING", "id": 7, "name": "PENDING_ENROUTE",
            "description": "Message sent to next instance",
        },
    });
    respond(&shared, answer, accepted).await
}

async fn take_notice(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let key = headers.get("idempotency-key").and_then(|value| value.to_str().ok());
    let key = key.unwrap_or_default().to_owned();
    let text = body["texto"].as_str().unwrap_or_default().to_owned();
    let answer = shared.book().notices.pop_front().unwrap_or(Answer::Accept);
    if takes(answer) {
        shared.book().notified.push(Notified { key, text });
    }
    respond(&shared, answer, json!({ "ok": true })).await
}

/// Meta's address is there to be written to; no scenario looks at what was.
async fn take_meta() -> Response {
    Json(json!({ "messages": [{ "id": "wamid.out" }] })).into_response()
}

async fn give_file(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let key = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if key != Some(&format!("App {API_KEY}")) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    if shared.book().keeps_file {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    FILE.into_response()
}

fn takes(answer: Answer) -> bool {
    matches!(answer, Answer::Accept | Answer::Hold | Answer::Break)
}

async fn respond(shared: &Shared, answer: Answer, accepted: Value) -> Response {
    match answer {
        Answer::Accept => Json(accepted).into_response(),
        Answer::Hold => {
            let _held = Held::count(shared);
            // The sender lives in `shared`, so waiting cannot fail.
            let _ = shared.gate.subscribe().wait_for(|open| *open).await;
            Json(accepted).into_response()
        }
        // Ends the connection's task, and with it the connection; no hook prints it.
        Answer::Break => std::panic::resume_unwind(Box::new("the sink breaks off")),
        Answer::Later => {
            shared.book().put_off += 1;
            (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "3600")]).into_response()
        }
        Answer::Fail => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// A request being answered; ended with its handler, also when the caller goes away.
struct Open<'a>(&'a Shared, String);

impl<'a> Open<'a> {
    fn count(shared: &'a Shared, to: &str) -> Self {
        let mut book = shared.book();
        let open = book.open.entry(to.to_owned()).or_default();
        *open += 1;
        if *open > 1 {
            book.overlaps += 1;
        }
        Self(shared, to.to_owned())
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if let Some(open) = self.0.book().open.get_mut(&self.1) {
            *open -= 1;
        }
    }
}

struct Held<'a>(&'a Shared);

impl<'a> Held<'a> {
    fn count(shared: &'a Shared) -> Self {
        shared.book().holding += 1;
        Self(shared)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.book().holding -= 1;
    }
}
