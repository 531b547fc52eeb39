//! What a read configuration is: plain data, in which secrets do not print.

use std::net::SocketAddr;
use std::path::PathBuf;

use domain::{Channel, Cost, Network, Pace, VisitLimits, Workspace};
use secrecy::SecretString;

use crate::{Address, Database};

#[derive(Clone, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    pub database: Database,
    /// How long PostgreSQL may take for a statement, and wait for a lock.
    pub statement_timeout_ms: u32,
    pub lock_timeout_ms: u32,
    pub packs: PathBuf,
    /// How many lanes this node works on at once.
    pub workers: usize,
    pub lease_ms: i64,
    /// How long inbox rows are kept, so that a late second copy is still known.
    pub retention_days: i64,
    /// The address the world reaches this node by, without a slash at its end.
    pub public_url: Option<String>,
    /// Proxies that are believed about whom they speak for.
    pub trusted_proxies: Vec<Network>,
    /// Connections at once, if there are descriptors for them.
    pub connections: usize,
    /// Limits on strangers in web chats; none if anything goes.
    pub webchat_limits: Option<VisitLimits>,
    pub log: LogFormat,
    pub notify: Option<Notify>,
    /// Who serves language models, in the order in which they are asked for a name.
    pub providers: Vec<Provider>,
    pub model_limits: ModelLimits,
    /// What models may cost one workspace in 24 hours.
    pub workspace_day: Option<Cost>,
    /// How much of that is kept for contacts the business knows.
    pub known_contacts_percent: i64,
    /// Prices of models, laid over those this was built with.
    pub prices: Option<PathBuf>,
    /// What the packs' HTTP tools call.
    pub systems: Vec<System>,
    pub mcp: Vec<McpServer>,
    /// Hosts that may be private, or be called without TLS.
    pub egress: Vec<String>,
    /// The folder that keeps what customers sent.
    pub media: PathBuf,
    pub channels: Vec<ChannelConfig>,
    /// The file this was read from; none when all of it is default or environment.
    pub source: Option<PathBuf>,
}

impl Config {
    /// The sum a workspace may have spent in 24 hours before the rest is for contacts it knows.
    pub fn strangers_day(&self) -> Option<Cost> {
        let share = 100 - self.known_contacts_percent;
        self.workspace_day.map(|day| Cost(day.0 / 100 * share))
    }

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notify {
    pub url: Address,
    /// Whether that address honours an `Idempotency-Key` header.
    pub idempotent: bool,
}

/// Who serves language models.
#[derive(Clone, Debug)]
pub struct Provider {
    pub id: String,
    pub kind: ProviderKind,
    /// These models only; if empty, those whose names are of its kind.
    pub models: Vec<String>,
    /// Where every exchange is appended.
    pub record: Option<PathBuf>,
}

#[derive(Clone, Debug)]
pub enum ProviderKind {
    Anthropic {
        base_url: Address,
        api_key: SecretString,
    },
    OpenAi {
        /// With its version, as in `/v1`.
        base_url: Address,
        /// None for a server that asks for none.
        api_key: Option<SecretString>,
    },
    /// Answers from a script.
    Scripted {
        file: PathBuf,
        delay_ms: u64,
    },
    /// Answers from what was recorded.
    Replay {
        file: PathBuf,
    },
}

impl ProviderKind {
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Anthropic { .. } => "anthropic",
            Self::OpenAi { .. } => "openai",
            Self::Scripted { .. } => "scripted",
            Self::Replay { .. } => "replay",
        }
    }
}

/// How hard models may be pressed, and how long they may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelLimits {
    /// Calls of one workspace under way at once.
    pub at_once: usize,
    /// Calls of one workspace in any minute.
    pub per_minute: u32,
    /// Attempts at one question, over all models of its chain.
    pub attempts: u32,
    pub first_byte_ms: u64,
    pub between_ms: u64,
    pub total_ms: u64,
}

/// One of the business's own systems.
#[derive(Clone, Debug)]
pub struct System {
    pub id: String,
    pub base_url: Address,
    pub headers: Vec<NamedSecret>,
    /// Whether it may be on the business's own network, and speak http there.
    pub allow_private: bool,
}

#[derive(Clone, Debug)]
pub struct McpServer {
    pub id: String,
    pub transport: McpTransport,
}

#[derive(Clone, Debug)]
pub enum McpTransport {
    Http {
        url: Address,
        headers: Vec<NamedSecret>,
    },
    Process {
        command: String,
        args: Vec<String>,
        /// All the environment that the process gets.
        env: Vec<NamedSecret>,
    },
}

/// A header, or a variable of a process.
#[derive(Clone, Debug)]
pub struct NamedSecret {
    pub name: String,
    pub value: SecretString,
}

#[derive(Clone, Debug)]
pub struct ChannelConfig {
    pub channel: Channel,
    /// The channel holds the workspace's id; its name is only here.
    pub workspace: Workspace,
    /// How fast it sends.
    pub pace: Pace,
    pub kind: ChannelSettings,
}

#[derive(Clone, Debug)]
pub enum ChannelSettings {
    Webchat,
    Infobip(InfobipSettings),
    WhatsappCloud(CloudSettings),
}

#[derive(Clone, Debug)]
pub struct CloudSettings {
    pub phone_number_id: String,
    pub access_token: SecretString,
    /// The app's secret, then the one it takes the place of, if there is one.
    pub app_secrets: Vec<SecretString>,
    pub verify_token: SecretString,
    /// Without a slash at its end.
    pub api_base: String,
    pub api_version: String,
    /// Where files may be fetched from, beside `api_base`.
    pub media_hosts: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct InfobipSettings {
    /// Without a slash at its end.
    pub api_base: String,
    pub api_key: SecretString,
    pub sender: String,
    pub auth: WebhookAuth,
    /// Where files may be fetched from, beside `api_base`.
    pub media_hosts: Vec<String>,
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
