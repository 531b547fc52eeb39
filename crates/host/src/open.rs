//! A configuration opened into a host: everything a node serves with, ready and not yet running.

use std::sync::Arc;
use std::time::Duration;

use config::{Config, Database};
use domain::{Clock, SystemClock, SystemIds};
use llm::Models;
use runner::{Engine, MediaKeeper, Parts, Settings};
use store::Store;
use tokio::task::JoinHandle;

use crate::instance::Instance;
use crate::provision::{ensure, open_shops, packs_by_name};
use crate::reload::Reload;
use crate::stores::warn_of;
use crate::upkeep::upkeep;
use crate::{
    HostError, PackRoster, SystemTicks, Toolbox, Use, agents, agree_on_time, channels, client,
    models, open_store,
};

/// A node's parts, opened.
pub struct Host {
    pub config: Arc<Config>,
    /// The database's time, as far as it is certain.
    pub clock: SystemClock,
    pub ids: Arc<SystemIds<SystemClock>>,
    pub store: Arc<dyn Store>,
    pub engine: Arc<Engine>,
    roster: Arc<PackRoster>,
    models: Arc<Models>,
    media: Arc<MediaKeeper>,
    _instance: Option<Instance>,
}

impl Host {
    /// Opens the database and reads the packs; workspaces, channels and shops have their rows when it
    /// returns.
    pub async fn open(config: Config) -> Result<Self, HostError> {
        let toolbox = Toolbox::configured(&config)?;
        let ticks = Arc::new(SystemTicks::start());
        let (roster, packs) =
            PackRoster::load(agents(&config), &config.packs, toolbox, ticks.clone())?;
        let roster = Arc::new(roster);
        let instance = match &config.database {
            Database::Sqlite { path } => Some(Instance::alone_on(path)?),
            Database::Postgres { .. } => None,
        };
        let clock = SystemClock::default();
        let store = open_store(&config, Use::Engine).await?;
        agree_on_time(&clock, &*store).await.iter().for_each(warn_of);
        ensure(&config, &*store, &*store, &*roster, &clock).await?;
        let ids = Arc::new(SystemIds::new(clock.clone()));
        for (name, pack) in packs_by_name(&config, &packs) {
            open_shops(&config, &*store, name, pack, &*ids, clock.now()).await?;
        }
        let models = models::configured(&config, Arc::new(clock.clone()), ids.clone())?;
        models::announce_providers(&config);
        packs.iter().for_each(|pack| models::announce_components(pack, &models));
        let client = client()?;
        let engine = Engine::new(Parts {
            store: Arc::clone(&store),
            clock: Arc::new(clock.clone()),
            ticks,
            ids: ids.clone(),
            tools: roster.own_tools(),
            roster: roster.clone(),
            outlets: channels::outlets(&config, &client),
            models: Arc::clone(&models),
            settings: settings(&config),
        });
        let media = channels::media(&config, &client, Arc::clone(&store), Arc::new(clock.clone()));
        let config = Arc::new(config);
        Ok(Self { config, clock, ids, store, engine, roster, models, media, _instance: instance })
    }

    /// Sets the host to work until its engine is told to stop; turns under way then have as long as
    /// `drain`. `after_reading` is called whenever a pack was read again.
    pub fn run(&self, drain: Duration, after_reading: fn()) -> Running {
        let turns = tokio::spawn(Arc::clone(&self.engine).run(drain));
        let (media, engine) = (Arc::clone(&self.media), Arc::clone(&self.engine));
        let fetching = tokio::spawn(async move { media.run(engine.stopped()).await });
        let reload = Reload {
            config: Arc::clone(&self.config),
            clock: self.clock.clone(),
            store: Arc::clone(&self.store),
            roster: Arc::clone(&self.roster),
            models: Arc::clone(&self.models),
            after_reading,
        };
        let reloading = tokio::spawn(reload.run());
        let (config, store) = (Arc::clone(&self.config), Arc::clone(&self.store));
        let keeping = tokio::spawn(upkeep(config, self.clock.clone(), store));
        Running { turns, beside: [fetching, reloading, keeping] }
    }
}

fn settings(config: &Config) -> Settings {
    Settings {
        workers: config.workers,
        lease_ms: config.lease_ms,
        workspace_day: config.workspace_day,
        strangers_day: config.strangers_day(),
        ..Settings::default()
    }
}

/// A host at work. Tasks beside its turns end when this is dropped.
pub struct Running {
    turns: JoinHandle<()>,
    beside: [JoinHandle<()>; 3],
}

impl Running {
    /// Returns when the engine has stopped and no turn is under way.
    pub async fn drained(&mut self) {
        // A turn that panicked is a failed attempt, and the engine ends in order all the same.
        let _ = (&mut self.turns).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.beside.iter().for_each(JoinHandle::abort);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUION: &str = "- { to: detector, json: { intent: precio, confidence: 95, \
                         alternatives: [], reasoning: x } }\n- { to: orchestrator, fail: refused }\n";

    /// How many calls of models one message comes to, under this configuration.
    async fn calls(budget: &str) -> usize {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("guion.yaml"), GUION).unwrap();
        let text = "packs: /nada\ndatabase: sqlite:DIR/recado.db\n\
             channels: [{ id: web, kind: webchat, workspace: demo, agent: somnio }]\n\
             providers: [{ id: guion, kind: scripted, file: DIR/guion.yaml }]\n";
        let text = text.replace("DIR", &folder.path().display().to_string());
        std::fs::write(path("recado.yaml"), format!("{text}{budget}")).unwrap();
        let config =
            config::load(Some(&path("recado.yaml")), &config::Environment::default()).unwrap();
        let host = Host::open(config).await.unwrap();
        let channel = &host.config.channels[0].channel;
        let message = domain::Inbound {
            external_id: "1".to_owned(),
            from: domain::Identity::new("ana"),
            content: domain::Content::text("y eso después cómo queda"),
            edits: None,
            sent_at: None,
        };
        host.engine.intake().ingest(&channel.id, vec![message]).await.unwrap();
        host.engine.run_until_idle().await.unwrap();
        let store = &host.store;
        let id = store.find(channel.workspace, &channel.id, "ana").await.unwrap().unwrap();
        assert!(!store.sent_after(channel.workspace, id, 0, 100).await.unwrap().is_empty());
        store.ledger(channel.workspace, id, 100).await.unwrap().len()
    }

    #[tokio::test]
    async fn the_configured_models_are_asked_within_the_workspaces_budget() {
        assert!(calls("").await > 0);
        assert_eq!(calls("budget: { workspace_usd_per_day: 0 }").await, 0);
    }
}
