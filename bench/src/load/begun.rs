//! Whether a node is there while strangers hold every connection with a request whose body does not come.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Result;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::crowd::number;
use super::halves::{is_taken, look};
use super::meta::Signer;
use super::site::{Channel, Kind, Site};
use crate::measure::Measures;
use crate::plan::Plan;
use crate::process;
use crate::rig::{CHANNEL, WORKSPACE};
use crate::subject::Subject;

const PAGE: &str = "pagina";
/// As many as a node takes in.
const STRANGERS: usize = 10_000;
/// The strangers hang up and come again, because no body is waited for longer than some seconds.
const EVERY: Duration = Duration::from_millis(50);
const EACH_TIME: usize = 100;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    process::raise_descriptors();
    let agent = Subject::Registro.name();
    let channels = [(Kind::WhatsappCloud, CHANNEL), (Kind::Webchat, PAGE)]
        .map(|(kind, id)| Channel::new(kind, id, WORKSPACE, agent));
    let site = Site::open(plan.empty_database().await?, "", &channels).await?;
    let node = site.node().await?;
    let mut crowd = VecDeque::new();
    for _ in 0..STRANGERS {
        crowd.push_back(begin(node.address).await?);
    }
    let crowd = Crowd(tokio::spawn(come_again(node.address, crowd)));
    let page = format!("/chat/{PAGE}");
    for (what, path) in [("health", "/healthz"), ("page", page.as_str())] {
        let (looks, missed) = look(&node, path).await;
        measures.add(format!("load.begun.{what}_p99"), looks.p99());
        measures.add(format!("load.begun.{what}_missed"), f64::from(missed));
    }
    let taken = is_taken(&node, &Signer::new()?.message(&number(1, 0))).await;
    measures.add("load.begun.webhook", f64::from(u8::from(taken)));
    drop(crowd);
    Ok(())
}

/// The strangers, until this is dropped.
struct Crowd(JoinHandle<Result<()>>);

impl Drop for Crowd {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Two thousand new ones a second, for the oldest.
async fn come_again(address: SocketAddr, mut crowd: VecDeque<TcpStream>) -> Result<()> {
    let mut tick = tokio::time::interval(EVERY);
    loop {
        tick.tick().await;
        for _ in 0..EACH_TIME {
            crowd.pop_front();
            crowd.push_back(begin(address).await?);
        }
    }
}

async fn begin(address: SocketAddr) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    let head =
        format!("POST /chat/{PAGE}/visitor HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\n\r\n");
    // The node may have hung up already: then there is one fewer.
    let _ = stream.write_all(head.as_bytes()).await;
    Ok(stream)
}
