//! Puts the configuration's choices together: store, agents, channels, tools, engine.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use agents::Agent;
use anyhow::{Context, Result};
use channels::cloud::{CloudMedia, WhatsappCloud};
use channels::infobip::{Infobip, InfobipMedia};
use channels::{MediaHosts, MediaSource, Sender, cloud, infobip};
use config::{ChannelSettings, CloudSettings, Config, Database};
use domain::{Channel, ChannelId, Clock, IdSource, Timestamp, WorkspaceId};
use llm::Models;
use pack::Pack;
use runner::{Engine, MediaKeeper, MediaOutlet, Outlet, Parts, Roster, Settings};
use secrecy::ExposeSecret;
use server::{Gate, Room, Webhook};
use store::{Store, StoredPack};
use store_postgres::Patience;

use crate::roster::{self, PackRoster};
use crate::ticks::SystemTicks;
use crate::toolbox::Toolbox;

/// Connections to PostgreSQL per node.
const POOL: usize = 16;

/// Whether the process that opens the store runs the lanes, or only looks and acts beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Engine,
    Desk,
}

pub(crate) async fn open_store(config: &Config, as_what: Use) -> Result<Arc<dyn Store>> {
    Ok(match &config.database {
        Database::Sqlite { path } => {
            let takes_over_lanes = as_what == Use::Engine;
            let options = store_sqlite::Options { path: path.clone(), takes_over_lanes };
            Arc::new(store_sqlite::open(&options)?)
        }
        Database::Postgres { url, owner_url } => {
            let options = store_postgres::Options {
                url: url.expose_secret().to_owned(),
                owner_url: owner_url.as_ref().map(|url| url.expose_secret().to_owned()),
                pool_size: POOL,
                // A person at the desk may ask for what takes long.
                patience: match as_what {
                    Use::Engine => Patience {
                        statement_ms: config.statement_timeout_ms,
                        lock_ms: config.lock_timeout_ms,
                    },
                    Use::Desk => Patience::ENDLESS,
                },
            };
            Arc::new(store_postgres::open(options).await?)
        }
    })
}

/// The names of the agents that channels have.
pub(crate) fn agents(config: &Config) -> BTreeSet<&str> {
    config.channels.iter().map(|channel| channel.channel.agent.as_str()).collect()
}

/// The agents the channels name, packs and the demo, with their tools; and the packs.
pub(crate) fn roster(config: &Config) -> Result<(Arc<PackRoster>, Vec<Arc<Pack>>)> {
    let toolbox = Toolbox::configured(config)?;
    let ticks = Arc::new(SystemTicks::start());
    let (roster, packs) = PackRoster::load(agents(config), &config.packs, toolbox, ticks)?;
    Ok((Arc::new(roster), packs))
}

/// Makes sure every configured workspace and channel has its rows, and that what its agents are
/// made from is kept before a session begins with it.
pub(crate) async fn ensure(
    config: &Config,
    store: &dyn Store,
    roster: &dyn Roster,
    clock: &dyn Clock,
) -> Result<()> {
    for workspace in config.workspaces() {
        let channels: Vec<Channel> = config
            .channels
            .iter()
            .map(|channel| channel.channel.clone())
            .filter(|channel| channel.workspace == workspace.id)
            .collect();
        store.ensure(&workspace, &channels, clock.now()).await?;
        let names: BTreeSet<_> = channels.iter().map(|channel| channel.agent.as_str()).collect();
        for agent in names.into_iter().filter_map(|name| roster.current(name)) {
            keep(store, workspace.id, &*agent, clock).await?;
        }
    }
    Ok(())
}

/// Keeps what an agent is made from, so that its sessions find it again.
async fn keep(
    store: &dyn Store,
    workspace: WorkspaceId,
    agent: &dyn Agent,
    clock: &dyn Clock,
) -> Result<()> {
    if let Some(source) = agent.source() {
        let (name, version) = (agent.name().to_owned(), agent.version().to_owned());
        let pack = StoredPack { name, version, source: source.clone() };
        store.keep_pack(workspace, &pack, clock.now()).await?;
    }
    Ok(())
}

