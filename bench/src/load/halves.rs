//! Whether a node that may have few descriptors is there while strangers hold half requests open.

use std::time::Duration;

use anyhow::Result;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::crowd::number;
use super::meta::Signer;
use super::site::{Channel, Kind, Site};
use crate::http::Wire;
use crate::measure::Measures;
use crate::node::Node;
use crate::plan::Plan;
use crate::process;
use crate::rig::{CHANNEL, WORKSPACE};
use crate::spread::Spread;
use crate::stopwatch::Stopwatch;
use crate::subject::Subject;

const DESCRIPTORS: u32 = 1_024;
const STRANGERS: usize = 1_010;
const LOOKS: usize = 50;
/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    process::raise_descriptors();
    let agent = Subject::Registro.name();
    let channel = Channel::new(Kind::WhatsappCloud, CHANNEL, WORKSPACE, agent);
    let site = Site::open(plan.empty_database().await?, "", &[channel]).await?;
    let node = Node::serve(&site.config, Some(DESCRIPTORS)).await?;
    let mut halves = Vec::new();
    for _ in 0..STRANGERS {
        let mut half = TcpStream::connect(node.address).await?;
        half.write_all(b"POST /webhooks/inf").await?;
        halves.push(half);
    }
    let (looks, missed) = look(&node, "/healthz").await;
    measures.add("load.halves.health_p50", looks.p50());
    measures.add("load.halves.health_p99", looks.p99());
    measures.add("load.halves.health_missed", f64::from(missed));
    let taken = is_taken(&node, &Signer::new()?.message(&number(1, 0))).await;
    measures.add("load.halves.webhook", f64::from(u8::from(taken)));
    measures.add("load.halves.descriptors", process::descriptors(node.pid()) as f64);
    drop(halves);
    Ok(())
}

/// How long the node takes to give out what lies there, each time on a connection of its own; and how often
/// it did not.
pub(super) async fn look(node: &Node, path: &str) -> (Spread, u32) {
    let request = format!("GET {path} HTTP/1.1\r\nhost: bench\r\nconnection: close\r\n\r\n");
    let (mut looks_ms, mut missed) = (Vec::new(), 0);
    for _ in 0..LOOKS {
        let watch = Stopwatch::start();
        if is_taken(node, request.as_bytes()).await {
            looks_ms.push(watch.ms());
        } else {
            missed += 1;
        }
    }
    (Spread::of(looks_ms), missed)
}

/// Whether the node answers 200, in time and on a connection of its own.
pub(super) async fn is_taken(node: &Node, request: &[u8]) -> bool {
    let answer = async {
        let mut wire = Wire::new(TcpStream::connect(node.address).await?)?;
        wire.send(request).await?;
        wire.receive(|line, _| line.starts_with(b"HTTP/1.1 200")).await
    };
    matches!(tokio::time::timeout(PATIENCE, answer).await, Ok(Ok(Some(true))))
}
