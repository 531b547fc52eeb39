//! Turns the `channels` of a checked tree into channels with the settings of their kind.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use domain::{Burst, Channel, ChannelId, ChannelKind, Pace, PairPace, Rate, Workspace};

use crate::mistakes::Mistakes;
use crate::read::{called, once, require, secret, slug, texts, web_address};
use crate::schema::{INFOBIP, Own, WEBCHAT, WHATSAPP_CLOUD};
use crate::settings::{
    ChannelConfig, ChannelSettings, CloudSettings, InfobipSettings, WebhookAuth,
};
use crate::tree::{Node, Value, has_wrong};

const GRAPH: &str = "https://graph.facebook.com";
const GRAPH_VERSION: &str = "v23.0";
/// The hosts from which Meta serves files.
const MEDIA_HOSTS: &[&str] = &["lookaside.fbsbx.com", "graph.facebook.com"];

pub(crate) fn read_channels(
    root: &Node,
    listen: SocketAddr,
    mistakes: &mut Mistakes,
) -> Vec<ChannelConfig> {
    let items = root.list("channels");
    once(items, "channel", mistakes);
    items.iter().filter_map(|item| read_channel(item, listen, mistakes)).collect()
}

fn read_channel(item: &Node, listen: SocketAddr, mistakes: &mut Mistakes) -> Option<ChannelConfig> {
    let whose = called(item, "channel");
    for key in ["id", "kind", "workspace", "agent"] {
        require(item, &whose, key, mistakes);
    }
    let id = slug(item, "id", mistakes);
    let workspace = slug(item, "workspace", mistakes);
    let burst = burst(item, &whose, mistakes);
    let (kind, own) = match item.text("kind")?.0 {
        "infobip" => (ChannelKind::Infobip, INFOBIP),
        "whatsapp_cloud" => (ChannelKind::WhatsappCloud, WHATSAPP_CLOUD),
        _ => (ChannelKind::Webchat, WEBCHAT),
    };
    keys_of_kind(item, &whose, &own, mistakes);
    let pace = if own.has("pace") { pace(item) } else { Pace::default() };
    let settings = match kind {
        ChannelKind::Webchat => Some(ChannelSettings::Webchat),
        ChannelKind::Infobip => infobip(item, listen, mistakes),
        ChannelKind::WhatsappCloud => cloud(item, mistakes),
    };
    let workspace = Workspace::named(workspace?);
    let channel = Channel {
        id: ChannelId::from(id?),
        workspace: workspace.id,
        kind,
        agent: item.text("agent")?.0.to_owned(),
        burst,
    };
    Some(ChannelConfig { channel, workspace, pace, kind: settings? })
}

fn burst(item: &Node, whose: &str, mistakes: &mut Mistakes) -> Burst {
    let default = Burst::default();
    let burst = Burst {
        quiet_ms: item.whole("quiet_ms").unwrap_or(default.quiet_ms),
        cap_ms: item.whole("cap_ms").unwrap_or(default.cap_ms),
        max_messages: item
            .whole("max_messages")
            .and_then(|count| u32::try_from(count).ok())
            .unwrap_or(default.max_messages),
    };
    let uncertain = has_wrong(item, "quiet_ms") || has_wrong(item, "cap_ms");
    if burst.cap_ms < burst.quiet_ms && !uncertain {
        let Burst { quiet_ms, cap_ms, .. } = burst;
        let given = item.get("cap_ms");
        let at = given.or(item.get("quiet_ms")).map_or(&item.at, |node| &node.at);
        let default = if given.is_some() { "" } else { ", by default," };
        let message = format!(
            "{whose} waits at most `cap_ms`, which{default} is {cap_ms}: \
             less than its `quiet_ms`, {quiet_ms}"
        );
        mistakes.add(at, message);
    }
    burst
}

/// Reports missing keys that the item's kind needs, and keys that only other kinds have a use for.
fn keys_of_kind(item: &Node, whose: &str, own: &Own, mistakes: &mut Mistakes) {
    for key in own.must {
        require(item, whose, key, mistakes);
    }
    let kinds = [("infobip", INFOBIP), ("whatsapp_cloud", WHATSAPP_CLOUD)];
    let keys: BTreeSet<_> =
        kinds.iter().flat_map(|(_, kind)| kind.must.iter().chain(kind.may)).collect();
    for key in keys.into_iter().filter(|key| !own.has(key)) {
        if let Some(node) = item.get(key) {
            let named = kinds.iter().filter(|(_, kind)| kind.has(key));
            let named: Vec<_> = named.map(|(name, _)| format!("`{name}`")).collect();
            let message = format!("`{key}` is for a channel of kind {}", named.join(" or "));
            mistakes.add(&node.at, message);
        }
    }
}

