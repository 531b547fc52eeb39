//! The keys of a configuration and the shape of each: no other file knows their names.

pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
}

pub(crate) enum Shape {
    Text,
    /// Text that is never printed, and may be kept in a file that `<name>_file` names.
    Secret,
    Flag,
    Whole {
        min: i64,
        max: i64,
        /// The reason for the lower bound, if a person might wonder.
        why: &'static str,
    },
    /// A word, or a number with or without a fraction between the two.
    DecimalOr(&'static str, f64, f64),
    Choice(&'static [&'static str]),
    /// A list of texts. A single text is split at its commas, because a variable holds no list.
    Texts,
    Group(&'static [Key]),
    /// Either one of the words or a group.
    ChoiceOrGroup(&'static [&'static str], &'static [Key]),
    /// A list of groups. Groups at the top have an `id` each, by which variables name them.
    Each(&'static [Key]),
}

use Shape::{Choice, ChoiceOrGroup, DecimalOr, Each, Flag, Group, Secret, Text, Texts, Whole};

const DAY_MS: i64 = 86_400_000;

const fn key(name: &'static str, shape: Shape) -> Key {
    Key { name, shape }
}

const fn whole(min: i64, max: i64) -> Shape {
    Whole { min, max, why: "" }
}

pub(crate) const ROOT: &[Key] = &[
    key("listen", Text),
    key("database", Secret),
    key("database_owner", Secret),
    key("statement_timeout_ms", whole(1_000, DAY_MS)),
    key("lock_timeout_ms", whole(500, DAY_MS)),
    key("packs", Text),
    key("workers", whole(1, 100_000)),
    key("lease_ms", whole(500, DAY_MS)),
    key(
        "retention_days",
        Whole {
            min: 30,
            max: 36_500,
            why: "a provider repeats for days, and a copy must be known",
        },
    ),
    key("public_url", Text),
    key("trusted_proxies", Texts),
    key("connections", whole(100, 1_000_000)),
    key("webchat_limits", ChoiceOrGroup(&["none"], WEBCHAT_LIMITS)),
    key("log", Choice(&["text", "json"])),
    key("notify", Group(NOTIFY)),
    key("providers", Each(PROVIDER)),
    key("model_limits", Group(MODEL_LIMITS)),
    key("budget", Group(BUDGET)),
    key("prices", Text),
    key("systems", Each(SYSTEM)),
    key("mcp", Each(MCP)),
    key("egress", Group(&[key("allow", Texts)])),
    key("media", Text),
    key("channels", Each(CHANNEL)),
];

const BUDGET: &[Key] = &[
    key("workspace_usd_per_day", DecimalOr("none", 0.0, 1_000_000.0)),
    key("known_contacts_percent", whole(0, 100)),
];

const NOTIFY: &[Key] = &[key("url", Text), key("idempotent", Flag)];

/// Acts of strangers per minute; for streams, the number open at once.
const WEBCHAT_LIMITS: &[Key] = &[
    key("messages_per_visitor", whole(1, 1_000_000)),
    key("messages_per_address", whole(1, 1_000_000)),
    key("new_per_address", whole(1, 1_000_000)),
    key("new_per_channel", whole(1, 1_000_000)),
    key("streams_per_address", whole(1, 1_000_000)),
];

const PROVIDER: &[Key] = &[
    key("id", Text),
    key("kind", Choice(&["anthropic", "openai", "scripted", "replay"])),
    key("models", Texts),
    key("base_url", Text),
    key("api_key", Secret),
    key("record", Text),
    key("file", Text),
    key("delay_ms", whole(0, 600_000)),
];

const MODEL_LIMITS: &[Key] = &[
    key("at_once", whole(1, 100_000)),
    key("per_minute", whole(1, 1_000_000)),
    key("attempts", whole(1, 10)),
    key("first_byte_ms", whole(100, 600_000)),
    key("between_ms", whole(100, 600_000)),
    key("total_ms", whole(100, 600_000)),
];

const SYSTEM: &[Key] = &[
    key("id", Text),
    key("base_url", Text),
    key("headers", Each(NAMED_SECRET)),
    key("allow_private", Flag),
];

const MCP: &[Key] = &[
    key("id", Text),
    key("url", Text),
    key("headers", Each(NAMED_SECRET)),
    key("command", Text),
    key("args", Texts),
    key("env", Each(NAMED_SECRET)),
];

/// A header, or a variable of a process.
const NAMED_SECRET: &[Key] = &[key("name", Text), key("value", Secret)];

const CHANNEL: &[Key] = &[
    key("id", Text),
    key("kind", Choice(&["webchat", "infobip", "whatsapp_cloud"])),
    key("workspace", Text),
    key("agent", Text),
    key("quiet_ms", whole(0, DAY_MS)),
    key("cap_ms", whole(0, DAY_MS)),
    key("max_messages", whole(1, 1000)),
    key("api_base", Text),
    key("api_key", Secret),
    key("sender", Text),
    key("auth", ChoiceOrGroup(&["none"], AUTH)),
    key("phone_number_id", Text),
    key("access_token", Secret),
    key("app_secret", Secret),
    key("app_secret_old", Secret),
    key("verify_token", Secret),
    key("api_version", Text),
    key("media_hosts", Texts),
    key("pace", ChoiceOrGroup(&["none"], PACE)),
];

/// The keys that a channel of each kind must have, and those that it may have.
pub(crate) const INFOBIP: Own =
    Own { must: &["api_base", "api_key", "sender", "auth"], may: &["media_hosts", "pace"] };
pub(crate) const WHATSAPP_CLOUD: Own = Own {
    must: &["phone_number_id", "access_token", "app_secret", "verify_token"],
    may: &["app_secret_old", "api_base", "api_version", "media_hosts", "pace"],
};
pub(crate) const WEBCHAT: Own = Own { must: &[], may: &[] };

/// The keys that only a kind of channel has.
pub(crate) struct Own {
    pub(crate) must: &'static [&'static str],
    pub(crate) may: &'static [&'static str],
}

impl Own {
    pub(crate) fn has(&self, key: &str) -> bool {
        self.must.contains(&key) || self.may.contains(&key)
    }
}

/// The pace of a channel: for one customer, and in all.
const PACE: &[Key] = &[
    key("pair_seconds", whole(0, 3600)),
    key("pair_burst", whole(1, 100)),
    key("per_second", whole(1, 10_000)),
];

const AUTH: &[Key] = &[
    key("basic", Group(&[key("user", Text), key("password", Secret)])),
    key("hmac", Group(&[key("secret", Secret)])),
];

/// The key that names the file of a secret.
pub(crate) fn file_key(name: &str) -> String {
    format!("{name}_file")
}

/// Every name that may be written among `keys`.
pub(crate) fn names(keys: &[Key]) -> Vec<String> {
    let mut names = Vec::new();
    for key in keys {
        names.push(key.name.to_owned());
        if matches!(key.shape, Secret) {
            names.push(file_key(key.name));
        }
    }
    names
}