/// The packs, each under the name that channels know it by.
pub(crate) fn packs_by_name<'c>(
    config: &'c Config,
    packs: &'c [Arc<Pack>],
) -> impl Iterator<Item = (&'c str, &'c Arc<Pack>)> {
    agents(config).into_iter().filter(|name| *name != roster::DEMO).zip(packs)
}

/// Opens a pack's shop in every workspace that uses it.
pub(crate) async fn open_shops(
    config: &Config,
    store: &dyn Store,
    name: &str,
    pack: &Pack,
    ids: &dyn IdSource,
    now: Timestamp,
) -> Result<()> {
    let used = config.channels.iter().filter(|channel| channel.channel.agent == name);
    let workspaces: HashSet<WorkspaceId> = used.map(|channel| channel.channel.workspace).collect();
    for workspace in workspaces {
        crate::shop::open_shop(store, workspace, pack, ids, now).await?;
    }
    Ok(())
}

/// Keeps a new version in every workspace that uses it.
pub(crate) async fn keep_everywhere(
    config: &Config,
    store: &dyn Store,
    agent: &dyn Agent,
    clock: &dyn Clock,
) -> Result<()> {
    for workspace in config.workspaces() {
        let used = config.channels.iter().any(|channel| {
            channel.channel.workspace == workspace.id && channel.channel.agent == agent.name()
        });
        if used {
            keep(store, workspace.id, agent, clock).await?;
        }
    }
    Ok(())
}

pub(crate) fn engine(
    config: &Config,
    store: Arc<dyn Store>,
    roster: Arc<PackRoster>,
    models: Arc<Models>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
) -> Result<Arc<Engine>> {
    let client = crate::http::client()?;
    let outlet = |channel: &config::ChannelConfig| Outlet {
        channel: channel.channel.clone(),
        sender: sender(&channel.kind, &client),
        pace: channel.pace,
    };
    let settings = Settings {
        workers: config.workers,
        lease_ms: config.lease_ms,
        workspace_day: config.workspace_day,
        strangers_day: config.strangers_day(),
        ..Settings::default()
    };
    Ok(Engine::new(Parts {
        store,
        clock,
        ticks: Arc::new(SystemTicks::start()),
        ids,
        tools: roster.own_tools(),
        roster,
        outlets: config.channels.iter().map(outlet).collect(),
        models,
        settings,
    }))
}

fn sender(settings: &ChannelSettings, client: &reqwest::Client) -> Option<Arc<dyn Sender>> {
    match settings {
        ChannelSettings::Webchat => None,
        ChannelSettings::Infobip(settings) => Some(Arc::new(Infobip {
            api_base: settings.api_base.clone(),
            api_key: settings.api_key.clone(),
            sender: settings.sender.clone(),
            client: client.clone(),
        })),
        ChannelSettings::WhatsappCloud(settings) => Some(Arc::new(account(settings, client))),
    }
}

/// The account behind a channel of the Cloud API.
pub(crate) fn account(settings: &CloudSettings, client: &reqwest::Client) -> WhatsappCloud {
    WhatsappCloud {
        api_base: settings.api_base.clone(),
        api_version: settings.api_version.clone(),
        access_token: settings.access_token.clone(),
        phone_number_id: settings.phone_number_id.clone(),
        client: client.clone(),
    }
}