/// The pace of a channel; WhatsApp's own figures where the file says nothing.
fn pace(item: &Node) -> Pace {
    let Some(node) = item.get("pace") else { return Pace::WHATSAPP };
    if matches!(node.value, Value::Text(_)) {
        return Pace::default();
    }
    let count = |key| node.whole(key).and_then(|count| u32::try_from(count).ok());
    let pair = PairPace::WHATSAPP;
    let every_ms = node.whole("pair_seconds").map_or(pair.every_ms, |seconds| seconds * 1_000);
    let burst = count("pair_burst").unwrap_or(pair.burst);
    Pace {
        pair: Some(PairPace { every_ms, burst, ..pair }),
        number: count("per_second").map(Rate::per_second).or(Pace::WHATSAPP.number),
    }
}

fn cloud(item: &Node, mistakes: &mut Mistakes) -> Option<ChannelSettings> {
    let api_base = match item.get("api_base") {
        Some(_) => web_address(item, "api_base", mistakes),
        None => Some(GRAPH.to_owned()),
    };
    let number = digits(item, mistakes);
    let version = version(item, mistakes);
    let media_hosts = media_hosts(item, mistakes, MEDIA_HOSTS);
    let app_secrets =
        [secret(item, "app_secret"), secret(item, "app_secret_old")].into_iter().flatten();
    Some(ChannelSettings::WhatsappCloud(CloudSettings {
        phone_number_id: number?,
        access_token: secret(item, "access_token")?,
        app_secrets: app_secrets.collect(),
        verify_token: secret(item, "verify_token")?,
        api_base: api_base?,
        api_version: version?,
        media_hosts,
    }))
}

/// The phone number's id at Meta, which must be digits because it becomes part of an address.
fn digits(item: &Node, mistakes: &mut Mistakes) -> Option<String> {
    let (text, at) = item.text("phone_number_id")?;
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = format!(
            "`phone_number_id` is the number's id at Meta, digits only, not `{text}`; it is not \
             the phone number itself"
        );
        mistakes.add(at, message);
        return None;
    }
    Some(text.to_owned())
}

fn version(item: &Node, mistakes: &mut Mistakes) -> Option<String> {
    let Some((text, at)) = item.text("api_version") else { return Some(GRAPH_VERSION.to_owned()) };
    let parts = text.strip_prefix('v').and_then(|rest| rest.split_once('.'));
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !parts.is_some_and(|(major, minor)| number(major) && number(minor)) {
        mistakes.add(at, format!("`api_version` is written as `{GRAPH_VERSION}`, not `{text}`"));
        return None;
    }
    Some(text.to_owned())
}

/// Host names without scheme or path, because an address here would look as if its path counted.
fn media_hosts(item: &Node, mistakes: &mut Mistakes, default: &[&str]) -> Vec<String> {
    if item.get("media_hosts").is_none() {
        return default.iter().map(|host| (*host).to_owned()).collect();
    }
    for host in item.list("media_hosts") {
        if let Value::Text(text) = &host.value
            && (text.contains(|c: char| c.is_whitespace() || "/@?#:*".contains(c))
                || !text.contains('.'))
        {
            let message = format!("each of `media_hosts` is a host by its name, not `{text}`");
            mistakes.add(&host.at, message);
        }
    }
    texts(item, "media_hosts")
}

fn infobip(item: &Node, listen: SocketAddr, mistakes: &mut Mistakes) -> Option<ChannelSettings> {
    let api_base = web_address(item, "api_base", mistakes);
    let media_hosts = media_hosts(item, mistakes, &[]);
    let auth = auth(item.get("auth")?, listen, mistakes);
    Some(ChannelSettings::Infobip(InfobipSettings {
        api_base: api_base?,
        api_key: secret(item, "api_key")?,
        sender: item.text("sender")?.0.to_owned(),
        auth: auth?,
        media_hosts,
    }))
}

fn auth(node: &Node, listen: SocketAddr, mistakes: &mut Mistakes) -> Option<WebhookAuth> {
    match &node.value {
        // The schema lets no other word than `none` through.
        Value::Text(_) if listen.ip().is_loopback() => Some(WebhookAuth::None),
        Value::Text(_) => {
            let message = format!(
                "`auth: none` lets anyone write as any customer; it is accepted only while \
                 `listen` is a loopback address, and it is {listen}"
            );
            mistakes.add(&node.at, message);
            None
        }
        Value::Group(_) => match (node.get("basic"), node.get("hmac")) {
            (Some(basic), None) => {
                require(basic, "`basic`", "user", mistakes);
                require(basic, "`basic`", "password", mistakes);
                let user = basic.text("user")?.0.to_owned();
                Some(WebhookAuth::Basic { user, password: secret(basic, "password")? })
            }
            (None, Some(hmac)) => {
                require(hmac, "`hmac`", "secret", mistakes);
                Some(WebhookAuth::Hmac { secret: secret(hmac, "secret")? })
            }
            (both, _) => {
                let found = if both.is_some() { "both" } else { "neither" };
                let message = format!("`auth` holds either `basic` or `hmac`, not {found}");
                mistakes.add(&node.at, message);
                None
            }
        },
        _ => None,
    }
}
