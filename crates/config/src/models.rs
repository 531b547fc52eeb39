//! Turns the keys about language models into providers and limits.

use crate::Address;
use crate::mistakes::Mistakes;
use crate::read::{called, once, require, secret, slug, texts, web_address};
use crate::settings::{ModelLimits, Provider, ProviderKind};
use crate::tree::{Node, has_wrong};

const ANTHROPIC: &str = "https://api.anthropic.com";
const OPENAI: &str = "https://api.openai.com/v1";

/// Keys that some kinds of provider have no use for, and the kinds that have.
const ONLY: &[(&str, &[&str])] = &[
    ("base_url", &["anthropic", "openai"]),
    ("api_key", &["anthropic", "openai"]),
    ("record", &["anthropic", "openai", "scripted"]),
    ("file", &["scripted", "replay"]),
    ("delay_ms", &["scripted"]),
];

pub(crate) fn read_providers(root: &Node, mistakes: &mut Mistakes) -> Vec<Provider> {
    let items = root.list("providers");
    once(items, "provider", mistakes);
    items.iter().filter_map(|item| read_provider(item, mistakes)).collect()
}

fn read_provider(item: &Node, mistakes: &mut Mistakes) -> Option<Provider> {
    let whose = called(item, "provider");
    require(item, &whose, "id", mistakes);
    require(item, &whose, "kind", mistakes);
    let id = slug(item, "id", mistakes);
    let (kind, _) = item.text("kind")?;
    for (key, kinds) in ONLY.iter().filter(|(_, kinds)| !kinds.contains(&kind)) {
        if let Some(node) = item.get(key) {
            let kinds: Vec<_> = kinds.iter().map(|kind| format!("`{kind}`")).collect();
            let kinds = kinds.join(" or ");
            mistakes.add(&node.at, format!("`{key}` is for a provider of kind {kinds}"));
        }
    }
    let kind = read_kind(item, kind, &whose, mistakes);
    let record = item.text("record").map(|(file, _)| file.into());
    Some(Provider { id: id?.to_owned(), kind: kind?, models: texts(item, "models"), record })
}

fn read_kind(
    item: &Node,
    kind: &str,
    whose: &str,
    mistakes: &mut Mistakes,
) -> Option<ProviderKind> {
    let api_key = secret(item, "api_key");
    Some(match kind {
        "anthropic" => {
            require(item, whose, "api_key", mistakes);
            let base_url = base_url(item, ANTHROPIC, mistakes);
            ProviderKind::Anthropic { base_url: base_url?, api_key: api_key? }
        }
        "openai" => ProviderKind::OpenAi { base_url: base_url(item, OPENAI, mistakes)?, api_key },
        kind => {
            require(item, whose, "file", mistakes);
            let file = item.text("file")?.0.into();
            match kind {
                "scripted" => {
                    let delay_ms = item.whole("delay_ms").map_or(0, i64::unsigned_abs);
                    ProviderKind::Scripted { file, delay_ms }
                }
                _ => ProviderKind::Replay { file },
            }
        }
    })
}

fn base_url(item: &Node, default: &str, mistakes: &mut Mistakes) -> Option<Address> {
    if item.get("base_url").is_none() {
        return Some(Address(default.to_owned()));
    }
    web_address(item, "base_url", mistakes).map(Address)
}

impl Default for ModelLimits {
    fn default() -> Self {
        Self {
            at_once: 16,
            per_minute: 600,
            attempts: 3,
            first_byte_ms: 15_000,
            between_ms: 15_000,
            total_ms: 40_000,
        }
    }
}

pub(crate) fn read_limits(root: &Node) -> ModelLimits {
    let default = ModelLimits::default();
    let Some(limits) = root.get("model_limits").filter(|_| !has_wrong(root, "model_limits")) else {
        return default;
    };
    ModelLimits {
        at_once: number(limits, "at_once", default.at_once),
        per_minute: number(limits, "per_minute", default.per_minute),
        attempts: number(limits, "attempts", default.attempts),
        first_byte_ms: number(limits, "first_byte_ms", default.first_byte_ms),
        between_ms: number(limits, "between_ms", default.between_ms),
        total_ms: number(limits, "total_ms", default.total_ms),
    }
}

fn number<N: TryFrom<i64>>(node: &Node, key: &str, default: N) -> N {
    node.whole(key).and_then(|number| N::try_from(number).ok()).unwrap_or(default)
}
