//! Which keys there are and what each may hold: the one place that knows their names.

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
        /// Why the lower bound is there, if a person might wonder.
        why: &'static str,
    },
    Choice(&'static [&'static str]),
    Group(&'static [Key]),
    /// Either one of the words or a group.
    ChoiceOrGroup(&'static [&'static str], &'static [Key]),
    /// A list of groups, each with an `id` by which variables name it.
    Each(&'static [Key]),
}

use Shape::{Choice, ChoiceOrGroup, Each, Flag, Group, Secret, Text, Whole};

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
    key("log", Choice(&["text", "json"])),
    key("notify", Group(NOTIFY)),
    key("channels", Each(CHANNEL)),
];

const NOTIFY: &[Key] = &[key("url", Text), key("idempotent", Flag)];

pub(crate) const CHANNEL: &[Key] = &[
    key("id", Text),
    key("kind", Choice(&["webchat", "infobip"])),
    key("workspace", Text),
    key("agent", Text),
    key("quiet_ms", whole(0, DAY_MS)),
    key("cap_ms", whole(0, DAY_MS)),
    key("max_messages", whole(1, 1000)),
    key("api_base", Text),
    key("api_key", Secret),
    key("sender", Text),
    key("auth", ChoiceOrGroup(&["none"], AUTH)),
];

/// The keys of a channel that only Infobip has a use for.
pub(crate) const INFOBIP_ONLY: &[&str] = &["api_base", "api_key", "sender", "auth"];

const AUTH: &[Key] = &[
    key("basic", Group(&[key("user", Text), key("password", Secret)])),
    key("hmac", Group(&[key("secret", Secret)])),
];

/// The key that names the file a secret is kept in.
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
