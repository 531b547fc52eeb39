//! Turns the `channels` of a settled tree into channels with the settings of their kind.

use std::net::SocketAddr;

use domain::{Burst, Channel, ChannelId, ChannelKind, Workspace};

use crate::mistakes::Mistakes;
use crate::read::{called, once, require, secret, slug, web_address};
use crate::schema::INFOBIP_ONLY;
use crate::settings::{ChannelConfig, ChannelSettings, InfobipSettings, WebhookAuth};
use crate::tree::{Node, Value, has_wrong};

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
    let (kind, settings) = match item.text("kind") {
        Some(("infobip", _)) => (ChannelKind::Infobip, infobip(item, &whose, listen, mistakes)),
        Some(_) => {
            for (key, node) in INFOBIP_ONLY.iter().filter_map(|key| Some((key, item.get(key)?))) {
                let message = format!("`{key}` is for a channel of kind `infobip`");
                mistakes.add(&node.at, message);
            }
            (ChannelKind::Webchat, Some(ChannelSettings::Webchat))
        }
        None => return None,
    };
    let workspace = Workspace::named(workspace?);
    let channel = Channel {
        id: ChannelId::from(id?),
        workspace: workspace.id,
        kind,
        agent: item.text("agent")?.0.to_owned(),
        burst,
    };
    Some(ChannelConfig { channel, workspace, kind: settings? })
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

fn infobip(
    item: &Node,
    whose: &str,
    listen: SocketAddr,
    mistakes: &mut Mistakes,
) -> Option<ChannelSettings> {
    for key in INFOBIP_ONLY {
        require(item, whose, key, mistakes);
    }
    let api_base = web_address(item, "api_base", mistakes);
    let auth = auth(item.get("auth")?, listen, mistakes);
    Some(ChannelSettings::Infobip(InfobipSettings {
        api_base: api_base?,
        api_key: secret(item, "api_key")?,
        sender: item.text("sender")?.0.to_owned(),
        auth: auth?,
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
