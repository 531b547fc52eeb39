//! The tools of any MCP server, over HTTP or of a process of our own.

mod connection;
mod keeper;
mod tool;

use rmcp::RoleClient;
use rmcp::service::Peer;
use secrecy::SecretString;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::egress::Egress;
use crate::{Offered, Source};

pub use connection::McpError;

pub struct McpServer {
    /// The beginning of its tools' names.
    pub id: String,
    pub transport: McpTransport,
}

pub enum McpTransport {
    Http {
        url: String,
        headers: Vec<(String, SecretString)>,
        egress: Egress,
    },
    Process {
        command: String,
        args: Vec<String>,
        /// All that the process gets of an environment: ours has secrets in it.
        env: Vec<(String, SecretString)>,
    },
}

/// The connection that was made last.
type Link = Option<Peer<RoleClient>>;

fn live(link: &Link) -> bool {
    link.as_ref().is_some_and(|peer| !peer.is_transport_closed())
}

/// The tools that a server offered last.
#[derive(Default)]
struct Offer {
    tools: Vec<Offered>,
    /// How often it was tried to reach the server.
    attempts: u64,
}

/// A server and the connection that is kept to it until this is dropped.
pub struct Mcp {
    id: String,
    link: watch::Receiver<Link>,
    offer: watch::Receiver<Offer>,
    keeper: JoinHandle<()>,
}

impl Mcp {
    /// Returns after the first attempt. A server that is away is tried again until it is there, and
    /// then its tools appear.
    pub async fn connect(server: McpServer) -> Self {
        let id = server.id.clone();
        let (link_sender, link) = watch::channel(None);
        let (offer_sender, mut offer) = watch::channel(Offer::default());
        let keeper = tokio::spawn(keeper::keep(server, link_sender, offer_sender));
        // An error says that the keeper is gone, and nothing will come.
        let _ = offer.wait_for(|offer| offer.attempts > 0).await;
        Self { id, link, offer, keeper }
    }

    /// Returns when the server is reached.
    pub async fn ready(&self) {
        let _ = self.link.clone().wait_for(live).await;
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

impl Source for Mcp {
    fn id(&self) -> &str {
        &self.id
    }

    fn tools(&self) -> Vec<Offered> {
        self.offer.borrow().tools.clone()
    }
}
