//! Two workspaces with channels and customers, a clock that the test moves, and a caller of the API.

mod answer;
mod goods;
mod phone;

use std::sync::Arc;

use agents::DemoAgent;
use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, header};
use channels::infobip::WebhookAuth;
use domain::{
    Burst, Channel, ChannelId, ChannelKind, Clock, Content, ConversationId, Identity, Inbound,
    SeededIds, Ticks, Timestamp, VirtualClock, Workspace, WorkspaceId,
};
use llm::{Limits, Models, Prices, jitter};
use metrics_exporter_prometheus::PrometheusBuilder;
use runner::{Engine, Fixed, Outlet, Parts, Settings};
use serde_json::Value;
use server::{App, AppParts, Gate, Webhook};
use store::{KeyRole, LiveId, Store};
use store_postgres::testing::{Urls, fresh_database};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tools::Registry;
use tower::ServiceExt;

pub(crate) use answer::{Answer, named};
pub(crate) use goods::{order, stock_up};
pub(crate) use phone::Phone;

pub(crate) const START: Timestamp = Timestamp::from_millis(1_780_000_000_000);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

struct Still;

impl Ticks for Still {
    fn nanos(&self) -> u64 {
        0
    }
}

/// The workspaces `tienda` and `otra`, each with the channels `web` and `wa` under its name.
pub(crate) struct Shop {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) engine: Arc<Engine>,
    pub(crate) clock: VirtualClock,
    pub(crate) ids: Arc<SeededIds<VirtualClock>>,
    pub(crate) phone: Arc<Phone>,
    pub(crate) router: Router,
    // Last, so that the store is closed before it is removed.
    pub(crate) database: Arc<Database>,
}

pub(crate) fn ours() -> WorkspaceId {
    WorkspaceId::from_slug("tienda")
}

pub(crate) fn theirs() -> WorkspaceId {
    WorkspaceId::from_slug("otra")
}

/// Where everything is kept.
pub(crate) enum Database {
    File(TempDir),
    Server(Urls),
}

impl Database {
    async fn new(kind: Kind) -> Self {
        match kind {
            Kind::Sqlite => Self::File(tempfile::tempdir().unwrap()),
            Kind::Postgres => Self::Server(fresh_database().await),
        }
    }

    /// Opens it as one more process.
    pub(crate) async fn open(&self) -> Arc<dyn Store> {
        match self {
            Self::File(folder) => {
                let path = folder.path().join("recado.db");
                let options = store_sqlite::Options { path, takes_over_lanes: false };
                Arc::new(store_sqlite::open(&options).unwrap())
            }
            Self::Server(urls) => Arc::new(store_postgres::open(urls.options()).await.unwrap()),
        }
    }

    /// Removes every key behind everybody's back.
    pub(crate) async fn forget_keys(&self) {
        const FORGET: &str = "DELETE FROM api_keys";
        match self {
            Self::File(folder) => {
                let file = rusqlite::Connection::open(folder.path().join("recado.db")).unwrap();
                file.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
                file.execute(FORGET, []).unwrap();
            }
            Self::Server(urls) => {
                let session = store_postgres::testing::connect(&urls.superuser).await;
                session.batch_execute(FORGET).await.unwrap();
            }
        }
    }

    /// Ends every session, and lets no further one in.
    pub(crate) async fn shut(&self) {
        const SHUT: &str = "DO $$ BEGIN \
            EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT 0', current_database()); END $$; \
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
            WHERE datname = current_database() AND pid <> pg_backend_pid()";
        match self {
            Self::File(_) => unreachable!("a file has no sessions"),
            Self::Server(urls) => {
                let session = store_postgres::testing::connect(&urls.superuser).await;
                session.batch_execute(SHUT).await.unwrap();
            }
        }
    }

    /// The actors and acts in a workspace, oldest first.
    async fn audit(&self, workspace: WorkspaceId) -> Vec<String> {
        const WHO: &str = "SELECT actor || ' ' || action FROM audit_log WHERE workspace_id = $1 \
                           ORDER BY seq";
        match self {
            Self::File(folder) => {
                let file = rusqlite::Connection::open(folder.path().join("recado.db")).unwrap();
                let mut who = file.prepare(WHO).unwrap();
                let rows = who.query_map([workspace.0], |row| row.get(0)).unwrap();
                rows.map(Result::unwrap).collect()
            }
            Self::Server(urls) => {
                let session = store_postgres::testing::connect(&urls.superuser).await;
                let rows = session.query(WHO, &[&workspace.0]).await.unwrap();
                rows.iter().map(|row| row.get(0)).collect()
            }
        }
    }
}

fn channel(workspace: &str, name: &str, kind: ChannelKind) -> Channel {
    Channel {
        id: ChannelId(format!("{workspace}-{name}")),
        workspace: WorkspaceId::from_slug(workspace),
        kind,
        agent: "demo".to_owned(),
        burst: Burst::default(),
    }
}

/// A webhook that whoever knows the password `clave` may call.
fn webhook(channel: &str) -> (ChannelId, Webhook) {
    let auth = WebhookAuth::Basic { user: "infobip".to_owned(), password: "clave".into() };
    (ChannelId(channel.to_owned()), Webhook::Infobip(auth))
}

impl Shop {
    pub(crate) async fn open(kind: Kind) -> Self {
        Self::with(kind, |_| {}).await
    }

    /// With something else at the gate than usual.
    pub(crate) async fn with(kind: Kind, change: impl FnOnce(&mut Gate)) -> Self {
        let database = Arc::new(Database::new(kind).await);
        Self::on(database, VirtualClock::at(START), 7, change).await
    }

    /// Another node on the same database, which remembers nothing.
    pub(crate) async fn again(&self) -> Self {
        self.again_with(|_| {}).await
    }

