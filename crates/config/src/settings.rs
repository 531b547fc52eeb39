//! A configuration once read: plain data, in which secrets do not print.

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
    /// The address at which the world reaches this node, without a slash at its end.
    pub public_url: Option<String>,
    /// Proxies whose word about the caller's address is believed.
    pub trusted_proxies: Vec<Network>,
    /// Connections at once, if there are descriptors for them.
    pub connections: usize,
    /// Limits on strangers in web chats; `None` for no limits.
    pub webchat_limits: Option<VisitLimits>,
    pub log: LogFormat,
    pub notify: Option<Notify>,
    /// The providers of language models, in the order in which a model's name is looked up.
    pub providers: Vec<Provider>,
    pub model_limits: ModelLimits,
    /// The most that models may cost one workspace in 24 hours.
    pub workspace_day: Option<Cost>,
    /// The share of that sum kept for contacts the business knows.
    pub known_contacts_percent: i64,
    /// Prices of models, laid over the built-in ones.
    pub prices: Option<PathBuf>,
    /// The systems that the packs' HTTP tools call.
    pub systems: Vec<System>,
    pub mcp: Vec<McpServer>,
    /// Hosts that may be private, or be called without TLS.
    pub egress: Vec<String>,
    /// The folder for files that customers sent.
    pub media: PathBuf,
    pub channels: Vec<ChannelConfig>,
    /// The file this was read from; `None` if everything is default or environment.
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

/// The address to which the demo agent's `avisar` tool posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notify {
    pub url: Address,
    /// Whether that address honours an `Idempotency-Key` header.
    pub idempotent: bool,
}

/// A provider of language models.
#[derive(Clone, Debug)]
pub struct Provider {
    pub id: String,
    pub kind: ProviderKind,
    /// The models served; if empty, those whose names are of the provider's kind.
    pub models: Vec<String>,
    /// The file to which every exchange is appended.
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
        /// `None` for a server that needs no key.
        api_key: Option<SecretString>,
    },
    /// Answers from a script.
    Scripted {
        file: PathBuf,
        delay_ms: u64,
    },
    /// Answers from a recording.
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

/// The limits on calls to models.
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

/// A system of the business's own.
#[derive(Clone, Debug)]
pub struct System {
    pub id: String,
    pub base_url: Address,
    pub headers: Vec<NamedSecret>,
    /// Whether the system may be on the business's own network, and speak http there.
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
    /// The workspace; the channel holds its id, and only this its name.
    pub workspace: Workspace,
    /// How fast the channel sends.
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
    /// The app's secret, then the previous secret if there is one.
    pub app_secrets: Vec<SecretString>,
    pub verify_token: SecretString,
    /// Without a slash at its end.
    pub api_base: String,
    pub api_version: String,
    /// Hosts from which files may be fetched, beside `api_base`.
    pub media_hosts: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct InfobipSettings {
    /// Without a slash at its end.
    pub api_base: String,
    pub api_key: SecretString,
    pub sender: String,
    pub auth: WebhookAuth,
    /// Hosts from which files may be fetched, beside `api_base`.
    pub media_hosts: Vec<String>,
}

/// The proof of origin that a webhook must give.
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
