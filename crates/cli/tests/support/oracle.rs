//! A language model on this machine, and the shop's dispatch beside it: it sells by two tools in
//! one turn, counts what it is asked, and misbehaves when told to.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::wire::{Says, Wire};

/// Between the pieces of an answer, so that they come one after another.
const PACE: Duration = Duration::from_millis(30);

/// The last text of a sale.
pub(crate) const SOLD: &str = "Gracias por escribirnos. Que tengas un lindo día.";

/// How it misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Status(u16, &'static str),
    /// Closes the connection without an answer.
    Close,
    /// Never begins to answer.
    Silent,
    /// Begins once it is let go on, and then answers as it should.
    Wait,
    /// Begins, and falls silent in the middle of a tool's arguments.
    Stall,
    /// Goes on for ever without saying anything.
    Drip,
    /// Ends in the middle of a tool's arguments.
    Cut,
    /// Breaks the connection in the middle of a tool's arguments.
    Break,
    /// An error after a good beginning.
    ErrorInside,
    NoJson,
    /// Whole, but for the arguments of its tools.
    BadArguments,
    Empty,
    Refusal,
    /// Asks for tools that nobody offered.
    Forbidden,
}

#[derive(Default)]
struct Book {
    /// The messages of each request, by model and in order.
    asked: BTreeMap<String, Vec<Value>>,
    /// By model, and how many more times.
    faults: BTreeMap<String, (Fault, u32)>,
    /// Whether those who wait may go on.
    may_go: watch::Sender<bool>,
    /// Dispatches that were carried out, by their keys.
    dispatched: Vec<String>,
}

type Shared = Arc<(Wire, Mutex<Book>)>;

pub(crate) struct Oracle {
    pub(crate) wire: Wire,
    shared: Shared,
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl Drop for Oracle {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Oracle {
    pub(crate) async fn start(wire: Wire) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port for the model");
        let address = listener.local_addr().expect("the model's address");
        let shared: Shared = Arc::new((wire, Mutex::default()));
        let router = Router::new()
            .route("/v1/{*path}", post(answer))
            .route("/despachos", post(dispatch))
            .with_state(Arc::clone(&shared));
        let serving = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("the model serves");
        });
        Self { wire, shared, address, serving }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.shared.1.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Misbehaves the next times it is asked as this model.
    pub(crate) fn fault(&self, model: &str, fault: Fault, times: u32) {
        self.book().faults.insert(model.to_owned(), (fault, times));
    }

    /// Lets those go on who wait.
    pub(crate) fn goes_on(&self) {
        self.book().may_go.send_replace(true);
    }

    /// The requests to this model.
    pub(crate) fn asked(&self, model: &str) -> Vec<Value> {
        self.book().asked.get(model).cloned().unwrap_or_default()
    }

    /// Dispatches that were carried out.
    pub(crate) fn dispatched(&self) -> Vec<String> {
        self.book().dispatched.clone()
    }
}

async fn answer(
    State(shared): State<Shared>,
    Path(_): Path<String>,
    Json(request): Json<Value>,
) -> Response {
    let wire = shared.0;
    let model = request["model"].as_str().unwrap_or_default().to_owned();
    let (fault, mut may_go) = {
        let mut book = shared.1.lock().unwrap_or_else(PoisonError::into_inner);
        book.asked.entry(model.clone()).or_default().push(request["messages"].clone());
        let fault = book.faults.get_mut(&model).filter(|(_, left)| *left > 0);
        let fault = fault.map(|(fault, left)| {
            *left -= 1;
            *fault
        });
        (fault, book.may_go.subscribe())
    };
    if fault == Some(Fault::Wait) {
        may_go.wait_for(|may_go| *may_go).await.expect("its other end is in the book");
    }
    match fault {
        None | Some(Fault::Wait) => streamed(paced(wire.events(&says(wire, &request)))),
        Some(fault) => misbehave(wire, &request, fault).await,
    }
}

/// Two tools, and a word when they are done.
fn says(wire: Wire, request: &Value) -> Says {
    if wire.has_results(request) {
        return Says::Text(vec!["Gracias por escribirnos. Que tengas", " un lindo día."]);
    }
    let tool = |word| wire.offered(request, word).unwrap_or_else(|| format!("no_{word}"));
    Says::Calls(vec![(tool("order"), "{", "}"), (tool("despacho"), "{\"bolsas\"", ": 1}")])
}

async fn misbehave(wire: Wire, request: &Value, fault: Fault) -> Response {
    let whole = wire.events(&says(wire, request));
    // The first tool is whole by then; the second is not.
    let half = || whole.iter().take(whole.len() / 2).cloned().collect::<Vec<_>>();
    match fault {
        Fault::Status(status, body) => {
            let status = StatusCode::from_u16(status).expect("a status");
            (status, [(header::RETRY_AFTER, "0")], body).into_response()
        }
        // Ends the connection's task, and with it the connection; no hook prints it.
        Fault::Close => std::panic::resume_unwind(Box::new("the model breaks off")),
        Fault::Silent | Fault::Wait => pending().await,
        Fault::Stall => streamed(paced(half()).chain(stream::pending()).boxed()),
        Fault::Drip => streamed(paced(vec![wire.ping().to_owned(); 1_000])),
        Fault::Cut => streamed(paced(half())),
        Fault::Break => {
            let broken = stream::iter([Err(std::io::Error::other("broken"))]);
            let begun = paced(half()).map(|piece| Ok(piece.unwrap_or_default()));
            Body::from_stream(begun.chain(broken)).into_response()
        }
        Fault::ErrorInside => streamed(paced(half().into_iter().chain([wire.error()]).collect())),
        Fault::NoJson => {
            let oops = "data: {oops\n\n".to_owned();
            streamed(paced(half().into_iter().chain([oops]).collect()))
        }
        Fault::BadArguments => {
            let tool = |word| wire.offered(request, word).unwrap_or_default();
            let calls = vec![(tool("order"), "{", "}"), (tool("despacho"), "{\"bolsas\"", ": ")];
            streamed(paced(wire.events(&Says::Calls(calls))))
        }
        Fault::Empty => streamed(paced(wire.events(&Says::Nothing))),
        Fault::Refusal => streamed(paced(wire.events(&Says::Refusal))),
        Fault::Forbidden => {
            let calls = vec![("banco_transferir".to_owned(), "{\"pesos\"", ": 1}")];
            streamed(paced(wire.events(&Says::Calls(calls))))
        }
    }
}

type Pieces = BoxStream<'static, Result<Bytes, Infallible>>;

fn paced(events: Vec<String>) -> Pieces {
    let paced = stream::iter(events).then(async |event| {
        tokio::time::sleep(PACE).await;
        Ok(Bytes::from(event))
    });
    paced.boxed()
}

fn streamed(pieces: Pieces) -> Response {
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(pieces)).into_response()
}

/// Does a dispatch once for each key.
async fn dispatch(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    let key = headers.get("idempotency-key").and_then(|value| value.to_str().ok());
    let Some(key) = key else { return StatusCode::BAD_REQUEST.into_response() };
    let mut book = shared.1.lock().unwrap_or_else(PoisonError::into_inner);
    if !book.dispatched.iter().any(|known| known == key) {
        book.dispatched.push(key.to_owned());
    }
    Json(json!({ "ok": true })).into_response()
}
