//! The HTTP server: webhooks in, the webchat page and its events, the operators' API, health and
//! metrics.

mod api;
mod cloud;
mod deliver;
mod health;
mod infobip;
mod page;
mod problem;
mod token;
mod webchat;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::routing::{get, post};
use domain::{ChannelId, IdSource};
use metrics_exporter_prometheus::PrometheusHandle;
use runner::Engine;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower_http::timeout::TimeoutLayer;

pub use api::document;
pub use token::{Token, mint, name_mistake};

use crate::api::Throttle;
use crate::problem::Problem;

/// Larger than any provider's delivery; what is larger still is refused unread.
const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// Deliveries taken in at once; further ones are told to come back.
const INTAKE_LIMIT: usize = 4096;

/// Readers of live events at once; further ones are told to come back.
const FOLLOWERS: usize = 1_000;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A channel's webhook, and how it knows its caller.
pub enum Webhook {
    Infobip(channels::infobip::WebhookAuth),
    WhatsappCloud { auth: channels::cloud::WebhookAuth, phone_number_id: String },
}

/// What the handlers share.
#[derive(Clone)]
pub struct App(Arc<Shared>);

struct Shared {
    engine: Arc<Engine>,
    ids: Arc<dyn IdSource>,
    /// Who may call each webhook; a channel that is not here has none.
    webhooks: HashMap<ChannelId, Webhook>,
    intake: Semaphore,
    followers: Arc<Semaphore>,
    /// Who tried wrong keys.
    throttle: Throttle,
    metrics: PrometheusHandle,
}

impl App {
    pub fn new(
        engine: Arc<Engine>,
        ids: Arc<dyn IdSource>,
        webhooks: HashMap<ChannelId, Webhook>,
        metrics: PrometheusHandle,
    ) -> Self {
        Self(Arc::new(Shared {
            engine,
            ids,
            webhooks,
            intake: Semaphore::new(INTAKE_LIMIT),
            followers: Arc::new(Semaphore::new(FOLLOWERS)),
            throttle: Throttle::default(),
            metrics,
        }))
    }

    /// Room for one more reader of live events.
    fn follower(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let room = Arc::clone(&self.0.followers).try_acquire_owned();
        room.map_err(|_| Problem::NotNow("too many readers of events".to_owned()))
    }

    fn engine(&self) -> &Arc<Engine> {
        &self.0.engine
    }
}

pub fn router(app: App) -> Router {
    let timeout = TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, REQUEST_TIMEOUT);
    let (api, open_api) = api::router();
    Router::new()
        .route("/", get(page::index))
        .route("/chat/{channel}", get(page::chat))
        .route("/chat/{channel}/messages", post(webchat::write))
        .route("/chat/{channel}/history", get(webchat::history))
        .route("/webhooks/infobip/{channel}", post(infobip::deliver))
        .route("/webhooks/whatsapp/{channel}", get(cloud::shake).post(cloud::deliver))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .merge(api)
        .merge(api::nothing())
        .layer(timeout)
        // Events stay open, so they have no timeout.
        .route("/chat/{channel}/events", get(webchat::events))
        .merge(open_api)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .with_state(app)
}
