//! Keeps a server reached: connects, lists its tools, and begins again when the connection ends.

use std::sync::Arc;
use std::time::Duration;

use domain::Backoff;
use rmcp::model::Tool as Listed;
use tokio::sync::watch;
use tracing::warn;

use super::tool::McpTool;
use super::{Link, McpServer, Offer, connection};
use crate::{Offered, Tool};

const BACKOFF: Backoff = Backoff { base_ms: 500, max_ms: 30_000 };
/// More tools than these no model can choose among.
const TOOLS: usize = 200;

/// Ends when nobody looks any more.
pub(super) async fn keep(
    server: McpServer,
    link: watch::Sender<Link>,
    offer: watch::Sender<Offer>,
) {
    let mut failed = 0;
    while !offer.is_closed() {
        match connection::connect(&server).await {
            Ok((running, listed)) => {
                let tools = offered(&server.id, listed, &link);
                offer.send_modify(|offer| {
                    offer.tools = tools;
                    offer.attempts += 1;
                });
                link.send_replace(Some(running.peer().clone()));
                failed = 0;
                // However it ended, it is reached anew.
                let _ = running.waiting().await;
                warn!(server = server.id, "the connection to an MCP server ended");
            }
            Err(error) => {
                warn!(server = server.id, %error, "an MCP server is away");
                offer.send_modify(|offer| offer.attempts += 1);
                failed += 1;
            }
        }
        // Also after a connection that ended: a server that dies at once is not started at once.
        let wait = BACKOFF.delay_ms(failed.max(1));
        tokio::time::sleep(Duration::from_millis(wait.unsigned_abs())).await;
    }
}

/// Leaves out, with a warning, what cannot be offered.
fn offered(id: &str, listed: Vec<Listed>, link: &watch::Sender<Link>) -> Vec<Offered> {
    let offer = |listed: Listed| {
        let tool = McpTool::new(id, listed, link.subscribe());
        Offered::new(Tool::Outside(Arc::new(tool)))
            .inspect_err(|error| warn!(server = id, %error, "a tool is left out"))
            .ok()
    };
    listed.into_iter().take(TOOLS).filter_map(offer).collect()
}
