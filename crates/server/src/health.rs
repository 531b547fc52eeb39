//! Health, readiness and metrics. Anybody may ask for them, so what they read of the database is read once a
//! second, however many ask.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use domain::{Clock, Timestamp};
use metrics::gauge;
use tokio::sync::Mutex;

use crate::{App, repeated};

/// How long a look at the database is good for.
const HOLDS_MS: i64 = 1_000;

/// The last looks at the database.
#[derive(Default)]
pub(crate) struct Looks {
    /// Whether it answers.
    answers: Lately<bool>,
    /// How many lanes are due, if that could be read.
    due: Lately<Option<i64>>,
}

/// A value with its time. While one caller looks anew the others wait for what it finds.
struct Lately<T>(Mutex<Option<(Timestamp, T)>>);

impl<T> Default for Lately<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> Lately<T> {
    async fn get(&self, clock: &dyn Clock, look: impl Future<Output = T>) -> T {
        let mut last = self.0.lock().await;
        if let Some((at, value)) = &*last
            && (0..HOLDS_MS).contains(&clock.now().since_ms(*at))
        {
            return value.clone();
        }
        let value = look.await;
        *last = Some((clock.now(), value.clone()));
        value
    }
}

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
    // Anybody may ask, and the error may name hosts and files: the log has it.
    let ping = async {
        let answer = app.store().ping().await;
        answer.inspect_err(|error| repeated::NOT_READY.warn(error)).is_ok()
    };
    if app.0.looks.answers.get(&*app.0.clock, ping).await {
        (StatusCode::OK, "ready\n".to_owned())
    } else {
        let text = "not ready: the database does not answer, and the node's log says why\n";
        (StatusCode::SERVICE_UNAVAILABLE, text.to_owned())
    }
}

pub(crate) async fn metrics(State(app): State<App>) -> impl IntoResponse {
    gauge!("recado_lanes_held").set(app.0.engine.busy() as f64);
    let due = async { app.store().stats(app.now()).await.ok().map(|stats| stats.lanes_due) };
    if let Some(due) = app.0.looks.due.get(&*app.0.clock, due).await {
        gauge!("recado_lanes_due").set(due as f64);
    }
    let text = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    (text, app.0.metrics.render())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use domain::VirtualClock;
    use futures::future::join_all;

    use super::*;

    #[tokio::test]
    async fn a_thousand_who_ask_within_a_second_cost_one_look() {
        let clock = VirtualClock::at(Timestamp::from_millis(1_780_000_000_000));
        let (lately, looks) = (Lately::default(), AtomicU32::new(0));
        let ask = async || {
            let look = async {
                tokio::task::yield_now().await;
                looks.fetch_add(1, Ordering::Relaxed)
            };
            lately.get(&clock, look).await
        };
        assert_eq!(join_all((0..1_000).map(|_| ask())).await, [0; 1_000]);
        clock.advance_ms(999);
        assert_eq!(ask().await, 0);
        clock.advance_ms(1);
        assert_eq!(join_all((0..1_000).map(|_| ask())).await, [1; 1_000]);
        assert_eq!(looks.load(Ordering::Relaxed), 2);
    }
}
