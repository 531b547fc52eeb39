//! How long a customer waits to begin while a crowd from hundreds of networks begins without end.

use std::net::Ipv4Addr;

use anyhow::{Context, Result, bail};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::Duration;

use super::courier::status;
use super::site::{Channel, Kind, Site};
use super::visitors::{become_somebody, post};
use crate::http::Wire;
use crate::measure::Measures;
use crate::plan::Plan;
use crate::rig::{CHANNEL, WORKSPACE};
use crate::stopwatch::Stopwatch;
use crate::subject::Subject;

const WRITERS: u32 = 8;
/// More than begin at once: those beyond 300 wait.
const NETWORKS: u32 = 400;
const CUSTOMER: Ipv4Addr = Ipv4Addr::new(198, 51, 100, 7);
/// How often the customer's page tries again.
const TRIES: Duration = Duration::from_secs(5);
/// Longer than anybody waits.
const MOST_S: f64 = 600.0;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let agent = Subject::Registro.name();
    let channel = Channel::new(Kind::Webchat, CHANNEL, WORKSPACE, agent);
    // Writers are believed about their addresses, as if a proxy of ours said them.
    let settings = "trusted_proxies: [127.0.0.1]\n";
    let site = Site::open(plan.empty_database().await?, settings, &[channel]).await?;
    let node = site.node().await?;
    let mut crowd = JoinSet::new();
    for first in 0..WRITERS {
        let wire = Wire::new(TcpStream::connect(node.address).await?)?;
        crowd.spawn(flood(wire, first));
    }
    // Until the channel's figure is used up, and most of them began once and wait for their next turn.
    tokio::time::sleep(Duration::from_secs(plan.pick(100, 8))).await;
    let mut wire = Wire::new(TcpStream::connect(node.address).await?)?;
    let token = become_somebody(&mut wire, CHANNEL).await?;
    let watch = Stopwatch::start();
    while !says(&mut wire, CUSTOMER, &token).await? && watch.seconds() < MOST_S {
        tokio::time::sleep(TRIES).await;
    }
    measures.add("load.networks.wait", watch.seconds());
    Ok(())
}

/// Somebody new from one network after the other.
async fn flood(mut wire: Wire, first: u32) -> Result<()> {
    for number in (first..).step_by(WRITERS as usize) {
        let (network, host) = (number % NETWORKS, number / NETWORKS % 250);
        let address = Ipv4Addr::from_bits(0x0a00_0000 + (network << 8) + host);
        let token = become_somebody(&mut wire, CHANNEL).await?;
        says(&mut wire, address, &token).await?;
    }
    Ok(())
}

/// Whether the first message of this visitor is taken.
async fn says(wire: &mut Wire, from: Ipv4Addr, token: &str) -> Result<bool> {
    let message = json!({ "id": "00000000", "text": "hola" }).to_string();
    let header = format!("x-forwarded-for: {from}\r\nrecado-visitor: {token}\r\n");
    wire.send(&post(CHANNEL, "messages", &header, &message)).await?;
    match wire.receive(|line, _| status(line)).await?.context("the node hung up")? {
        202 => Ok(true),
        429 | 503 => Ok(false),
        other => bail!("a visitor was answered {other}"),
    }
}
