//! A place to run nodes in: a configuration, a database of its own, a sink, and the doors of the
//! nodes that are up.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use store_postgres::testing::{Urls, fresh_database};
use tempfile::TempDir;

use super::meta::{APP_SECRET, NUMBER};
use super::sink::{API_KEY, Sink};
use super::wait::PATIENCE;

pub(crate) const USER: &str = "infobip";
pub(crate) const PASSWORD: &str = "s3creto";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

/// The settings that a test may want otherwise than the rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) lease_ms: u64,
    /// Whether the address of the `avisar` tool honours its key.
    pub(crate) idempotent: bool,
}

impl Default for Setting {
    /// A lease that outlasts any stall of a busy machine: nothing is ambiguous that was not cut
    /// short on purpose. The lanes of a dead node are freed by the kit.
    fn default() -> Self {
        Self { lease_ms: 600_000, idempotent: false }
    }
}

pub(crate) struct Site {
    folder: TempDir,
    pub(crate) setting: Setting,
    pub(crate) sink: Sink,
    /// On PostgreSQL, the database as each role sees it.
    pub(crate) urls: Option<Urls>,
    pub(crate) http: reqwest::Client,
    /// Where the nodes that are up listen.
    pub(crate) doors: RefCell<Vec<String>>,
    /// The answers to deliveries, by status.
    pub(crate) answers: RefCell<BTreeMap<u16, u32>>,
    /// The standard error of each process.
    pub(crate) logs: RefCell<Vec<Arc<Mutex<String>>>>,
}

impl Site {
    pub(crate) async fn new(kind: Kind) -> Self {
        Self::with(kind, Setting::default()).await
    }

    pub(crate) async fn with(kind: Kind, setting: Setting) -> Self {
        let urls = match kind {
            Kind::Sqlite => None,
            Kind::Postgres => Some(fresh_database().await),
        };
        Self::on(urls, setting).await
    }

    /// On a given database of PostgreSQL, or else on SQLite.
    pub(crate) async fn on(urls: Option<Urls>, setting: Setting) -> Self {
        let urls = urls.map(|Urls { owner, app, superuser }| Urls {
            owner: patient(&owner),
            app: patient(&app),
            superuser,
        });
        let folder = tempfile::Builder::new().prefix("recado-crash-").tempdir();
        let site = Self {
            folder: folder.expect("a folder"),
            setting,
            sink: Sink::start().await,
            urls,
            http: client(),
            doors: RefCell::default(),
            answers: RefCell::default(),
            logs: RefCell::default(),
        };
        std::fs::write(site.config(), site.configuration()).expect("a configuration");
        site
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.folder.path().join("recado.yaml")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The database of a site on SQLite.
    pub(crate) fn database_file(&self) -> PathBuf {
        self.folder.path().join("recado.db")
    }

    /// Where what customers sent is kept.
    pub(crate) fn media(&self) -> PathBuf {
        self.folder.path().join("media")
    }

    /// Everything in there.
    pub(crate) fn kept_files(&self) -> Vec<Vec<u8>> {
        let folders = std::fs::read_dir(self.media()).into_iter().flatten().flatten();
        let files = folders.flat_map(|one| std::fs::read_dir(one.path()).into_iter().flatten());
        files.flatten().map(|file| std::fs::read(file.path()).expect("a file")).collect()
    }

    fn configuration(&self) -> String {
        let database = match &self.urls {
            None => format!("database: sqlite:{}", self.database_file().display()),
            Some(urls) => format!("database: {}\ndatabase_owner: {}", urls.app, urls.owner),
        };
        let Setting { lease_ms, idempotent } = self.setting;
        let (sink, media) = (self.sink.url(), self.media().display().to_string());
        format!(
            "listen: 127.0.0.1:0\nwebchat_limits: none\n{database}\nmedia: {media}\nlease_ms: {lease_ms}\n\
             notify: {{ url: \"{sink}/avisos\", idempotent: {idempotent} }}\n\
             channels:\n\
             \x20 - {{ id: tienda, kind: infobip, workspace: demo, agent: demo, \
             api_base: \"{sink}\", api_key: {API_KEY}, sender: \"573001112233\", \
             auth: {{ basic: {{ user: {USER}, password: {PASSWORD} }} }}, pace: none }}\n\
             \x20 - {{ id: meta, kind: whatsapp_cloud, workspace: demo, agent: demo, \
             api_base: \"{sink}\", access_token: ficha, phone_number_id: \"{NUMBER}\", \
             app_secret: {APP_SECRET}, verify_token: palabra, pace: none }}\n\
             \x20 - {{ id: web, kind: webchat, workspace: demo, agent: demo }}\n"
        )
    }

    /// How often a delivery got this status.
    pub(crate) fn answered(&self, status: u16) -> u32 {
        self.answers.borrow().get(&status).copied().unwrap_or_default()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        for (number, log) in self.logs.borrow().iter().enumerate() {
            let log = log.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let lines: Vec<_> = log.lines().collect();
            let last = &lines[lines.len().saturating_sub(40)..];
            eprintln!("--- process {number}, its last lines\n{}", last.join("\n"));
        }
        for sent in self.sink.sent().iter().rev().take(40).rev() {
            eprintln!("sink: to {} «{}»", sent.to, sent.text);
        }
    }
}

/// A busy machine takes its time to connect anybody; whoever gives up is a node that did not start.
fn patient(url: &str) -> String {
    format!("{url}?connect_timeout={}", PATIENCE.as_secs())
}

#[expect(clippy::disallowed_methods, reason = "the harness stands where the provider would")]
fn client() -> reqwest::Client {
    // A second call finds it installed, which is all that is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .retry(reqwest::retry::never())
        .timeout(Duration::from_secs(35))
        .build()
        .expect("a client")
}
