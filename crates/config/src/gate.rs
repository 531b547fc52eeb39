//! Turns the keys about strangers into settings: the proxies that may speak for others, and the
//! limits on visitors.

use domain::{Network, VisitLimits};

use crate::mistakes::Mistakes;
use crate::tree::{Node, Value};

pub(crate) fn read_proxies(root: &Node, mistakes: &mut Mistakes) -> Vec<Network> {
    let mut proxies = Vec::new();
    for item in root.list("trusted_proxies") {
        let Value::Text(text) = &item.value else { continue };
        match text.parse() {
            Ok(network) => proxies.push(network),
            Err(error) => {
                let message = format!(
                    "each of `trusted_proxies` is an address or a network, not `{text}`: {error}"
                );
                mistakes.add(&item.at, message);
            }
        }
    }
    proxies
}

/// The limits on visitors. Missing ones have their usual value; the word `none` means no limits.
pub(crate) fn read_visits(root: &Node) -> Option<VisitLimits> {
    let usual = VisitLimits::DEFAULT;
    let Some(node) = root.get("webchat_limits") else { return Some(usual) };
    if matches!(node.value, Value::Text(_)) {
        return None;
    }
    let count =
        |key, usual| node.whole(key).and_then(|count| u32::try_from(count).ok()).unwrap_or(usual);
    Some(VisitLimits {
        messages_per_visitor: count("messages_per_visitor", usual.messages_per_visitor),
        messages_per_address: count("messages_per_address", usual.messages_per_address),
        new_per_address: count("new_per_address", usual.new_per_address),
        new_per_channel: count("new_per_channel", usual.new_per_channel),
        streams_per_address: count("streams_per_address", usual.streams_per_address),
    })
}
