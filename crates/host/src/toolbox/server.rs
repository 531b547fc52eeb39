//! An MCP server that is reached in the background, and the tools of it that a pack uses.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use config::NamedSecret;
use secrecy::SecretString;
use serde_json::json;
use tokio::task::JoinHandle;
use tools::egress::SystemLookup;
use tools::mcp::{Mcp, McpServer, McpTransport};
use tools::{Class, Egress, Offered, Source, Spec, Vouched};

use super::allowed;
use crate::HostError;

pub(super) struct Server {
    id: String,
    /// Empty until the first attempt to reach it has ended.
    reached: Arc<OnceLock<Mcp>>,
    reaching: JoinHandle<()>,
}

impl Server {
    pub(super) fn reach(
        settings: &config::McpServer,
        egress: &[String],
    ) -> Result<Self, HostError> {
        let id = settings.id.clone();
        let server = McpServer { id: id.clone(), transport: transport(settings, egress)? };
        let reached = Arc::new(OnceLock::new());
        let filled = Arc::clone(&reached);
        let reaching = tokio::spawn(async move {
            // Nobody else fills it.
            let _ = filled.set(Mcp::connect(server).await);
        });
        Ok(Self { id, reached, reaching })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.reaching.abort();
    }
}

fn transport(settings: &config::McpServer, egress: &[String]) -> Result<McpTransport, HostError> {
    Ok(match &settings.transport {
        config::McpTransport::Http { url, headers } => McpTransport::Http {
            url: url.to_string(),
            headers: pairs(headers),
            egress: Egress::client(allowed(url, egress), Arc::new(SystemLookup))?,
        },
        config::McpTransport::Process { command, args, env } => {
            McpTransport::Process { command: command.clone(), args: args.clone(), env: pairs(env) }
        }
    })
}

fn pairs(named: &[NamedSecret]) -> Vec<(String, SecretString)> {
    named.iter().map(|one| (one.name.clone(), one.value.clone())).collect()
}

/// The tools of a server that a pack uses; the others are not offered to it.
pub(super) struct Chosen {
    pub(super) server: Arc<Server>,
    /// With the server's id before them, and what the pack answers for.
    pub(super) names: BTreeMap<String, Vouched>,
}

impl Source for Chosen {
    fn id(&self) -> &str {
        &self.server.id
    }

    fn tools(&self) -> Vec<Offered> {
        let all = self.server.reached.get().map(Source::tools).unwrap_or_default();
        let chosen = all.into_iter().filter_map(|mut offered| {
            offered.vouch(*self.names.get(&offered.spec().name)?);
            Some(offered)
        });
        chosen.collect()
    }
}

/// A tool of a server that is not reached: nobody knows its inputs.
pub(super) fn spec(name: String) -> Spec {
    Spec {
        name,
        description: String::new(),
        input: json!({ "type": "object" }),
        class: Class::Execute,
        timeout: Duration::from_secs(10),
        limit: None,
        needs_yes: false,
        engine_given: &[],
    }
}
