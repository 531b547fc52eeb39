//! Turns a settled tree into a [`Config`], filling in defaults and checking what types cannot.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use crate::Database;
use crate::channel::read_channels;
use crate::database::postgres_url;
use crate::mistakes::Mistakes;
use crate::settings::{Config, LogFormat, Notify};
use crate::tree::{Entry, Node, Origin, Value, has_wrong};

const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7700);
const DEFAULT_DATABASE: &str = "recado.db";
const DEFAULT_PACKS: &str = "packs";
const DEFAULT_WORKERS: usize = 1000;
const DEFAULT_LEASE_MS: i64 = 10_000;
const DEFAULT_RETENTION_DAYS: i64 = 35;

/// The channels of a configuration that names none: one to talk to the pack that ships on.
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

/// Wherever a mistake is reported the default stands in, since the result is then thrown away.
pub(crate) fn read(root: &Node, source: Option<PathBuf>, mistakes: &mut Mistakes) -> Config {
    let listen = listen(root, mistakes);
    Config {
        listen,
        database: database(root, mistakes),
        packs: root.text("packs").map_or(DEFAULT_PACKS, |(packs, _)| packs).into(),
        workers: root
            .whole("workers")
            .and_then(|workers| usize::try_from(workers).ok())
            .unwrap_or(DEFAULT_WORKERS),
        lease_ms: root.whole("lease_ms").unwrap_or(DEFAULT_LEASE_MS),
        retention_days: root.whole("retention_days").unwrap_or(DEFAULT_RETENTION_DAYS),
        public_url: web_address(root, "public_url", mistakes),
        log: match root.text("log") {
            Some(("json", _)) => LogFormat::Json,
            _ => LogFormat::Text,
        },
        notify: notify(root, mistakes),
        channels: read_channels(root, listen, mistakes),
        source,
    }
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
    // Where it is not certain which database was meant, the owner is not called out of place.
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
    Some(Notify { url, idempotent: notify.flag("idempotent").unwrap_or(false) })
}

/// An `http` or `https` address, without a slash at its end.
pub(crate) fn web_address(node: &Node, key: &str, mistakes: &mut Mistakes) -> Option<String> {
    let (text, at) = node.text(key)?;
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    // Its value is not printed: an address may carry a token.
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
