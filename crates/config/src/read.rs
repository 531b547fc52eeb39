//! Turns a checked tree into a [`Config`], with defaults for missing keys and the checks that types
//! cannot make.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use domain::Cost;
use secrecy::SecretString;

use crate::channel::read_channels;
use crate::database::postgres_url;
use crate::gate::{read_proxies, read_visits};
use crate::mistakes::Mistakes;
use crate::models::{read_limits, read_providers};
use crate::settings::{Config, LogFormat, Notify};
use crate::systems::{read_allowed, read_mcp, read_systems};
use crate::tree::{Entry, Node, Origin, Value, has_wrong};
use crate::{Address, Database};

const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7700);
const DEFAULT_DATABASE: &str = "recado.db";
const DEFAULT_PACKS: &str = "packs";
const DEFAULT_MEDIA: &str = "media";
/// Some 2,500 calls as packs make them, at four tenths of a cent: more than a shop with hundreds of
/// conversations a day needs, and no ruin for a shop whose page a stranger plays with.
const DEFAULT_WORKSPACE_USD_PER_DAY: f64 = 10.0;
const DEFAULT_KNOWN_CONTACTS_PERCENT: i64 = 50;
const DEFAULT_STATEMENT_TIMEOUT_MS: u32 = 10_000;
const DEFAULT_LOCK_TIMEOUT_MS: u32 = 5_000;
const DEFAULT_WORKERS: usize = 1000;
const DEFAULT_CONNECTIONS: usize = 10_000;
const DEFAULT_LEASE_MS: i64 = 10_000;
const DEFAULT_RETENTION_DAYS: i64 = 35;

/// The channels of a configuration without any: a web chat for the pack that ships with the
/// product.
pub(crate) fn default_channels() -> Entry {
    let at = Origin::Default;
    let entry = |(key, value): (&str, &str)| Entry {
        key: key.to_owned(),
        at: Origin::Default,
        node: Node { value: Value::Text(value.to_owned()), at: Origin::Default },
    };
    let web = [("id", "web"), ("kind", "webchat"), ("workspace", "demo"), ("agent", "registro")];
    let web = Node::group(web.into_iter().map(entry).collect(), at.clone());
    let node = Node { value: Value::List(vec![web]), at: at.clone() };
    Entry { key: "channels".to_owned(), at, node }
}

/// Reads the tree. After a mistake the default stands in, because the result is thrown away then.
pub(crate) fn read(root: &Node, source: Option<PathBuf>, mistakes: &mut Mistakes) -> Config {
    let listen = listen(root, mistakes);
    Config {
        listen,
        database: database(root, mistakes),
        statement_timeout_ms: milliseconds(root, "statement_timeout_ms")
            .unwrap_or(DEFAULT_STATEMENT_TIMEOUT_MS),
        lock_timeout_ms: milliseconds(root, "lock_timeout_ms").unwrap_or(DEFAULT_LOCK_TIMEOUT_MS),
        packs: root.text("packs").map_or(DEFAULT_PACKS, |(packs, _)| packs).into(),
        workers: root
            .whole("workers")
            .and_then(|workers| usize::try_from(workers).ok())
            .unwrap_or(DEFAULT_WORKERS),
        lease_ms: root.whole("lease_ms").unwrap_or(DEFAULT_LEASE_MS),
        retention_days: root.whole("retention_days").unwrap_or(DEFAULT_RETENTION_DAYS),
        public_url: web_address(root, "public_url", mistakes),
        trusted_proxies: read_proxies(root, mistakes),
        connections: root
            .whole("connections")
            .and_then(|connections| usize::try_from(connections).ok())
            .unwrap_or(DEFAULT_CONNECTIONS),
        webchat_limits: read_visits(root),
        log: match root.text("log") {
            Some(("json", _)) => LogFormat::Json,
            _ => LogFormat::Text,
        },
        notify: notify(root, mistakes),
        providers: read_providers(root, mistakes),
        model_limits: read_limits(root),
        workspace_day: workspace_day(root),
        known_contacts_percent: root
            .get("budget")
            .and_then(|budget| budget.whole("known_contacts_percent"))
            .unwrap_or(DEFAULT_KNOWN_CONTACTS_PERCENT),
        prices: root.text("prices").map(|(prices, _)| prices.into()),
        systems: read_systems(root, mistakes),
        mcp: read_mcp(root, mistakes),
        egress: read_allowed(root, mistakes),
        media: root.text("media").map_or(DEFAULT_MEDIA, |(media, _)| media).into(),
        channels: read_channels(root, listen, mistakes),
        source,
    }
}

fn milliseconds(root: &Node, key: &str) -> Option<u32> {
    root.whole(key).and_then(|number| u32::try_from(number).ok())
}

