//! A shop with one WhatsApp channel, and everything a test asks of it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use agents::{Agent, AgentError, Context, Outcome, Reply, TurnInput};
use async_trait::async_trait;
use channels::cloud::{CloudMedia, WhatsappCloud};
use channels::infobip::{Infobip, InfobipMedia};
use channels::{MediaHosts, MediaSource, Sender, cloud, infobip};
use domain::{
    Approved, Burst, Channel, ChannelKind, Clock, EventKind, Pace, Priority, ReplyOption,
    SeededIds, Ticks, Timestamp, VirtualClock, Workspace,
};
use llm::{Limits, Models, Prices};
use metrics_exporter_prometheus::PrometheusBuilder;
use runner::{Engine, Fixed, MediaKeeper, MediaOutlet, Outlet, Parts, Settings};
use serde_json::Value;
use server::{App, AppParts, Gate, Webhook};
use store::{AttentionFilter, ReconcileItem, Store};
use tokio::net::TcpListener;
use tools::Registry;

use super::provider::Provider;
use super::wire::{NUMBER, SECRET, Sent, WORD, Wire};

const START: Timestamp = Timestamp::from_millis(1_780_000_000_000);
pub(crate) const ANA: &str = "573001234567";

/// Answers `eco: words`; `botones`, `lista` and `plantilla` are answered as such.
struct Clerk;

fn option(title: &str) -> ReplyOption {
    ReplyOption { id: title.to_lowercase(), title: title.to_owned(), description: None }
}

#[async_trait]
impl Agent for Clerk {
    fn name(&self) -> &str {
        "prueba"
    }

    async fn turn(&self, input: &TurnInput, _: &mut dyn Context) -> Result<Outcome, AgentError> {
        let mut outcome = Outcome::unchanged(&input.mode, &input.state);
        for event in &input.events {
            let EventKind::Message(content) = &event.kind else { continue };
            let words = content.words().unwrap_or_else(|| "?".to_owned());
            let titles: &[&str] = match words.as_str() {
                "botones" => &["Sí", "No"],
                "lista" => &["uno", "dos", "tres", "cuatro"],
                _ => &[],
            };
            let approved = (words == "plantilla").then(|| Approved {
                name: "aviso".into(),
                language: "es_CO".into(),
                values: vec!["Ana".into()],
            });
            outcome.replies.push(Reply {
                text: format!("eco: {words}").into(),
                priority: Priority::Reply,
                approved,
                options: titles.iter().copied().map(option).collect(),
            });
        }
        Ok(outcome)
    }
}

struct Still;

impl Ticks for Still {
    fn nanos(&self) -> u64 {
        0
    }
}

pub(crate) struct Desk {
    pub(crate) wire: Wire,
    pub(crate) clock: VirtualClock,
    pub(crate) provider: Provider,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) engine: Arc<Engine>,
    pub(crate) channel: Channel,
    pub(crate) http: reqwest::Client,
    pub(crate) base: String,
    media: Arc<MediaKeeper>,
    said: AtomicI64,
    _folder: tempfile::TempDir,
}

#[expect(clippy::disallowed_methods, reason = "the test stands where the product wires it")]
fn client() -> reqwest::Client {
    // Another test may have installed it first; either way one is installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    builder.retry(reqwest::retry::never()).no_proxy().build().unwrap()
}

fn outlets(wire: Wire, base: &str) -> (Arc<dyn Sender>, Arc<dyn MediaSource>, Webhook) {
    let (api_base, client) = (base.to_owned(), client());
    let hosts = MediaHosts { api_base: api_base.clone(), hosts: Vec::new() };
    match wire {
        Wire::Infobip => {
            let api_key = || "ficha".into();
            let media = InfobipMedia { api_key: api_key(), hosts, client: client.clone() };
            let sender = "573001112233".to_owned();
            let sender = Infobip { api_base, api_key: api_key(), sender, client };
            let auth = infobip::WebhookAuth::Hmac { secret: SECRET.into() };
            (Arc::new(sender), Arc::new(media), Webhook::Infobip(auth))
        }
        Wire::Cloud => {
            let account = || WhatsappCloud {
                api_base: api_base.clone(),
                api_version: "v23.0".to_owned(),
                access_token: "ficha".into(),
                phone_number_id: NUMBER.to_owned(),
                client: client.clone(),
            };
            let auth = cloud::WebhookAuth {
                app_secrets: vec![SECRET.into(), "vieja".into()],
                verify_token: WORD.into(),
            };
            let phone_number_id = NUMBER.to_owned();
            let webhook = Webhook::WhatsappCloud { auth, phone_number_id };
            (Arc::new(account()), Arc::new(CloudMedia { account: account(), hosts }), webhook)
        }
    }
}

impl Desk {
    pub(crate) async fn open(wire: Wire) -> Self {
        Self::paced(wire, Pace::default()).await
    }

