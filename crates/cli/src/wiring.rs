//! Puts the configuration's choices together: store, channels, tools, engine.

use std::collections::HashMap;
use std::sync::Arc;

use agents::DemoAgent;
use anyhow::{Context, Result};
use channels::infobip::{Infobip, WebhookAuth};
use config::{ChannelSettings, Config, Database};
use domain::{Channel, ChannelId, Clock, IdSource};
use runner::{Engine, Outlet, Parts, Settings};
use secrecy::ExposeSecret;
use store::Store;
use tools::{Notify, Registry};

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
            };
            Arc::new(store_postgres::open(options).await?)
        }
    })
}

/// Makes sure every configured workspace and channel has its rows.
pub(crate) async fn ensure(config: &Config, store: &dyn Store, clock: &dyn Clock) -> Result<()> {
    for workspace in config.workspaces() {
        let channels: Vec<Channel> = config
            .channels
            .iter()
            .map(|channel| channel.channel.clone())
            .filter(|channel| channel.workspace == workspace.id)
            .collect();
        store.ensure(&workspace, &channels, clock.now()).await?;
    }
    Ok(())
}

pub(crate) fn engine(
    config: &Config,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
) -> Result<Arc<Engine>> {
    let client = crate::http::client()?;
    let outlet = |channel: &config::ChannelConfig| Outlet {
        channel: channel.channel.clone(),
        sender: match &channel.kind {
            ChannelSettings::Webchat => None,
            ChannelSettings::Infobip(settings) => Some(Arc::new(Infobip {
                api_base: settings.api_base.clone(),
                api_key: settings.api_key.clone(),
                sender: settings.sender.clone(),
                client: client.clone(),
            })),
        },
    };
    let mut tools = Registry::builtin();
    if let Some(notify) = &config.notify {
        tools.add_outside(Arc::new(Notify {
            client: client.clone(),
            url: notify.url.clone(),
            idempotent: notify.idempotent,
        }));
    }
    let agents: Vec<Arc<dyn agents::Agent>> = vec![Arc::new(DemoAgent)];
    for channel in &config.channels {
        let name = &channel.channel.agent;
        if !agents.iter().any(|agent| agent.name() == name) {
            let known: Vec<_> = agents.iter().map(|agent| agent.name()).collect();
            let id = &channel.channel.id;
            let known = known.join(", ");
            let mistake = format!("channel `{id}` names the agent `{name}`; there is: {known}");
            return Err(crate::exit::Usage(mistake).into());
        }
    }
    let settings =
        Settings { workers: config.workers, lease_ms: config.lease_ms, ..Settings::default() };
    Ok(Engine::new(Parts {
        store,
        clock,
        ids,
        agents,
        outlets: config.channels.iter().map(outlet).collect(),
        tools,
        settings,
    }))
}

/// Who may call each channel's webhook.
pub(crate) fn webhooks(config: &Config) -> HashMap<ChannelId, WebhookAuth> {
    let auth = |channel: &config::ChannelConfig| {
        let ChannelSettings::Infobip(settings) = &channel.kind else { return None };
        let auth = match &settings.auth {
            config::WebhookAuth::Basic { user, password } => {
                WebhookAuth::Basic { user: user.clone(), password: password.clone() }
            }
            config::WebhookAuth::Hmac { secret } => WebhookAuth::Hmac { secret: secret.clone() },
            config::WebhookAuth::None => WebhookAuth::None,
        };
        Some((channel.channel.id.clone(), auth))
    };
    config.channels.iter().filter_map(auth).collect()
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
