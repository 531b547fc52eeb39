//! What a read configuration is: plain data, in which secrets do not print.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use domain::{Channel, Workspace};
use secrecy::SecretString;

use crate::Database;
use crate::database::without_credentials;

#[derive(Clone, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    pub database: Database,
    pub packs: PathBuf,
    /// How many lanes this node works on at once.
    pub workers: usize,
    pub lease_ms: i64,
    /// How long inbox rows are kept, so that a late second copy is still known.
    pub retention_days: i64,
    /// The address the world reaches this node by, without a slash at its end.
    pub public_url: Option<String>,
    pub log: LogFormat,
    pub notify: Option<Notify>,
    pub channels: Vec<ChannelConfig>,
    /// The file this was read from; none when all of it is default or environment.
    pub source: Option<PathBuf>,
}

impl Config {
    /// The workspaces the channels name, each once, in the order they first appear.
    pub fn workspaces(&self) -> Vec<Workspace> {
        let mut workspaces: Vec<Workspace> = Vec::new();
        for ChannelConfig { workspace, .. } in &self.channels {
            if !workspaces.contains(workspace) {
                workspaces.push(workspace.clone());
            }
        }
        workspaces
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

/// Where the demo agent's `avisar` tool posts.
#[derive(Clone, PartialEq, Eq)]
pub struct Notify {
    pub url: String,
    /// Whether that address honours an `Idempotency-Key` header.
    pub idempotent: bool,
}

impl fmt::Debug for Notify {
    // The address of a hook is often its password, and a configuration gets printed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = without_credentials(&self.url);
        let host = url.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
        f.debug_struct("Notify")
            .field("url", &format_args!("{host}/***"))
            .field("idempotent", &self.idempotent)
            .finish()
    }
}

#[derive(Clone, Debug)]
pub struct ChannelConfig {
    pub channel: Channel,
    /// The channel holds the workspace's id; its name is only here.
    pub workspace: Workspace,
    pub kind: ChannelSettings,
}

#[derive(Clone, Debug)]
pub enum ChannelSettings {
    Webchat,
    Infobip(InfobipSettings),
}

#[derive(Clone, Debug)]
pub struct InfobipSettings {
    /// Without a slash at its end.
    pub api_base: String,
    pub api_key: SecretString,
    pub sender: String,
    pub auth: WebhookAuth,
}

/// How a webhook proves where it comes from.
#[derive(Clone, Debug)]
pub enum WebhookAuth {
    Basic {
        user: String,
        password: SecretString,
    },
    Hmac {
        secret: SecretString,
    },
    /// Accepted only while the node listens on a loopback address.
    None,
}