    pub(crate) async fn paced(wire: Wire, pace: Pace) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recado.db");
        let options = store_sqlite::Options { path, takes_over_lanes: true };
        let store: Arc<dyn Store> = Arc::new(store_sqlite::open(&options).unwrap());
        let clock = VirtualClock::at(START);
        let provider = Provider::start(clock.clone()).await;
        let workspace = Workspace::named("demo");
        let kind = match wire {
            Wire::Infobip => ChannelKind::Infobip,
            Wire::Cloud => ChannelKind::WhatsappCloud,
        };
        let channel = Channel {
            id: "tienda".into(),
            workspace: workspace.id,
            kind,
            agent: "prueba".to_owned(),
            burst: Burst { max_messages: 1, ..Burst::default() },
        };
        store.ensure(&workspace, std::slice::from_ref(&channel), clock.now()).await.unwrap();
        let (sender, source, webhook) = outlets(wire, &provider.base);
        let ids = Arc::new(SeededIds::new(clock.clone(), 7));
        let shared: Arc<dyn Clock> = Arc::new(clock.clone());
        let models = Models::new(
            Vec::new(),
            Prices::default(),
            Limits::default(),
            Arc::clone(&shared),
            Arc::new(|_| 0),
        );
        let engine = Engine::new(Parts {
            store: Arc::clone(&store),
            clock: Arc::clone(&shared),
            ticks: Arc::new(Still),
            ids: ids.clone(),
            roster: Arc::new(Fixed(vec![Arc::new(Clerk)])),
            outlets: vec![Outlet { channel: channel.clone(), sender: Some(sender), pace }],
            tools: Registry::builtin(),
            models: Arc::new(models),
            settings: Settings::default(),
        });
        let webhooks = HashMap::from([(channel.id.clone(), webhook)]);
        let metrics = PrometheusBuilder::new().build_recorder().handle();
        let app = App::new(
            AppParts {
                store: Arc::clone(&store),
                clock: Arc::clone(&shared),
                ids,
                engine: Arc::clone(&engine),
            },
            webhooks,
            metrics,
            Gate::default(),
        );
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let (router, room) = (server::router(app), server::Room::default());
        tokio::spawn(server::serve(
            listener,
            router,
            room,
            Vec::new(),
            std::future::pending::<()>(),
        ));
        let outlet = MediaOutlet { channel: channel.clone(), source };
        let place = folder.path().join("media");
        let media = MediaKeeper::new(Arc::clone(&store), shared, vec![outlet], place);
        let said = AtomicI64::new(0);
        let http = client();
        Self {
            wire,
            clock,
            provider,
            store,
            engine,
            channel,
            http,
            base,
            media,
            said,
            _folder: folder,
        }
    }

    pub(crate) async fn post(&self, body: Vec<u8>, header: Option<(&str, &str)>) -> (u16, Value) {
        let mut request = self.http.post(format!("{}{}", self.base, self.wire.path()));
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        let answer = request.body(body).send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    /// A delivery as the provider signs it.
    pub(crate) async fn deliver(&self, messages: &[Value], reports: &[Value]) -> Value {
        let body = self.wire.body(messages, reports);
        let (name, value) = self.wire.signature(SECRET, &body);
        let (status, said) = self.post(body, Some((name, &value))).await;
        assert_eq!(status, 200, "{said}");
        said
    }

    /// The next thing Ana says.
    pub(crate) fn next(&self, sent: &Sent) -> Value {
        let number = self.said.fetch_add(1, Ordering::SeqCst);
        let at = self.clock.now().millis() / 1_000 + number;
        self.wire.message(ANA, &format!("m{number}"), at, sent)
    }

    pub(crate) async fn says(&self, text: &str) {
        let said = self.deliver(&[self.next(&Sent::Text(text.to_owned()))], &[]).await;
        assert_eq!(said["accepted"], 1);
        self.work().await;
    }

    pub(crate) async fn work(&self) {
        self.engine.run_until_idle().await.unwrap();
    }

    pub(crate) async fn work_for_ms(&self, ms: i64) {
        let end = self.clock.now().plus_ms(ms);
        self.work().await;
        while let Some(due) = self.store.next_due().await.unwrap().filter(|due| *due <= end) {
            self.clock.advance_to(due);
            self.work().await;
        }
        self.clock.advance_to(end);
    }

    pub(crate) async fn fetch(&self) {
        self.media.run_until_idle().await.unwrap();
    }

    pub(crate) async fn lines(&self) -> Vec<String> {
        self.lines_of(ANA).await
    }

    pub(crate) async fn lines_of(&self, name: &str) -> Vec<String> {
        let id = self.store.find(self.channel.workspace, &self.channel.id, name).await.unwrap();
        let Some(id) = id else { return Vec::new() };
        let lines = self.store.transcript(self.channel.workspace, id, 500).await.unwrap().lines;
        let line =
            |line: &store::Line| format!("{}: {}", line.role.as_str(), line.content.reveal());
        lines.iter().map(line).collect()
    }

    /// Ana's lines in the record.
    pub(crate) async fn heard(&self) -> Vec<String> {
        let lines = self.lines().await;
        lines.iter().filter_map(|line| line.strip_prefix("user: ")).map(str::to_owned).collect()
    }

    pub(crate) async fn open_items(&self) -> Vec<ReconcileItem> {
        self.store
            .reconcile_items(self.channel.workspace, &AttentionFilter::first(100))
            .await
            .unwrap()
    }
}
