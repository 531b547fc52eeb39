//! `recado serve`: a host and its HTTP server, until told to stop.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use config::Config;
use domain::Clock;
use host::Host;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use runner::Engine;
use server::{App, AppParts};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::args::WithConfig;
use crate::exit::Outcome;
use crate::{descriptors, memory, wiring};

const DRAIN: Duration = Duration::from_secs(30);

/// Bounds of what is counted in seconds: a turn without a model takes milliseconds, one with a model
/// seconds, and one that waited for a person or a provider minutes.
const BUCKETS: [f64; 14] =
    [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0];

/// How often what was measured is counted into its buckets, where nobody asks for it.
const COUNT_EVERY: Duration = Duration::from_secs(5);

/// The time that a node's tasks have to end and the database to carry its log over into its file.
pub(crate) const CLOSING: Duration = Duration::from_secs(20);

pub(crate) async fn serve(options: &WithConfig) -> Outcome {
    let config = wiring::load(options)?;
    crate::logs::start(config.log);
    let room = descriptors::room(config.connections, descriptors::raise());
    let host = Host::open(config).await?;
    let config = &host.config;
    let metrics = PrometheusBuilder::new()
        .set_buckets(&BUCKETS)
        .and_then(PrometheusBuilder::install_recorder)
        .context("cannot keep metrics")?;
    let counting = tokio::spawn(count_up(metrics.clone()));

    let listener = server::listen(config.listen).with_context(|| {
        format!(
            "cannot listen on {}: choose another address with `listen:` in recado.yaml or \
             RECADO_LISTEN",
            config.listen
        )
    })?;
    memory::give_back();
    let gate = wiring::gate(config, room, &*host.store, &*host.ids, host.clock.now()).await?;
    let parts = AppParts {
        store: Arc::clone(&host.store),
        clock: Arc::new(host.clock.clone()),
        ids: host.ids.clone(),
        engine: Arc::clone(&host.engine),
    };
    let app = App::new(parts, wiring::webhooks(config), metrics, gate);
    // Before anybody can know that it runs: whoever does may stop it at once.
    let signals = StopSignals::watch()?;
    announce(config, &listener)?;

    let mut running = host.run(DRAIN, memory::give_back);
    let (stopping, proxies) = (Arc::clone(&host.engine), config.trusted_proxies.clone());
    let http = tokio::spawn(async move {
        server::serve(listener, server::router(app), room, proxies, stopping.stopped()).await;
    });
    signals.stop(&host.engine).await;
    let drained = async { (running.drained().await, http.await) };
    if tokio::time::timeout(DRAIN, drained).await.is_err() {
        tracing::warn!("stopped after {DRAIN:?} with work left; the next start takes it up");
    }
    running.end().await;
    counting.abort();
    if !host.close().await {
        tracing::warn!("the database is still in use: it is closed when its last user has ended");
    }
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

/// Counts what was measured. Measurements would otherwise stay in memory until somebody asks for the
/// metrics, which on many nodes nobody ever does.
async fn count_up(metrics: PrometheusHandle) {
    loop {
        tokio::time::sleep(COUNT_EVERY).await;
        metrics.run_upkeep();
    }
}

/// Whether the compiler took its time over this binary: see `build.rs`.
const IS_FAST: bool = cfg!(fast);

/// The one line on standard output: where the chat is.
fn announce(config: &Config, listener: &TcpListener) -> Result<()> {
    let address = listener.local_addr().context("the listener has no address")?;
    let base = config.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
    println!("Recado listens on {base}/  (Ctrl-C stops it)");
    if !IS_FAST {
        tracing::warn!("a quick build: for traffic, `make release` builds the fast one");
    }
    tracing::info!(%address, database = config.database.redacted(), "listening");
    Ok(())
}

/// The signals that stop the process in order.
struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    fn watch() -> Result<Self> {
        let terminate = signal(SignalKind::terminate()).context("cannot watch SIGTERM")?;
        let interrupt = signal(SignalKind::interrupt()).context("cannot watch SIGINT")?;
        Ok(Self { terminate, interrupt })
    }

    /// Stops the engine at the first signal; a second one ends the process.
    async fn stop(mut self, engine: &Engine) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
        engine.stop();
        tracing::info!("stopping: finishing the turns under way");
        tokio::spawn(async move {
            self.interrupt.recv().await;
            std::process::exit(130);
        });
    }
}
