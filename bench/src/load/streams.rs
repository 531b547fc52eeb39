//! The cost of visitors who keep a page open and say nothing, while others write.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::courier::{Pace, deliver};
use super::crowd::Crowd;
use super::oracle::LINE;
use super::site::{Channel, Kind, Site};
use super::visitors::become_somebody;
use crate::http::Wire;
use crate::measure::Measures;
use crate::node::Node;
use crate::plan::Plan;
use crate::process;
use crate::rig::{CHANNEL, WORKSPACE};
use crate::spread::Spread;
use crate::subject::Subject;

const ELSEWHERE: &str = "otro";
/// The workspaces whose pages are open: one alone may have half of the node's.
const SHARED: [(&str, &str); 2] = [(CHANNEL, WORKSPACE), ("pagina", "vecino")];
const RATE: f64 = 50.0;
/// A stream looks at the store once in this time although nothing is said.
const FLOW_S: f64 = 30.0;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    process::raise_descriptors();
    let agent = Subject::Registro.name();
    let page = |(id, workspace)| Channel::new(Kind::Webchat, id, workspace, agent);
    let mut channels: Vec<Channel> = SHARED.map(page).into();
    channels.push(Channel::new(Kind::Infobip, ELSEWHERE, WORKSPACE, agent));
    // All of them come from one address, which may have 200 pages open.
    let settings = "webchat_limits: none\n";
    let site = Site::open(plan.empty_database().await?, settings, &channels).await?;
    let node = site.node().await?;
    let mut streams = Vec::new();
    let (mut rss, mut descriptors) = (0.0, 0.0);
    for (series, count) in (1..).zip(plan.pick([0, 1_000, 5_000], [0, 100, 500])) {
        let mut add = |what: &str, value: f64| {
            measures.add(format!("load.streams.{count}.{what}"), value);
        };
        let mut wire = Wire::new(TcpStream::connect(node.address).await?)?;
        while streams.len() < count {
            let (channel, _) = SHARED[streams.len() % SHARED.len()];
            let token = become_somebody(&mut wire, channel).await?;
            streams.push(follow(&node, channel, &token).await?);
        }
        tokio::time::sleep(Duration::from_secs(3)).await;
        if count > 0 {
            add("rss", (node.rss_mib() - rss) * 1000.0 / count as f64);
            add(
                "descriptors",
                (process::descriptors(node.pid()) as f64 - descriptors) / count as f64,
            );
        }
        let seconds = plan.pick(FLOW_S, 3.0);
        let (cpu, acks) = flow(&site, &node, series, seconds).await?;
        add("cpu", cpu / seconds * 10.0);
        add("ack_p99", acks.p99());
        if count == 0 {
            (rss, descriptors) = (node.rss_mib(), process::descriptors(node.pid()) as f64);
        }
    }
    Ok(())
}

/// Messages elsewhere: the processor seconds of the node meanwhile, and how they were taken.
async fn flow(site: &Site, node: &Node, series: u32, seconds: f64) -> Result<(f64, Spread)> {
    let before = node.cpu_seconds();
    let crowd = Crowd { channel: ELSEWHERE, series, text: LINE, book: Arc::clone(&site.book) };
    let pace = Pace { count: (RATE * seconds) as u32, rate: RATE, connections: 16 };
    let delivered = deliver(&[node.address], pace, Arc::new(crowd)).await?;
    ensure!(delivered.refused == 0, "{} messages were refused", delivered.refused);
    Ok((node.cpu_seconds() - before, Spread::of(delivered.acks_ms)))
}

/// Opens a stream and reads its head.
async fn follow(node: &Node, channel: &str, token: &str) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(node.address).await?;
    let request = format!(
        "GET /chat/{channel}/events HTTP/1.1\r\nhost: bench\r\nrecado-visitor: {token}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut head = [0; 12];
    stream.read_exact(&mut head).await?;
    ensure!(head.ends_with(b"200"), "a stream was refused: {}", String::from_utf8_lossy(&head));
    Ok(stream)
}