/// Who fetches what customers sent.
pub(crate) fn media(
    config: &Config,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
) -> Result<Arc<MediaKeeper>> {
    let client = crate::http::client()?;
    let outlet = |channel: &config::ChannelConfig| {
        let source: Arc<dyn MediaSource> = match &channel.kind {
            ChannelSettings::Webchat => return None,
            ChannelSettings::Infobip(settings) => Arc::new(InfobipMedia {
                api_key: settings.api_key.clone(),
                hosts: hosts(&settings.api_base, &settings.media_hosts),
                client: client.clone(),
            }),
            ChannelSettings::WhatsappCloud(settings) => Arc::new(CloudMedia {
                account: account(settings, &client),
                hosts: hosts(&settings.api_base, &settings.media_hosts),
            }),
        };
        Some(MediaOutlet { channel: channel.channel.clone(), source })
    };
    let outlets = config.channels.iter().filter_map(outlet).collect();
    Ok(MediaKeeper::new(store, clock, outlets, config.media.clone()))
}

fn hosts(api_base: &str, hosts: &[String]) -> MediaHosts {
    MediaHosts { api_base: api_base.to_owned(), hosts: hosts.to_vec() }
}

/// Who may call each channel's webhook.
pub(crate) fn webhooks(config: &Config) -> HashMap<ChannelId, Webhook> {
    let webhook = |channel: &config::ChannelConfig| {
        let webhook = match &channel.kind {
            ChannelSettings::Webchat => return None,
            ChannelSettings::Infobip(settings) => Webhook::Infobip(match &settings.auth {
                config::WebhookAuth::Basic { user, password } => {
                    let (user, password) = (user.clone(), password.clone());
                    infobip::WebhookAuth::Basic { user, password }
                }
                config::WebhookAuth::Hmac { secret } => {
                    infobip::WebhookAuth::Hmac { secret: secret.clone() }
                }
                config::WebhookAuth::None => infobip::WebhookAuth::None,
            }),
            ChannelSettings::WhatsappCloud(settings) => Webhook::WhatsappCloud {
                auth: cloud::WebhookAuth {
                    app_secrets: settings.app_secrets.clone(),
                    verify_token: settings.verify_token.clone(),
                },
                phone_number_id: settings.phone_number_id.clone(),
            },
        };
        Some((channel.channel.id.clone(), webhook))
    };
    config.channels.iter().filter_map(webhook).collect()
}

/// Bounds that strangers meet.
pub(crate) async fn gate(
    config: &Config,
    room: Room,
    store: &dyn Store,
    ids: &dyn IdSource,
    now: Timestamp,
) -> Result<Gate> {
    let visitor_keys = server::visitor_keys(store, &config.workspaces(), ids, now).await?;
    let is_https = config.public_url.as_ref().is_some_and(|url| url.starts_with("https://"));
    Ok(Gate {
        trusted_proxies: config.trusted_proxies.clone(),
        webchat_limits: config.webchat_limits,
        visitor_keys,
        is_https,
        // The rest is for whoever comes and goes.
        pages: room.connections - room.connections / 4,
    })
}

pub(crate) fn load(options: &crate::args::WithConfig) -> Result<Config> {
    let environment = config::Environment::of_process();
    let config = config::load(options.config.as_deref(), &environment)?;
    Ok(config)
}

