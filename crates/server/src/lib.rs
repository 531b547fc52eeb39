//! The HTTP server: webhooks in, the webchat page and its events, the operators' API, health and
//! metrics.

mod answers;
mod api;
mod cloud;
mod door;
mod guests;
mod health;
mod hub;
mod in_time;
mod infobip;
mod newcomers;
mod page;
mod peer;
mod places;
mod pool;
mod problem;
mod refusals;
mod remembered;
mod repeated;
mod streams;
mod token;
mod visitor;
mod visits;
mod webchat;

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use bytes::Bytes;
use domain::{Channel, ChannelId, Clock, IdSource, Network, Timestamp, VisitLimits, WorkspaceId};
use metrics_exporter_prometheus::PrometheusHandle;
use runner::{Connected, Engine, Intake};
use store::Store;

pub use api::document;
pub use door::{Room, listen, serve};
pub use token::{Token, mint, name_mistake};
pub use visitor::{NoVisitorKey, VisitorKey, visitor_keys};

use crate::answers::Answers;
use crate::api::Throttle;
use crate::health::Looks;
use crate::peer::Peer;
use crate::places::{Place, Places};
use crate::pool::{Familiar, Held, Pools};
use crate::problem::Problem;
use crate::streams::{Hubs, Streams};
use crate::visits::Visits;

/// Larger than any provider's delivery; what is larger still is refused unread.
const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// Deliveries taken in at once, and those of one workspace; further ones are told to come back.
const INTAKE_LIMIT: usize = 4096;
const INTAKE_OF_ONE: usize = 2048;

/// A channel's webhook, and how it knows its caller.
pub enum Webhook {
    Infobip(channels::infobip::WebhookAuth),
    WhatsappCloud { auth: channels::cloud::WebhookAuth, phone_number_id: String },
}

/// A webhook with from where it was rightly called.
struct Hook {
    webhook: Webhook,
    workspace: WorkspaceId,
    familiar: Familiar,
}

/// The configuration's word on strangers.
#[derive(Clone, Debug)]
pub struct Gate {
    /// Proxies that are believed about whom they speak for.
    pub trusted_proxies: Vec<Network>,
    /// Limits on visitors of web chats; none if anything goes.
    pub webchat_limits: Option<VisitLimits>,
    /// Keys that workspaces sign their visitors with.
    pub visitor_keys: HashMap<WorkspaceId, VisitorKey>,
    /// Whether the world reaches this node over TLS alone.
    pub is_https: bool,
    /// Pages of visitors that follow at once.
    pub pages: usize,
    /// WebSockets that have still to show a key.
    pub guests: usize,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            trusted_proxies: Vec::new(),
            webchat_limits: Some(VisitLimits::DEFAULT),
            visitor_keys: HashMap::new(),
            is_https: false,
            pages: 7_500,
            guests: 1_000,
        }
    }
}

/// The parts of a node that a server stands on.
pub struct AppParts {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdSource>,
    pub engine: Arc<Engine>,
}

/// The state that the request functions share.
#[derive(Clone)]
pub struct App(Arc<Shared>);

struct Shared {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    /// Says what works here and when it stops; what arrives goes to its intake.
    engine: Arc<Engine>,
    /// The callers allowed at each webhook; a channel that is not here has no webhook.
    webhooks: HashMap<ChannelId, Hook>,
    gate: Gate,
    intake: Arc<Places<WorkspaceId>>,
    answers: Answers,
    pools: Pools,
    streams: Streams,
    hubs: Hubs,
    visits: Visits,
    /// Addresses and keys that failed to authenticate.
    throttle: Throttle,
    metrics: PrometheusHandle,
    looks: Looks,
}

impl App {
    /// Needs a runtime: it passes on what the store announces.
    pub fn new(
        parts: AppParts,
        webhooks: HashMap<ChannelId, Webhook>,
        metrics: PrometheusHandle,
        gate: Gate,
    ) -> Self {
        let AppParts { store, clock, ids, engine } = parts;
        let hook = |(id, webhook): (ChannelId, _)| {
            let workspace = engine.connected().outlet(&id)?.channel.workspace;
            Some((id, Hook { webhook, workspace, familiar: Familiar::default() }))
        };
        let webhooks = webhooks.into_iter().filter_map(hook).collect();
        Self(Arc::new(Shared {
            streams: Streams::new(&gate),
            hubs: Hubs::passing_on(store.signals()),
            visits: Visits::new(gate.webchat_limits),
            store,
            clock,
            ids,
            engine,
            webhooks,
            gate,
            intake: Places::new(INTAKE_LIMIT, INTAKE_OF_ONE),
            answers: Answers::default(),
            pools: Pools::default(),
            throttle: Throttle::default(),
            metrics,
            looks: Looks::default(),
        }))
    }

    /// The key that a channel's visitors are signed with.
    fn visitor_key(&self, channel: &Channel) -> Result<&VisitorKey, Problem> {
        let missing = || Problem::Internal(format!("`{}` has no key for visitors", channel.id));
        self.0.gate.visitor_keys.get(&channel.workspace).ok_or_else(missing)
    }

    /// Reads a delivery with a signature that only the body can prove.
    async fn read_signed(
        &self,
        hook: &Hook,
        peer: Peer,
        body: Body,
    ) -> Result<(Bytes, Held), Problem> {
        let is_familiar = hook.familiar.knows(peer.0, self.now());
        self.0.pools.read_signed(hook.workspace, is_familiar, peer, body, BODY_LIMIT).await
    }

    /// The place of what a workspace takes in, for as long as that lasts.
    fn takes_in(&self, workspace: WorkspaceId) -> Result<Place<WorkspaceId>, Problem> {
        let full = || Problem::NotNow("too many deliveries at once".to_owned());
        self.0.intake.take(workspace).ok_or_else(full)
    }

    fn store(&self) -> &Arc<dyn Store> {
        &self.0.store
    }

    fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    fn intake(&self) -> &Arc<Intake> {
        self.0.engine.intake()
    }

    fn connected(&self) -> &Connected {
        self.0.engine.connected()
    }
}

fn nothing() -> Problem {
    let text = "there is nothing at this address: see that it is written rightly";
    Problem::NotFound(text.to_owned())
}

pub fn router(app: App) -> Router {
    let (api, open_api) = api::router();
    Router::new()
        .route("/", get(page::index))
        .route("/chat/{channel}", get(page::chat))
        .route("/chat/{channel}/visitor", post(webchat::visit))
        .route("/chat/{channel}/messages", post(webchat::write))
        .route("/chat/{channel}/history", get(webchat::history))
        .route("/webhooks/infobip/{channel}", post(infobip::deliver))
        .route("/webhooks/whatsapp/{channel}", get(cloud::shake).post(cloud::deliver))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .merge(api)
        .merge(api::nothing())
        .layer(from_fn(in_time::answered))
        // Events stay open, so they have no timeout.
        .route("/chat/{channel}/events", get(webchat::events))
        .merge(open_api)
        .fallback(async || nothing())
        .method_not_allowed_fallback(async || Problem::WrongMethod)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(from_fn_with_state(app.clone(), answers::bounded))
        .with_state(app)
}
