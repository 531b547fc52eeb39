//! The HTTP server: webhooks in, the webchat page and its events, health and metrics.

mod cloud;
mod deliver;
mod health;
mod infobip;
mod page;
mod problem;
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
use tokio::sync::Semaphore;
use tower_http::timeout::TimeoutLayer;

/// Larger than any provider's delivery; what is larger still is refused unread.
const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// Deliveries taken in at once; further ones are told to come back.
const INTAKE_LIMIT: usize = 4096;

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
    metrics: PrometheusHandle,
}

impl App {
    pub fn new(
        engine: Arc<Engine>,
        ids: Arc<dyn IdSource>,
        webhooks: HashMap<ChannelId, Webhook>,
        metrics: PrometheusHandle,
    ) -> Self {
        let intake = Semaphore::new(INTAKE_LIMIT);
        Self(Arc::new(Shared { engine, ids, webhooks, intake, metrics }))
    }

    fn engine(&self) -> &Arc<Engine> {
        &self.0.engine
    }
}

pub fn router(app: App) -> Router {
    let timeout = TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, REQUEST_TIMEOUT);
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
        .layer(timeout)
        // Events stay open, so they have no timeout.
        .route("/chat/{channel}/events", get(webchat::events))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .with_state(app)
}