/// A runtime folder that ends with the process.
pub(crate) fn temporary_folder() -> Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix("recado-").tempdir().context("cannot make a temporary folder")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use agents::{AgentError, DemoAgent, Outcome, TurnInput};
    use domain::SystemClock;
    use runner::Fixed;

    use super::*;

    struct Packed(BTreeMap<String, String>);

    #[async_trait::async_trait]
    impl Agent for Packed {
        fn name(&self) -> &str {
            "registro"
        }

        fn version(&self) -> &str {
            "v1"
        }

        fn source(&self) -> Option<&BTreeMap<String, String>> {
            Some(&self.0)
        }

        async fn turn(
            &self,
            input: &TurnInput,
            _context: &mut dyn agents::Context,
        ) -> Result<Outcome, AgentError> {
            Ok(Outcome::unchanged(&input.mode, &input.state))
        }
    }

    const GUION: &str = "- { to: detector, json: { intent: precio, confidence: 95, \
                         alternatives: [], reasoning: x } }\n- { to: orchestrator, fail: refused }\n";

    /// How many calls of models one message comes to, under this configuration.
    async fn calls(budget: &str) -> usize {
        let folder = temporary_folder().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("guion.yaml"), GUION).unwrap();
        let text = "packs: /nada\ndatabase: sqlite:DIR/recado.db\n\
             channels: [{ id: web, kind: webchat, workspace: demo, agent: somnio }]\n\
             providers: [{ id: guion, kind: scripted, file: DIR/guion.yaml }]\n";
        let text = text.replace("DIR", &folder.path().display().to_string());
        std::fs::write(path("recado.yaml"), format!("{text}{budget}")).unwrap();
        let config =
            config::load(Some(&path("recado.yaml")), &config::Environment::default()).unwrap();
        let (roster, packs) = roster(&config).unwrap();
        assert_eq!(packs[0].manifest.name, "somnio");
        let store = open_store(&config, Use::Engine).await.unwrap();
        let clock = SystemClock::default();
        ensure(&config, &*store, &*roster, &clock).await.unwrap();
        let ids = Arc::new(domain::SystemIds::new(clock.clone()));
        let clock: Arc<dyn Clock> = Arc::new(clock);
        let models = crate::models::configured(&config, clock.clone(), ids.clone()).unwrap();
        let engine =
            engine(&config, Arc::clone(&store), roster, models, clock, ids.clone()).unwrap();
        let channel = &config.channels[0].channel;
        let message = domain::Inbound {
            external_id: "1".to_owned(),
            from: domain::Identity::new("ana"),
            content: domain::Content::text("y eso después cómo queda"),
            edits: None,
            sent_at: None,
        };
        engine.take_in(&channel.id, vec![message], Vec::new()).await.unwrap();
        engine.run_until_idle().await.unwrap();
        let id = store.find(channel.workspace, &channel.id, "ana").await.unwrap().unwrap();
        assert!(!store.sent_after(channel.workspace, id, 0).await.unwrap().is_empty());
        store.ledger(channel.workspace, id, 100).await.unwrap().len()
    }

    #[tokio::test]
    async fn the_configured_models_are_asked_within_the_workspaces_budget() {
        assert!(calls("").await > 0);
        assert_eq!(calls("budget: { workspace_usd_per_day: 0 }").await, 0);
    }

    #[tokio::test]
    async fn what_an_agent_is_made_from_is_kept_where_a_channel_uses_it() {
        let folder = temporary_folder().unwrap();
        let file = folder.path().join("recado.yaml");
        let text = "channels:\n\
             - { id: uno, kind: webchat, workspace: ana, agent: registro }\n\
             - { id: dos, kind: webchat, workspace: beto, agent: registro }\n\
             - { id: tres, kind: webchat, workspace: clara, agent: demo }\n";
        std::fs::write(&file, text).unwrap();
        let config = config::load(Some(&file), &config::Environment::default()).unwrap();
        let path = folder.path().join("recado.db");
        let options = store_sqlite::Options { path, takes_over_lanes: false };
        let store = store_sqlite::open(&options).unwrap();
        let source: BTreeMap<_, _> =
            [("pack.yaml".to_owned(), "agent: registro".to_owned())].into();
        let roster = Fixed(vec![Arc::new(DemoAgent), Arc::new(Packed(source.clone()))]);
        // Once per start.
        for _ in 0..2 {
            ensure(&config, &store, &roster, &SystemClock::default()).await.unwrap();
        }
        let kept = StoredPack { name: "registro".to_owned(), version: "v1".to_owned(), source };
        for (slug, expected) in [("ana", Some(&kept)), ("beto", Some(&kept)), ("clara", None)] {
            let workspace = WorkspaceId::from_slug(slug);
            let found = store::Packs::pack(&store, workspace, "registro", "v1").await.unwrap();
            assert_eq!(found.as_ref(), expected, "{slug}");
        }
    }
}