fn listen(root: &Node, mistakes: &mut Mistakes) -> SocketAddr {
    let Some((text, at)) = root.text("listen") else {
        return DEFAULT_LISTEN;
    };
    text.parse().unwrap_or_else(|_| {
        let message =
            format!("`listen` is an IP address and a port, as in `{DEFAULT_LISTEN}`, not `{text}`");
        mistakes.add(at, message);
        DEFAULT_LISTEN
    })
}

fn database(root: &Node, mistakes: &mut Mistakes) -> Database {
    let written = root.text("database").map(|(text, at)| (Database::parse(text), at));
    if let Some((None, at)) = written {
        mistakes.add(at, "`database` is `sqlite:FILE` or `postgres://USER@HOST/DATABASE`");
    }
    // A mistake in the database's address is not followed by one about its owner.
    let uncertain = has_wrong(root, "database") || matches!(written, Some((None, _)));
    let mut database = written
        .and_then(|(database, _)| database)
        .unwrap_or_else(|| Database::Sqlite { path: DEFAULT_DATABASE.into() });
    let Some((owner, at)) = root.text("database_owner") else {
        return database;
    };
    let owner = postgres_url(owner);
    if owner.is_none() {
        mistakes.add(at, "`database_owner` is `postgres://USER@HOST/DATABASE`");
    }
    match &mut database {
        Database::Postgres { owner_url, .. } => *owner_url = owner,
        Database::Sqlite { .. } if uncertain => {}
        Database::Sqlite { .. } => {
            mistakes.add(at, "`database_owner` is for PostgreSQL, and `database` is SQLite");
        }
    }
    database
}

fn notify(root: &Node, mistakes: &mut Mistakes) -> Option<Notify> {
    let notify = root.get("notify")?;
    require(notify, "`notify`", "url", mistakes);
    let url = web_address(notify, "url", mistakes)?;
    Some(Notify { url: Address(url), idempotent: notify.flag("idempotent").unwrap_or(false) })
}

fn workspace_day(root: &Node) -> Option<Cost> {
    let written = root.get("budget").and_then(|budget| budget.get("workspace_usd_per_day"));
    match written.map(|node| &node.value) {
        Some(Value::Fraction(usd)) => Some(Cost::from_usd(*usd)),
        Some(Value::Text(_)) => None,
        _ => Some(Cost::from_usd(DEFAULT_WORKSPACE_USD_PER_DAY)),
    }
}

/// Reports the items whose id another item already has; `what` is the item's kind in words.
pub(crate) fn once(items: &[Node], what: &str, mistakes: &mut Mistakes) {
    let mut first: BTreeMap<&str, &Origin> = BTreeMap::new();
    for (id, at) in items.iter().filter_map(|item| item.text("id")) {
        match first.get(id) {
            None => {
                first.insert(id, at);
            }
            Some(Origin::File { line, .. }) => {
                mistakes.add(at, format!("the {what} `{id}` is already on line {line}"));
            }
            Some(_) => mistakes.add(at, format!("there are two {what}s `{id}`")),
        }
    }
}

/// The name of an item in a mistake, with its id if it has one.
pub(crate) fn called(item: &Node, what: &str) -> String {
    match item.text("id") {
        Some((id, _)) => format!("the {what} `{id}`"),
        None => format!("this {what}"),
    }
}

/// A name that is also part of an address and of a variable's name.
pub(crate) fn slug<'a>(item: &'a Node, key: &str, mistakes: &mut Mistakes) -> Option<&'a str> {
    let (text, at) = item.text(key)?;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if text.len() > 40 || !text.chars().all(fits) {
        let message = format!("`{key}` is 1 to 40 of `a-z`, `0-9` and `-`, not `{text}`");
        mistakes.add(at, message);
        return None;
    }
    Some(text)
}

pub(crate) fn secret(node: &Node, key: &str) -> Option<SecretString> {
    node.text(key).map(|(secret, _)| secret.into())
}

/// The texts of a list, without items that were reported as wrong.
pub(crate) fn texts(node: &Node, key: &str) -> Vec<String> {
    let text = |item: &Node| match &item.value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    };
    node.list(key).iter().filter_map(text).collect()
}

/// An `http` or `https` address, without a slash at its end.
pub(crate) fn web_address(node: &Node, key: &str, mistakes: &mut Mistakes) -> Option<String> {
    let (text, at) = node.text(key)?;
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    // The value is not printed, because an address may carry a token.
    if host.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        mistakes.add(at, format!("`{key}` is a web address, as in `https://example.com`"));
        return None;
    }
    Some(text.trim_end_matches('/').to_owned())
}

/// Reports that `key` is missing, if it is.
pub(crate) fn require(node: &Node, whose: &str, key: &str, mistakes: &mut Mistakes) {
    if matches!(node.value, Value::Group(_)) && node.get(key).is_none() {
        mistakes.add(&node.at, format!("{whose} lacks `{key}`"));
    }
}
