//! The configuration's settings of the HTTP server: who may call, and the bounds that strangers
//! meet.

use std::collections::HashMap;

use anyhow::{Context, Result};
use channels::{cloud, infobip};
use config::{ChannelSettings, Config};
use domain::{ChannelId, IdSource, Timestamp};
use server::{Gate, NoVisitorKey, Room, Webhook};
use store::Store;

/// The callers allowed at each channel's webhook.
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
    let visitor_keys = server::visitor_keys(store, &config.workspaces(), ids, now).await;
    // With its error first, whose kind decides the exit code.
    let named = |NoVisitorKey { workspace, source }: NoVisitorKey| {
        anyhow::Error::from(source).context(format!("the workspace `{workspace}`"))
    };
    let visitor_keys = visitor_keys.map_err(named)?;
    let is_https = config.public_url.as_ref().is_some_and(|url| url.starts_with("https://"));
    Ok(Gate {
        trusted_proxies: config.trusted_proxies.clone(),
        webchat_limits: config.webchat_limits,
        visitor_keys,
        is_https,
        // The rest is for whoever comes and goes.
        pages: room.connections - room.connections / 4,
        guests: room.connections.div_ceil(10),
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
