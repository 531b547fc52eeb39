//! Drafts, as the web chat's stream of events tells them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use agents::{Agent, AgentError, Context, ModelAsk, Outcome, Reply, TurnInput};
use async_trait::async_trait;
use domain::{
    Budget, Burst, Channel, ChannelId, ChannelKind, Clock, ModelEvent, ModelPart, ModelReply,
    ModelRequest, Pace, Priority, StopReason, SystemClock, SystemIds, Ticks, Usage, Workspace,
};
use llm::{
    Ask, CallFailure, Events, Limits, ModelSource, ModelVendor, Models, Prices, Provider, jitter,
};
use metrics_exporter_prometheus::PrometheusBuilder;
use runner::{Engine, Fixed, Outlet, Parts, Settings};
use serde_json::{Value, json};
use server::{App, AppParts, Gate};
use store::{ConversationFilter, Store};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tools::Registry;

const PATIENCE: Duration = Duration::from_secs(60);

/// Says a word for each permit, and is done when there are no words left.
struct Slow(Arc<Semaphore>);

#[async_trait]
impl Provider for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    async fn call(&self, _: &Ask<'_>, events: &mut Events<'_>) -> Result<ModelReply, CallFailure> {
        for word in ["Buenas,", " ¿qué", " busca?"] {
            self.0.acquire().await.expect("never closed").forget();
            events(ModelEvent::Text(word.to_owned()));
        }
        self.0.acquire().await.expect("never closed").forget();
        let text = "Buenas, ¿qué busca?".to_owned();
        let parts = vec![ModelPart::Text { text }];
        let (stop, usage) = (StopReason::End, Usage::default());
        Ok(ModelReply { parts, stop, usage, model: "slow".to_owned() })
    }
}

/// Answers what the model says, and shows it while it grows.
struct Speaks;

#[async_trait]
impl Agent for Speaks {
    fn name(&self) -> &str {
        "habla"
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let ask = ModelAsk {
            component: "writer".to_owned(),
            models: vec!["slow".to_owned()],
            budget: Budget::default(),
            request: ModelRequest { max_tokens: 10, ..ModelRequest::default() },
        };
        let answered = context.ask(&ask, Some(&|text: &str| Some(text.to_owned()))).await;
        let reply = answered.map_err(|error| AgentError { reason: error.to_string() })?;
        let mut outcome = Outcome::unchanged(&input.mode, &input.state);
        let text = reply.text().into();
        let (priority, options) = (Priority::Reply, Vec::new());
        outcome.replies.push(Reply { text, priority, approved: None, options });
        Ok(outcome)
    }
}

struct Still;

impl Ticks for Still {
    fn nanos(&self) -> u64 {
        0
    }
}

struct Shop {
    engine: Arc<Engine>,
    store: Arc<dyn Store>,
    workspace: Workspace,
    address: std::net::SocketAddr,
    /// The page's visitor, as an embedder's program holds it.
    visitor: String,
    words: Arc<Semaphore>,
    _folder: tempfile::TempDir,
}

