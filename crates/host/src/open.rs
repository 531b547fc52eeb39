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
        let clock = SystemClock::default();
        let ticks = Arc::new(SystemTicks::start());
        let (names, by) = (agents(&config), Arc::new(clock.clone()));
        let (roster, packs) = PackRoster::load(names, &config.packs, toolbox, by, ticks.clone())?;
        let roster = Arc::new(roster);
        let instance = match &config.database {
            Database::Sqlite { path } => Some(Instance::alone_on(path)?),
            Database::Postgres { .. } => None,
        };
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

    /// Closes the database, and returns whether this host was the last that held it. Else it is closed
    /// when whoever holds it still lets go.
    pub async fn close(self) -> bool {
        let Self { store, config, clock, ids, engine, roster, models, media, _instance } = self;
        drop((config, clock, ids, engine, roster, models, media));
        let is_last = Arc::strong_count(&store) == 1;
        // Closing waits for the threads of the database, and they for the disk.
        let closed = tokio::task::spawn_blocking(move || drop(store));
        let _ = closed.await;
        is_last
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

/// A host at work.
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

    /// Ends the tasks beside the turns, and returns when they have let go of the database.
    pub async fn end(self) {
        for task in self.beside {
            task.abort();
            let _ = task.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pack::Source;
    use runner::Roster;

    use super::*;
    use crate::provision::keep_everywhere;
    use crate::{Missing, Opened};

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

    const PACK: &str = "name: venta\ntitle: Venta\ndescription: Vende cuadros.\nlocale: es-CO\n\
         time_zone: America/Bogota\nagents: [{ name: ventas, kind: flow, file: flow.yaml }]\n";
    const INTENTS: &str = "intents:\n\
         - { name: saludo, keywords: [hola] }\n\
         - { name: promos, keywords: [promociones] }\n\
         - { name: elige, keywords: [marco] }\n";
    const FLOW: &str = "initial: charla\n\
         messages: { clarify: otra, unclear: otra, other: otra, reference: otra, hand_off: otra, \
         unreadable: otra, back: otra, failed: otra }\n\
         choices:\n\
         - name: tamano\n  intent: elige\n  asked_in: [charla]\n  options:\n\
         \x20 - { value: chico, label: el chico, words: [el chico] }\n\
         \x20 - { value: grande, label: el grande, patterns: ['LARGO'] }\n\
         intents:\n  saludo: &saluda [{ say: hola }]\n  promos: *saluda\n\
         modes:\n- name: charla\n  intents:\n    elige: [{ say: anotado }]\n";

    /// The pack as a release of before took it, and refuses today: its flow has an anchor, and a pattern
    /// longer than people read.
    fn of_before() -> BTreeMap<String, String> {
        let wishes = "quiero|quisiera|dame|me llevo|mandame|apartame|voy con".repeat(12);
        let long = FLOW.replace("LARGO", &format!(r"\b(?:{wishes}) (?:el|un) grande\b"));
        files(&long, "de antes")
    }

    fn files(flow: &str, when: &str) -> BTreeMap<String, String> {
        let texts = format!(
            "hola: {{ text: \"¡Hola {when}!\", repeat: true }}\notra: \"¿Cómo {when}?\"\n\
             anotado: \"{{{{ elegido.label }}}}, {when}.\"\n"
        );
        let files = [
            ("pack.yaml", PACK),
            ("intents.yaml", INTENTS),
            ("flow.yaml", flow),
            ("templates.yaml", &texts),
        ];
        files.map(|(path, text)| (path.to_owned(), text.to_owned())).into()
    }

    async fn says(host: &Host, text: &str) -> String {
        let channel = &host.config.channels[0].channel;
        let message = domain::Inbound {
            external_id: text.to_owned(),
            from: domain::Identity::new("ana"),
            content: domain::Content::text(text),
            edits: None,
            sent_at: None,
        };
        host.engine.intake().ingest(&channel.id, vec![message]).await.unwrap();
        host.engine.run_until_idle().await.unwrap();
        let (store, workspace) = (&host.store, channel.workspace);
        let id = store.find(workspace, &channel.id, "ana").await.unwrap().unwrap();
        let lines = store.transcript(workspace, id, 100).await.unwrap().lines;
        lines.last().unwrap().content.reveal().clone()
    }

    #[tokio::test]
    async fn a_host_that_has_ended_is_the_last_to_hold_its_database() {
        let folder = tempfile::tempdir().unwrap();
        let text = "packs: /nada\ndatabase: sqlite:DIR/recado.db\n\
             channels: [{ id: web, kind: webchat, workspace: demo, agent: somnio }]\n";
        let text = text.replace("DIR", &folder.path().display().to_string());
        let file = folder.path().join("recado.yaml");
        std::fs::write(&file, text).unwrap();
        let config = config::load(Some(&file), &config::Environment::default()).unwrap();
        let host = Host::open(config).await.unwrap();
        let mut running = host.run(Duration::from_secs(5), || {});
        host.engine.stop();
        running.drained().await;
        running.end().await;
        assert!(host.close().await, "a task still holds it");
        assert!(!folder.path().join("recado.db-wal").exists(), "all of it is in the file");
    }

    #[tokio::test]
    async fn a_session_under_way_goes_on_with_its_version_that_an_earlier_release_took() {
        let folder = tempfile::tempdir().unwrap();
        let today = FLOW.replace("LARGO", "grande").replace("&saluda ", "");
        let today = today.replace("*saluda", "[{ say: hola }]");
        for (path, text) in files(&today, "de hoy") {
            let file = folder.path().join("venta").join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let text = "packs: DIR\ndatabase: sqlite:DIR/recado.db\n\
             channels: [{ id: web, kind: webchat, workspace: demo, agent: venta }]\n";
        let text = text.replace("DIR", &folder.path().display().to_string());
        let file = folder.path().join("recado.yaml");
        std::fs::write(&file, text).unwrap();
        let config = || config::load(Some(&file), &config::Environment::default()).unwrap();

        // The release of before, whose current version it was.
        let host = Host::open(config()).await.unwrap();
        let source = Source::new(of_before());
        assert!(Opened::read(source.clone()).is_err(), "nobody writes it so today");
        let opened = Opened::revive(source).unwrap();
        let ready = host.roster.ready(&opened, "venta", Missing::Refuse).unwrap();
        let agent = Arc::clone(&ready.agent);
        keep_everywhere(&host.config, &*host.store, &*agent, &host.clock).await.unwrap();
        host.roster.adopt(ready);
        assert_eq!(says(&host, "hola").await, "¡Hola de antes!");
        drop(host);

        let host = Host::open(config()).await.unwrap();
        assert_ne!(host.roster.current("venta").unwrap().version(), agent.version());
        assert_eq!(says(&host, "promociones").await, "¡Hola de antes!");
        assert_eq!(says(&host, "mejor me llevo el grande").await, "el grande, de antes.");
        let other = host.roster.version("venta", agent.version());
        assert!(other.is_some(), "it is at hand for the next turn");
    }
}
