//! The tests' kit: a caller, names that mean what a test says, and a site on loopback.

pub(crate) mod mcp_server;

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::response::Response;
use domain::{Caller, ContactId, ConversationId, SessionId, WorkspaceId};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tools::egress::Lookup;
use uuid::Uuid;

pub(crate) fn caller() -> Caller {
    Caller {
        workspace: WorkspaceId::from_slug("tienda"),
        conversation: ConversationId(Uuid::from_u128(1)),
        contact: ContactId(Uuid::from_u128(2)),
        session: SessionId(Uuid::from_u128(3)),
        authority: domain::Authority::Person,
    }
}

/// Names that mean what the test says, and how often they were asked for.
#[derive(Clone, Default)]
pub(crate) struct Names {
    meanings: Arc<BTreeMap<String, Vec<IpAddr>>>,
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
}

impl Names {
    pub(crate) fn meaning<'a>(names: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut meanings: BTreeMap<String, Vec<IpAddr>> = BTreeMap::new();
        for (name, address) in names {
            let address = address.parse().expect("an address");
            meanings.entry(name.to_owned()).or_default().push(address);
        }
        Self { meanings: Arc::new(meanings), asked: Arc::default() }
    }
}

#[async_trait]
impl Lookup for Names {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        self.asked.lock().unwrap().push(name.to_owned());
        let found = self.meanings.get(name.trim_end_matches('.'));
        found.cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// A request as a site saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) line: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

type Answers = fn(&Seen) -> Response;

/// A site's answers, and the requests it saw.
#[derive(Clone)]
struct Desk {
    seen: Arc<Mutex<Vec<Seen>>>,
    answers: Answers,
}

/// A site on loopback that remembers what it was asked.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    serving: JoinHandle<()>,
}

impl Site {
    pub(crate) async fn answering(answers: Answers) -> Self {
        Self::at("127.0.0.1:0".parse().unwrap(), answers).await
    }

    pub(crate) async fn at(address: SocketAddr, answers: Answers) -> Self {
        let listener = TcpListener::bind(address).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::default();
        let state = Desk { seen: Arc::clone(&seen), answers };
        let router = Router::new().fallback(take).with_state(state);
        let serving = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("a site");
        });
        Self { address, seen, serving }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.line).collect()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn take(State(site): State<Desk>, request: Request) -> Response {
    let line = format!("{} {}", request.method(), request.uri());
    let text = |value: &axum::http::HeaderValue| value.to_str().unwrap_or_default().to_owned();
    let headers =
        request.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let body = axum::body::to_bytes(request.into_body(), usize::MAX).await.unwrap_or(Bytes::new());
    let body = serde_json::from_slice(&body).unwrap_or(json!(null));
    let seen = Seen { line, headers, body };
    site.seen.lock().unwrap().push(seen.clone());
    (site.answers)(&seen)
}
