//! A node's memory while bodies come that are meant for nobody.

use std::time::Duration;

use anyhow::Result;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::site::{Channel, Kind, Site};
use crate::measure::Measures;
use crate::node::Node;
use crate::plan::Plan;
use crate::rig::{CHANNEL, WORKSPACE};
use crate::subject::Subject;

const STRANGERS: usize = 150;
const BYTES: usize = 4 * 1024 * 1024;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let agent = Subject::Registro.name();
    let channel = Channel::new(Kind::Infobip, CHANNEL, WORKSPACE, agent);
    let site = Site::open(plan.empty_database().await?, "", &[channel]).await?;
    let node = site.node().await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    measures.add("load.bodies.before", node.rss_mib());
    let mut strangers = JoinSet::new();
    for _ in 0..STRANGERS {
        let mut stream = TcpStream::connect(node.address).await?;
        strangers.spawn(async move {
            let head = format!(
                "POST /webhooks/infobip/nadie HTTP/1.1\r\nhost: h\r\ncontent-length: {BYTES}\r\n\r\n"
            );
            // The answer may come, and the line be cut, before all is sent.
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(&vec![b' '; BYTES]).await;
            let _ = stream.read_to_end(&mut Vec::new()).await;
        });
    }
    measures.add("load.bodies.peak", peak(&node, strangers).await);
    tokio::time::sleep(Duration::from_secs(10)).await;
    measures.add("load.bodies.after", node.rss_mib());
    Ok(())
}

/// The most the node has resident until all of them are gone.
async fn peak(node: &Node, mut strangers: JoinSet<()>) -> f64 {
    let mut most = node.rss_mib();
    loop {
        let next = tokio::time::timeout(Duration::from_millis(20), strangers.join_next()).await;
        most = most.max(node.rss_mib());
        if next.is_ok_and(|gone| gone.is_none()) {
            return most;
        }
    }
}