    /// The same with something else at the gate than usual.
    pub(crate) async fn again_with(&self, change: impl FnOnce(&mut Gate)) -> Self {
        Self::on(Arc::clone(&self.database), self.clock.clone(), 8, change).await
    }

    async fn on(
        database: Arc<Database>,
        clock: VirtualClock,
        seed: u64,
        change: impl FnOnce(&mut Gate),
    ) -> Self {
        let store = database.open().await;
        let ids = Arc::new(SeededIds::new(clock.clone(), seed));
        let phone = Arc::new(Phone::default());
        let mut outlets = Vec::new();
        for slug in ["tienda", "otra"] {
            let web = channel(slug, "web", ChannelKind::Webchat);
            let wa = channel(slug, "wa", ChannelKind::Infobip);
            let channels = [web.clone(), wa.clone()];
            store.ensure(&Workspace::named(slug), &channels, START).await.unwrap();
            outlets.push(Outlet { channel: web, sender: None, pace: Default::default() });
            outlets.push(Outlet {
                channel: wa,
                sender: Some(phone.clone()),
                pace: Default::default(),
            });
        }
        let shared = Arc::new(clock.clone());
        let chance = jitter(ids.clone());
        let models =
            Models::new(Vec::new(), Prices::default(), Limits::default(), shared.clone(), chance);
        let engine = Engine::new(Parts {
            store: Arc::clone(&store),
            clock: shared.clone(),
            ticks: Arc::new(Still),
            ids: ids.clone(),
            roster: Arc::new(Fixed(vec![Arc::new(DemoAgent)])),
            outlets,
            tools: Registry::builtin(),
            models: Arc::new(models),
            settings: Settings::default(),
        });
        let metrics = PrometheusBuilder::new().build_recorder().handle();
        let workspaces = ["tienda", "otra"].map(Workspace::named);
        let visitor_keys = server::visitor_keys(&*store, &workspaces, &*ids, START).await.unwrap();
        let mut gate = Gate { visitor_keys, ..Gate::default() };
        change(&mut gate);
        let app = App::new(
            AppParts {
                store: Arc::clone(&store),
                clock: shared,
                ids: ids.clone(),
                engine: Arc::clone(&engine),
            },
            ["tienda-wa", "otra-wa"].map(webhook).into(),
            metrics,
            gate,
        );
        let router = server::router(app);
        Self { store, engine, clock, ids, phone, router, database }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A key's secret.
    pub(crate) async fn key(&self, workspace: &str, name: &str, role: KeyRole) -> String {
        let workspace = WorkspaceId::from_slug(workspace);
        let (token, stored) =
            server::mint(workspace, name, role, None, &*self.ids, self.clock.now());
        self.store.add_key(workspace, &stored, "prueba", self.clock.now()).await.unwrap();
        token.reveal().to_owned()
    }

    /// A customer writes, and what follows is done.
    pub(crate) async fn hears(&self, channel: &str, from: &str, text: &str) -> ConversationId {
        let channel = ChannelId(channel.to_owned());
        let id = domain::IdSource::next(&*self.ids).to_string();
        let name = Some(format!("Cliente {from}").into());
        let from =
            Identity { external_id: from.into(), name, phone: Some("+57 300".into()), alias: None };
        let sender = from.external_id.clone();
        let item = Inbound {
            external_id: id,
            from,
            content: Content::text(text),
            edits: None,
            sent_at: None,
        };
        self.engine.intake().ingest(&channel, vec![item]).await.unwrap();
        self.engine.run_until_idle().await.unwrap();
        let workspace = self.engine.connected().outlet(&channel).unwrap().channel.workspace;
        self.store.find(workspace, &channel, sender.reveal()).await.unwrap().unwrap()
    }

    /// Lets time pass and does what is due.
    pub(crate) async fn wait_ms(&self, ms: i64) {
        self.clock.advance_ms(ms);
        self.engine.run_until_idle().await.unwrap();
    }

    /// A message that fails until it is set aside.
    pub(crate) async fn breaks(&self, channel: &str, from: &str) -> ConversationId {
        let id = self.hears(channel, from, "rompete").await;
        for _ in 0..3 {
            self.wait_ms(60_000).await;
        }
        id
    }

    pub(crate) async fn get(&self, path: &str, key: &str) -> Answer {
        self.call(Method::GET, path, Some(key), None).await
    }

    pub(crate) async fn post(&self, path: &str, key: &str, body: Value) -> Answer {
        self.call(Method::POST, path, Some(key), Some(body)).await
    }

    pub(crate) async fn call(
        &self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Option<Value>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(format!("/api/v1{path}"));
        if let Some(key) = key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        let body = match body {
            Some(body) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                Body::from(body.to_string())
            }
            None => Body::empty(),
        };
        self.send(request.body(body).unwrap()).await
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        Answer::of(self.router.clone().oneshot(request).await.unwrap()).await
    }

    /// Listens on an address of this machine.
    pub(crate) async fn listen(&self) -> std::net::SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (router, room) = (self.router.clone(), server::Room::default());
        tokio::spawn(server::serve(
            listener,
            router,
            room,
            Vec::new(),
            std::future::pending::<()>(),
        ));
        address
    }

    pub(crate) async fn audit(&self, workspace: WorkspaceId) -> Vec<String> {
        self.database.audit(workspace).await
    }

    /// The live events of a workspace after a place, once no other test stands before it.
    pub(crate) async fn told(&self, workspace: WorkspaceId, after: LiveId) -> Vec<String> {
        loop {
            let news = self.store.live_after(workspace, after, 1_000).await.unwrap();
            if !news.soon {
                return news.events.iter().map(|event| event.id.to_string()).collect();
            }
            tokio::task::yield_now().await;
        }
    }
}
