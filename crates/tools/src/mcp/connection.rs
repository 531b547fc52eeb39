//! Reaches an MCP server and reads what it offers.

use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{ClientConfig, Implementation, Tool};
use rmcp::service::{RunningService, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{RoleClient, ServiceExt};
use secrecy::{ExposeSecret, SecretString};
use thiserror::Error;
use tokio::process::Command;
use tokio::time::timeout;

use super::{McpServer, McpTransport};
use crate::Egress;
use crate::egress::Blocked;
use crate::http::{DeclarationError, header};

/// How long reaching a server may take, its list of tools included.
const CONNECT: Duration = Duration::from_secs(10);
/// No event of an answer is longer; a longer one would not be kept anyway.
const EVENT_BYTES: usize = 1024 * 1024;

#[derive(Debug, Error)]
pub enum McpError {
    #[error("the address is not called: {0}")]
    Blocked(#[from] Blocked),
    #[error(transparent)]
    Header(#[from] DeclarationError),
    #[error("the process cannot be started: {0}")]
    Process(#[from] std::io::Error),
    #[error("it cannot be reached: {0}")]
    Connect(String),
    #[error("it does not list its tools: {0}")]
    List(#[from] ServiceError),
    #[error("no answer within {CONNECT:?}")]
    TimedOut,
}

pub(super) type Running = RunningService<RoleClient, ClientConfig>;

pub(super) async fn connect(server: &McpServer) -> Result<(Running, Vec<Tool>), McpError> {
    let reaching = async {
        let running = reach(&server.transport).await?;
        let tools = running.list_all_tools().await?;
        Ok((running, tools))
    };
    timeout(CONNECT, reaching).await.unwrap_or(Err(McpError::TimedOut))
}

async fn reach(transport: &McpTransport) -> Result<Running, McpError> {
    let mut us = ClientConfig::default();
    us.client_info = Implementation::new("recado", env!("CARGO_PKG_VERSION"));
    let reached = match transport {
        McpTransport::Http { url, headers, egress } => us.serve(http(url, headers, egress)?).await,
        McpTransport::Process { command, args, env } => {
            us.serve(TokioChildProcess::new(process(command, args, env))?).await
        }
    };
    reached.map_err(|error| McpError::Connect(error.to_string()))
}

/// A redirect is an error here: requests carry the server's credentials and its session.
fn http(
    url: &str,
    headers: &[(String, SecretString)],
    egress: &Egress,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, McpError> {
    let url = egress.check(url)?;
    let headers = headers.iter().map(|(name, value)| header(name, value));
    let headers = headers.collect::<Result<Vec<(HeaderName, HeaderValue)>, _>>()?;
    let settings = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .max_sse_event_size(EVENT_BYTES)
        .custom_headers(headers.into_iter().collect());
    Ok(StreamableHttpClientTransport::with_client(egress.for_checked(), settings))
}

fn process(command: &str, args: &[String], env: &[(String, SecretString)]) -> Command {
    let mut starting = Command::new(command);
    starting.args(args).env_clear().kill_on_drop(true);
    starting.envs(env.iter().map(|(name, value)| (name, value.expose_secret())));
    starting
}
