//! A provider on this machine: takes sends and gives files out on both wires, counts, and misbehaves.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use domain::{Clock, VirtualClock};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The fate of a send.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    None,
    /// Takes it, and closes the connection without an answer.
    BreakAfterAccept,
    /// Takes it, and answers 500.
    FailAfterAccept,
    Busy,
    /// Refuses it with Meta's code, or with what stands for it at Infobip.
    Code(i64),
}

#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) at_ms: i64,
    pub(crate) to: String,
    pub(crate) reference: String,
    /// The last part of the address at Infobip, the type at Meta.
    pub(crate) kind: String,
    pub(crate) body: Value,
}

#[derive(Default)]
struct Book {
    faults: VecDeque<Fault>,
    taken: Vec<Taken>,
    attempts: usize,
    /// How often it had to say that a customer gets too many messages.
    too_soon: usize,
}

#[derive(Clone)]
pub(crate) struct Provider {
    book: Arc<Mutex<Book>>,
    clock: VirtualClock,
    pub(crate) base: String,
}

pub(crate) const FILE: &[u8] = b"una foto del gato";

impl Provider {
    pub(crate) async fn start(clock: VirtualClock) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let provider = Self { book: Arc::default(), clock, base };
        let router = Router::new()
            .route("/v23.0/{number}/messages", post(take_cloud))
            .route("/whatsapp/1/message/{*kind}", post(take_infobip))
            .route("/v23.0/{id}", get(find_file))
            .route("/files/{id}", get(give_file))
            .with_state(provider.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        provider
    }

    pub(crate) fn plan(&self, faults: impl IntoIterator<Item = Fault>) {
        self.book.lock().unwrap().faults.extend(faults);
    }

    pub(crate) fn taken(&self) -> Vec<Taken> {
        self.book.lock().unwrap().taken.clone()
    }

    pub(crate) fn attempts(&self) -> usize {
        self.book.lock().unwrap().attempts
    }

    pub(crate) fn too_soon(&self) -> usize {
        self.book.lock().unwrap().too_soon
    }

    /// Ten messages in a minute for one customer, as WhatsApp counts.
    fn fault_for(&self, to: &str) -> Fault {
        let mut book = self.book.lock().unwrap();
        book.attempts += 1;
        let since = self.clock.now().millis() - 60_000;
        let lately = book.taken.iter().filter(|one| one.to == to && one.at_ms > since).count();
        if lately >= 10 {
            book.too_soon += 1;
            return Fault::Code(131056);
        }
        book.faults.pop_front().unwrap_or(Fault::None)
    }

    fn take(&self, to: &str, reference: &str, kind: &str, body: &Value) {
        let (to, reference, kind) = (to.to_owned(), reference.to_owned(), kind.to_owned());
        let at_ms = self.clock.now().millis();
        self.book.lock().unwrap().taken.push(Taken {
            at_ms,
            to,
            reference,
            kind,
            body: body.clone(),
        });
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn authorized(headers: &HeaderMap, expected: &str) -> bool {
    headers.get(header::AUTHORIZATION).is_some_and(|value| value == expected)
}

async fn take_cloud(State(provider): State<Provider>, headers: HeaderMap, body: Bytes) -> Response {
    assert!(authorized(&headers, "Bearer ficha"), "{headers:?}");
    let body: Value = serde_json::from_slice(&body).unwrap();
    let (to, reference) = (text(&body["to"]), text(&body["biz_opaque_callback_data"]));
    let fault = provider.fault_for(to);
    let accepted = json!({"messages": [{"id": format!("wamid.{reference}")}]});
    if !matches!(fault, Fault::Busy | Fault::Code(_)) {
        provider.take(to, reference, text(&body["type"]), &body);
    }
    match fault {
        Fault::Code(code) => {
            let status =
                if code == 190 { StatusCode::UNAUTHORIZED } else { StatusCode::BAD_REQUEST };
            let error = json!({"error": {"code": code, "message": "m"}});
            (status, error.to_string()).into_response()
        }
        fault => respond(fault, &accepted),
    }
}

async fn take_infobip(
    State(provider): State<Provider>,
    Path(kind): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    assert!(authorized(&headers, "App ficha"), "{headers:?}");
    let body: Value = serde_json::from_slice(&body).unwrap();
    let one = if kind == "template" { &body["messages"][0] } else { &body };
    let (to, reference) = (text(&one["to"]), text(&one["messageId"]));
    let fault = provider.fault_for(to);
    let answer = |status: Value| {
        let answer = json!({"to": to, "messageId": reference, "status": status});
        if kind == "template" { json!({"messages": [answer]}) } else { answer }
    };
    if !matches!(fault, Fault::Busy | Fault::Code(_)) {
        provider.take(to, reference, &kind, one);
    }
    match fault {
        Fault::Code(131047) => {
            let status = json!({"groupName": "REJECTED", "name": "EC_NO_SESSION"});
            (StatusCode::OK, answer(status).to_string()).into_response()
        }
        Fault::Code(131056) => {
            (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "6")]).into_response()
        }
        Fault::Code(_) => {
            let status = json!({"groupName": "REJECTED", "name": "REFUSED"});
            (StatusCode::OK, answer(status).to_string()).into_response()
        }
        fault => respond(fault, &answer(json!({"groupName": "PENDING"}))),
    }
}

fn respond(fault: Fault, accepted: &Value) -> Response {
    match fault {
        // Ends the connection's task, and with it the connection; no hook prints it.
        Fault::BreakAfterAccept => std::panic::resume_unwind(Box::new("breaks off")),
        Fault::FailAfterAccept => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Fault::Busy => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        _ => (StatusCode::OK, accepted.to_string()).into_response(),
    }
}

async fn find_file(State(provider): State<Provider>, Path(id): Path<String>) -> Response {
    let url = match id.as_str() {
        "elsewhere" => "https://169.254.169.254/latest/meta-data/".to_owned(),
        id => format!("{}/files/{id}", provider.base),
    };
    json!({"url": url, "id": id}).to_string().into_response()
}

async fn give_file(headers: HeaderMap) -> Response {
    let known = ["Bearer ficha", "App ficha"].iter().any(|key| authorized(&headers, key));
    assert!(known, "a file is asked for with the channel's key");
    FILE.into_response()
}