impl Shop {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recado.db");
        let options = store_sqlite::Options { path, takes_over_lanes: true };
        let store: Arc<dyn Store> = Arc::new(store_sqlite::open(&options).unwrap());
        let clock = SystemClock::default();
        let ids = Arc::new(SystemIds::new(clock.clone()));
        let workspace = Workspace::named("demo");
        let channel = Channel {
            id: ChannelId("web".to_owned()),
            workspace: workspace.id,
            kind: ChannelKind::Webchat,
            agent: "habla".to_owned(),
            burst: Burst::default(),
        };
        store.ensure(&workspace, std::slice::from_ref(&channel), clock.now()).await.unwrap();
        let words = Arc::new(Semaphore::new(0));
        let provider = Arc::new(Slow(Arc::clone(&words)));
        let source = ModelSource { provider, vendor: ModelVendor::Any, models: Vec::new() };
        let clock = Arc::new(clock);
        let chance = jitter(ids.clone());
        let models =
            Models::new(vec![source], Prices::default(), Limits::default(), clock.clone(), chance);
        let engine = Engine::new(Parts {
            store: Arc::clone(&store),
            clock: clock.clone(),
            ticks: Arc::new(Still),
            ids: ids.clone(),
            roster: Arc::new(Fixed(vec![Arc::new(Speaks)])),
            outlets: vec![Outlet { channel, sender: None, pace: Pace::default() }],
            tools: Registry::builtin(),
            models: Arc::new(models),
            settings: Settings::default(),
        });
        let metrics = PrometheusBuilder::new().build_recorder().handle();
        let workspaces = std::slice::from_ref(&workspace);
        let now = clock.now();
        let visitor_keys = server::visitor_keys(&*store, workspaces, &*ids, now).await.unwrap();
        let gate = Gate { visitor_keys, ..Gate::default() };
        let app = App::new(
            AppParts { store: Arc::clone(&store), clock, ids, engine: Arc::clone(&engine) },
            HashMap::new(),
            metrics,
            gate,
        );
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (router, room) = (server::router(app), server::Room::default());
        tokio::spawn(server::serve(
            listener,
            router,
            room,
            Vec::new(),
            std::future::pending::<()>(),
        ));
        tokio::spawn(Arc::clone(&engine).run(Duration::from_secs(1)));
        let visitor = visitor(address).await;
        Self { engine, store, workspace, address, visitor, words, _folder: folder }
    }

    async fn write(&self, id: &str, text: &str) {
        assert_eq!(self.posted(id, text).await, "202");
    }

    /// The status that a message is answered with.
    async fn posted(&self, id: &str, text: &str) -> String {
        let body = json!({ "id": id, "text": text }).to_string();
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let request = format!(
            "POST /chat/web/messages HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\
             recado-visitor: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.visitor,
            body.len()
        );
        // A body that is too large is answered before it is read.
        let _ = stream.write_all(request.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let answer = String::from_utf8_lossy(&answer);
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    }

    async fn listen(&self) -> Page {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let request = format!(
            "GET /chat/web/events?after=0 HTTP/1.1\r\nhost: h\r\nrecado-visitor: {}\r\n\r\n",
            self.visitor
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        Page(BufReader::new(stream))
    }

    /// Lets the model say one word more, or end.
    fn go_on(&self) {
        self.words.add_permits(1);
    }
}

/// Asks for a token as an embedder's program does.
async fn visitor(address: std::net::SocketAddr) -> String {
    let body = json!({ "carry": "header" }).to_string();
    let request = format!(
        "POST /chat/web/visitor HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    body["visitor"].as_str().unwrap().to_owned()
}

/// A page's stream of events.
struct Page(BufReader<TcpStream>);

impl Page {
    /// The next event: its name, its text, and whether it has a place among the lines.
    async fn next(&mut self) -> (String, String, bool) {
        let read = async {
            let (mut name, mut has_id) = (String::new(), false);
            loop {
                let mut line = String::new();
                assert!(self.0.read_line(&mut line).await.unwrap() > 0, "the stream ended");
                if let Some(event) = line.strip_prefix("event: ") {
                    event.trim_end().clone_into(&mut name);
                }
                has_id |= line.starts_with("id: ");
                if let Some(data) = line.strip_prefix("data: ") {
                    let data: Value = serde_json::from_str(data.trim_end()).unwrap();
                    // An id may follow the data; the empty line ends the event.
                    let mut rest = String::new();
                    while rest.trim_end() != "" || rest.is_empty() {
                        rest.clear();
                        self.0.read_line(&mut rest).await.unwrap();
                        has_id |= rest.starts_with("id: ");
                    }
                    return (name, data["text"].as_str().unwrap().to_owned(), has_id);
                }
            }
        };
        tokio::time::timeout(PATIENCE, read).await.expect("an event comes")
    }

    async fn expect(&mut self, name: &str, text: &str) {
        assert_eq!(self.next().await, (name.to_owned(), text.to_owned(), name == "line"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_grows_on_the_page_and_the_line_comes_before_its_end() {
    let shop = Shop::open().await;
    let mut page = shop.listen().await;
    shop.write("mensaje-1", "hola").await;
    shop.go_on();
    page.expect("draft", "Buenas,").await;
    shop.go_on();
    page.expect("draft", "Buenas, ¿qué").await;
    // A page that comes back is told where it stands.
    let mut again = shop.listen().await;
    again.expect("draft", "Buenas, ¿qué").await;
    shop.go_on();
    for page in [&mut page, &mut again] {
        page.expect("draft", "Buenas, ¿qué busca?").await;
    }
    shop.go_on();
    for page in [&mut page, &mut again] {
        page.expect("line", "Buenas, ¿qué busca?").await;
    }
    // The line took the draft's place, so its end is no news; the next one is.
    shop.write("mensaje-2", "zapatos").await;
    shop.go_on();
    for page in [&mut page, &mut again] {
        page.expect("draft", "Buenas,").await;
    }
    shop.engine.stop();
}

#[tokio::test]
async fn what_is_too_large_is_answered_so_and_what_is_empty_is_a_mistake() {
    let shop = Shop::open().await;
    let id = |number: u32| format!("mensaje-{number}");
    assert_eq!(shop.posted(&id(1), &"x".repeat(4_001)).await, "413");
    assert_eq!(shop.posted(&id(2), &"x".repeat(4 * 1024 * 1024)).await, "413");
    assert_eq!(shop.posted(&id(3), " \u{200b}\u{3164} ").await, "400");
    assert_eq!(shop.posted(&id(4), &"ñ".repeat(4_000)).await, "202");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_that_comes_to_nothing_is_taken_back() {
    let shop = Shop::open().await;
    let mut page = shop.listen().await;
    shop.write("mensaje-1", "hola").await;
    shop.go_on();
    page.expect("draft", "Buenas,").await;
    let first = ConversationFilter { limit: 1, ..ConversationFilter::default() };
    let all = shop.store.list(shop.workspace.id, &first).await.unwrap();
    let now = shop.engine.intake().now();
    shop.store.take(shop.workspace.id, all.conversations[0].id, "marta", now).await.unwrap();
    page.expect("draft", "").await;
    shop.engine.stop();
}
