//! The configured channels: their ways out, and who fetches what customers sent through them.

use std::sync::Arc;

use channels::cloud::{CloudMedia, WhatsappCloud};
use channels::infobip::{Infobip, InfobipMedia};
use channels::{MediaHosts, MediaSource, Sender};
use config::{ChannelConfig, ChannelSettings, CloudSettings, Config};
use domain::Clock;
use runner::{MediaKeeper, MediaOutlet, Outlet};
use store::Store;

/// Every channel with its way out.
pub(crate) fn outlets(config: &Config, client: &reqwest::Client) -> Vec<Outlet> {
    let outlet = |channel: &ChannelConfig| Outlet {
        channel: channel.channel.clone(),
        sender: sender(&channel.kind, client),
        pace: channel.pace,
    };
    config.channels.iter().map(outlet).collect()
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
pub fn account(settings: &CloudSettings, client: &reqwest::Client) -> WhatsappCloud {
    WhatsappCloud {
        api_base: settings.api_base.clone(),
        api_version: settings.api_version.clone(),
        access_token: settings.access_token.clone(),
        phone_number_id: settings.phone_number_id.clone(),
        client: client.clone(),
    }
}

/// The keeper that fetches the files customers sent.
pub(crate) fn media(
    config: &Config,
    client: &reqwest::Client,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
) -> Arc<MediaKeeper> {
    let outlet = |channel: &ChannelConfig| {
        let source: Arc<dyn MediaSource> = match &channel.kind {
            ChannelSettings::Webchat => return None,
            ChannelSettings::Infobip(settings) => Arc::new(InfobipMedia {
                api_key: settings.api_key.clone(),
                hosts: hosts(&settings.api_base, &settings.media_hosts),
                client: client.clone(),
            }),
            ChannelSettings::WhatsappCloud(settings) => Arc::new(CloudMedia {
                account: account(settings, client),
                hosts: hosts(&settings.api_base, &settings.media_hosts),
            }),
        };
        Some(MediaOutlet { channel: channel.channel.clone(), source })
    };
    let outlets = config.channels.iter().filter_map(outlet).collect();
    MediaKeeper::new(store, clock, outlets, config.media.clone())
}

fn hosts(api_base: &str, hosts: &[String]) -> MediaHosts {
    MediaHosts { api_base: api_base.to_owned(), hosts: hosts.to_vec() }
}
