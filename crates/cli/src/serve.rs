//! `recado serve`: the engine and its HTTP server, until told to stop.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use config::{Config, Database};
use domain::{Clock, SystemClock, SystemIds, Timestamp, WorkspaceId};
use llm::Models;
use metrics_exporter_prometheus::PrometheusBuilder;
use runner::Engine;
use server::App;
use store::{Durability, Store, StoreResult};
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::args::WithConfig;
use crate::exit::Outcome;
use crate::instance::Instance;
use crate::roster::{Change, PackRoster, Ready};
use crate::wiring::{self, Use};
use crate::{descriptors, models};

const DRAIN: Duration = Duration::from_secs(30);
const UPKEEP: Duration = Duration::from_secs(30);
const PRUNE_EVERY_MS: i64 = 6 * 60 * 60 * 1000;
/// How often the packs' folders are looked at.
const LOOK_AT_PACKS: Duration = Duration::from_secs(1);
/// How long operators who were away can go on where they were.
const KEEP_LIVE_DAYS: i64 = 7;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

pub(crate) async fn serve(options: &WithConfig) -> Outcome {
    let config = wiring::load(options)?;
    crate::logs::start(config.log);
    let room = descriptors::room(config.connections, descriptors::raise());
    let (roster, packs) = wiring::roster(&config)?;
    let _instance = match &config.database {
        Database::Sqlite { path } => Some(Instance::alone_on(path)?),
        Database::Postgres { .. } => None,
    };
    let clock = SystemClock::default();
    let store = wiring::open_store(&config, Use::Engine).await?;
    agree_on_time(&clock, &*store).await.iter().for_each(warn_of);
    wiring::ensure(&config, &*store, &*roster, &clock).await?;
    let ids = Arc::new(SystemIds::new(clock.clone()));
    for (name, pack) in wiring::packs_by_name(&config, &packs) {
        wiring::open_shops(&config, &*store, name, pack, &*ids, clock.now()).await?;
    }
    let shared_clock = Arc::new(clock.clone());
    let models = models::configured(&config, shared_clock.clone(), ids.clone())?;
    models::announce_providers(&config);
    packs.iter().for_each(|pack| models::announce_components(pack, &models));
    let (answering, asked) = (Arc::clone(&roster), Arc::clone(&models));
    let engine =
        wiring::engine(&config, Arc::clone(&store), answering, asked, shared_clock, ids.clone())?;
    let media = wiring::media(&config, Arc::clone(&store), Arc::new(clock.clone()))?;
    let metrics = PrometheusBuilder::new().install_recorder().context("cannot keep metrics")?;

    let listener = listen(config.listen).with_context(|| {
        format!(
            "cannot listen on {}: choose another address with `listen:` in recado.yaml or \
             RECADO_LISTEN",
            config.listen
        )
    })?;
    crate::memory::give_back();
    let gate = wiring::gate(&config, room, &*store, &*ids, clock.now()).await?;
    let app = App::new(Arc::clone(&engine), ids, wiring::webhooks(&config), metrics, gate);
    // Before anybody can know that it runs: whoever does may stop it at once.
    let signals = StopSignals::watch()?;
    announce(&config, &listener)?;

    let running = tokio::spawn(Arc::clone(&engine).run(DRAIN));
    let watched = Arc::clone(&engine);
    let fetching = tokio::spawn(async move { media.run(watched.stopped()).await });
    let config = Arc::new(config);
    let reloading = Reload {
        config: Arc::clone(&config),
        clock: clock.clone(),
        store: Arc::clone(&store),
        roster,
        models,
    };
    let reload = tokio::spawn(reloading.run());
    let upkeep = tokio::spawn(upkeep(config, clock, store));
    let stopping = Arc::clone(&engine);
    let http = tokio::spawn(async move {
        server::serve(listener, server::router(app), room, stopping.stopped()).await;
    });
    signals.stop(&engine).await;
    let drained = async { (running.await, http.await) };
    if tokio::time::timeout(DRAIN, drained).await.is_err() {
        tracing::warn!("stopped after {DRAIN:?} with work left; the next start takes it up");
    }
    fetching.abort();
    reload.abort();
    upkeep.abort();
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

/// Whether the compiler took its time over this binary: see `build.rs`.
const IS_FAST: bool = cfg!(fast);

/// Connections that the system keeps until they are taken in. With fewer a burst of strangers has everybody
/// else's first packet dropped, and repeated only seconds later.
const BACKLOG: u32 = 4_096;

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

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

/// Nodes on one database take its clock, so that their leases and timers agree.
pub(crate) async fn agree_on_time(clock: &SystemClock, store: &dyn Store) -> Option<Durability> {
    let machine = SystemClock::default();
    let asked = machine.now();
    match store.durability(asked).await {
        Ok(facts) => {
            let told = asked.plus_ms(facts.clock_behind_ms);
            clock.agree(asked, machine.now().since_ms(asked), told);
            Some(facts)
        }
        Err(error) => {
            tracing::warn!(%error, "the database's clock could not be read");
            None
        }
    }
}

/// What an operator should know before the first message.
fn warn_of(facts: &Durability) {
    if facts.role_owns_tables {
        tracing::warn!("the database role owns its tables; `recado doctor` says how to part them");
    }
    if !facts.durable_commits {
        tracing::warn!(
            "the database confirms commits before they are on disk; see `recado doctor`"
        );
    }
}

/// Takes up edits of the packs. A version is current once it is kept; one that does not read
/// leaves the last good one in place and says so.
struct Reload {
    config: Arc<Config>,
    clock: SystemClock,
    store: Arc<dyn Store>,
    roster: Arc<PackRoster>,
    models: Arc<Models>,
}

impl Reload {
    async fn run(self) {
        loop {
            tokio::time::sleep(LOOK_AT_PACKS).await;
            let looking = Arc::clone(&self.roster);
            let changes = tokio::task::spawn_blocking(move || looking.changes()).await;
            for change in changes.unwrap_or_default() {
                match change {
                    Change::Read(ready) => self.take_up(ready).await,
                    Change::Refused { name, why } => tracing::error!(
                        pack = name,
                        "not reloaded, the last good version answers on:\n{why}"
                    ),
                }
            }
        }
    }

    async fn take_up(&self, ready: Ready) {
        let agent = Arc::clone(&ready.agent);
        let kept = wiring::keep_everywhere(&self.config, &*self.store, &*agent, &self.clock).await;
        match kept {
            Ok(()) => {
                tracing::info!(pack = agent.name(), version = agent.version(), "reloaded");
                let ids = SystemIds::new(self.clock.clone());
                let (store, now) = (&*self.store, self.clock.now());
                let opened =
                    wiring::open_shops(&self.config, store, agent.name(), &ready.pack, &ids, now);
                if let Err(error) = opened.await {
                    tracing::warn!(pack = agent.name(), %error, "its shop is as it was");
                }
                models::announce_components(&ready.pack, &self.models);
                self.roster.adopt(ready);
                crate::memory::give_back();
            }
            Err(error) => {
                tracing::warn!(pack = agent.name(), %error, "not reloaded: it could not be kept");
                self.roster.look_again(agent.name());
            }
        }
    }
}

async fn upkeep(config: Arc<Config>, clock: SystemClock, store: Arc<dyn Store>) {
    let mut pruned = HashMap::new();
    loop {
        for workspace in config.workspaces() {
            let now = clock.now();
            let last = pruned.entry(workspace.id).or_insert(now.plus_ms(-PRUNE_EVERY_MS));
            if now.since_ms(*last) < PRUNE_EVERY_MS {
                continue;
            }
            *last = now;
            let before = now.plus_ms(-config.retention_days * DAY_MS);
            match prune_inbox(&*store, workspace.id, before).await {
                Ok(0) => {}
                Ok(rows) => tracing::info!(workspace = workspace.slug, rows, "inbox pruned"),
                Err(error) => tracing::warn!(%error, "inbox not pruned"),
            }
            if let Err(error) = index_contacts(&*store, workspace.id).await {
                tracing::warn!(%error, "not all contacts can be searched for");
            }
            let before = now.plus_ms(-KEEP_LIVE_DAYS * DAY_MS);
            if let Err(error) = prune_live(&*store, workspace.id, before).await {
                tracing::warn!(%error, "live events not pruned");
            }
        }
        tokio::time::sleep(UPKEEP).await;
        if matches!(config.database, Database::Postgres { .. }) {
            agree_on_time(&clock, &*store).await;
        }
    }
}

/// Some at a time, so that nobody waits long for the writer.
async fn prune_inbox(
    store: &dyn Store,
    workspace: WorkspaceId,
    before: Timestamp,
) -> StoreResult<u64> {
    let (mut rows, mut place) = (0, None);
    loop {
        let piece = store.prune(workspace, before, place).await?;
        rows += piece.rows;
        place = piece.next;
        if place.is_none() {
            return Ok(rows);
        }
    }
}

async fn prune_live(
    store: &dyn Store,
    workspace: WorkspaceId,
    before: Timestamp,
) -> StoreResult<()> {
    while store.prune_live(workspace, before).await? > 0 {}
    Ok(())
}

/// Indexes contacts of before there was a search, and whom a process left undone when it died.
async fn index_contacts(store: &dyn Store, workspace: WorkspaceId) -> StoreResult<()> {
    while store.index_contacts(workspace).await? > 0 {}
    Ok(())
}
