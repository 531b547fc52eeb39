//! A place to run nodes in: a database, a sink, and a configuration with these channels.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result};

use super::book::Book;
use crate::database::Database;
use crate::node::{Node, PASSWORD, USER, program};
use crate::sink::Sink;
use crate::subject::packs;

pub(crate) const APP_SECRET: &str = "firma";
pub(crate) const NUMBER: &str = "100200300";

pub(crate) struct Channel {
    pub(crate) id: String,
    pub(crate) workspace: String,
    pub(crate) agent: &'static str,
    pub(crate) kind: Kind,
}

pub(crate) enum Kind {
    /// As fast as it can: what is measured is the engine, not WhatsApp's own limits.
    Infobip,
    /// At the pace that ships.
    WhatsappCloud,
    Webchat,
}

impl Channel {
    pub(crate) fn new(kind: Kind, id: &str, workspace: &str, agent: &'static str) -> Self {
        Self { id: id.to_owned(), workspace: workspace.to_owned(), agent, kind }
    }

    fn yaml(&self, sink: &str) -> String {
        let Self { id, workspace, agent, kind } = self;
        let (kind, own) = match kind {
            Kind::Infobip => (
                "infobip",
                format!(
                    ", api_base: \"http://{sink}\", api_key: clave, sender: \"573000000000\", \
                     pace: none, auth: {{ basic: {{ user: {USER}, password: {PASSWORD} }} }}"
                ),
            ),
            Kind::WhatsappCloud => (
                "whatsapp_cloud",
                format!(
                    ", api_base: \"http://{sink}\", access_token: ficha, app_secret: {APP_SECRET}, \
                     phone_number_id: \"{NUMBER}\", verify_token: palabra"
                ),
            ),
            Kind::Webchat => ("webchat", String::new()),
        };
        format!("  - {{ id: {id}, kind: {kind}, workspace: {workspace}, agent: {agent}{own} }}\n")
    }
}

pub(crate) struct Site {
    pub(crate) database: Database,
    pub(crate) book: Arc<Book>,
    pub(crate) config: PathBuf,
    /// Takes replies for as long as the site stands.
    _sink: Sink,
}

impl Site {
    /// `settings` are further lines of the configuration.
    pub(crate) async fn open(
        database: Database,
        settings: &str,
        channels: &[Channel],
    ) -> Result<Self> {
        let packs = packs().display().to_string();
        Self::with_packs(database, &packs, settings, channels).await
    }

    pub(crate) async fn with_packs(
        database: Database,
        packs: &str,
        settings: &str,
        channels: &[Channel],
    ) -> Result<Self> {
        let (sink, book) = (Sink::start().await?, Arc::new(Book::default()));
        sink.tell(book.clone());
        let folder = database.folder.path();
        let mut yaml = format!(
            "listen: 127.0.0.1:0\npacks: {packs}\nmedia: {}\n{}{settings}channels:\n",
            folder.join("media").display(),
            database.yaml(),
        );
        for channel in channels {
            // Writing to a string cannot fail.
            let _ = write!(yaml, "{}", channel.yaml(&sink.address.to_string()));
        }
        let config = folder.join("recado.yaml");
        fs::write(&config, yaml)?;
        Ok(Self { database, book, config, _sink: sink })
    }

    /// A new key, of a role.
    pub(crate) fn key(&self, role: &str) -> Result<String> {
        let output = Command::new(program()?)
            .args(["key", "create", "--name", "banco", "--role", role, "--config"])
            .arg(&self.config)
            .output()?;
        let told = String::from_utf8_lossy(&output.stdout);
        let key = told.split_whitespace().find(|word| word.starts_with("rk_"));
        Ok(key.with_context(|| format!("no key: {told}"))?.to_owned())
    }

    pub(crate) async fn node(&self) -> Result<Node> {
        Node::serve(&self.config, None).await
    }
}
