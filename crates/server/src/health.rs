//! Health, readiness and metrics.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use metrics::gauge;

use crate::{App, repeated};

/// The process runs.
pub(crate) async fn alive() -> &'static str {
    "ok\n"
}

/// The process can take messages: its database answers, took the last one, and it is not stopping.
pub(crate) async fn ready(State(app): State<App>) -> impl IntoResponse {
    if app.0.engine.is_stopping() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n".to_owned());
    }
    if app.intake().refuses_messages() {
        let text = "not ready: the last message could not be stored\n".to_owned();
        return (StatusCode::SERVICE_UNAVAILABLE, text);
    }
    match app.store().ping().await {
        Ok(()) => (StatusCode::OK, "ready\n".to_owned()),
        // Anybody may ask, and the error may name hosts and files: the log has it.
        Err(error) => {
            repeated::NOT_READY.warn(&error);
            let text = "not ready: the database does not answer, and the node's log says why\n";
            (StatusCode::SERVICE_UNAVAILABLE, text.to_owned())
        }
    }
}

pub(crate) async fn metrics(State(app): State<App>) -> impl IntoResponse {
    gauge!("recado_lanes_held").set(app.0.engine.busy() as f64);
    if let Ok(stats) = app.store().stats(app.now()).await {
        gauge!("recado_lanes_due").set(stats.lanes_due as f64);
    }
    let text = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    (text, app.0.metrics.render())
}
