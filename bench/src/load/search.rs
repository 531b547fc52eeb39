//! How long operators wait for a search among many conversations, and customers meanwhile.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use domain::ChannelKind;
use tokio::net::TcpStream;

use super::courier::{Pace, deliver, status};
use super::crowd::Crowd;
use super::oracle::LINE;
use super::site::{Channel, Kind, Site};
use crate::fill;
use crate::http::Wire;
use crate::measure::Measures;
use crate::node::Node;
use crate::plan::Plan;
use crate::rig::{self, CHANNEL, WORKSPACE};
use crate::spread::Spread;
use crate::stopwatch::Stopwatch;
use crate::subject::Subject;

const SEARCHES: u32 = 200;
/// Searches and messages a second.
const LOOKS: f64 = 20.0;
const RATE: f64 = 50.0;
/// By then enough is known of a node that is this slow.
const PATIENCE_S: f64 = 60.0;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let agent = Subject::Registro.name();
    let database = plan.empty_database().await?;
    rig::prepare(&database, ChannelKind::Infobip, agent).await?;
    fill::conversations(&database, plan.pick(100_000, 5_000)).await?;
    let channel = Channel::new(Kind::Infobip, CHANNEL, WORKSPACE, agent);
    let site = Site::open(database, "", &[channel]).await?;
    let node = site.node().await?;
    let key = site.key("viewer")?;
    let crowd = Crowd { channel: CHANNEL, series: 1, text: LINE, book: Arc::clone(&site.book) };
    let seconds = f64::from(SEARCHES) / LOOKS;
    let pace = Pace { count: (RATE * seconds) as u32, rate: RATE, connections: 16 };
    let addresses = [node.address];
    let (looks, delivered) =
        tokio::join!(searches(&node, &key), deliver(&addresses, pace, Arc::new(crowd)));
    let Looked { took_ms, failed } = looks?;
    let (looks, acks) = (Spread::of(took_ms), Spread::of(delivered?.acks_ms));
    measures.add("load.search.p50", looks.p50());
    measures.add("load.search.p99", looks.p99());
    measures.add("load.search.most", looks.quantile(1.0));
    measures.add("load.search.failed", f64::from(failed));
    measures.add("load.search.ack_p99", acks.p99());
    Ok(())
}

#[derive(Default)]
struct Looked {
    took_ms: Vec<f64>,
    /// Not answered 200.
    failed: u32,
}

async fn searches(node: &Node, key: &str) -> Result<Looked> {
    let mut wire = Wire::new(TcpStream::connect(node.address).await?)?;
    let (watch, mut looked, mut most_ms) = (Stopwatch::start(), Looked::default(), 0.0);
    for search in (0..SEARCHES).take_while(|_| watch.seconds() < PATIENCE_S) {
        let due = Duration::from_secs_f64(f64::from(search) / LOOKS);
        tokio::time::sleep(due.saturating_sub(watch.elapsed())).await;
        let one = Stopwatch::start();
        let request = format!(
            "GET /api/v1/conversations?q={} HTTP/1.1\r\nhost: bench\r\n\
             authorization: Bearer {key}\r\n\r\n",
            wanted(search)
        );
        wire.send(request.as_bytes()).await?;
        let answer = wire.receive(|line, _| status(line)).await?.context("the node hung up")?;
        looked.failed += u32::from(answer != 200);
        let took_ms = one.ms();
        looked.took_ms.push(took_ms);
        if took_ms > most_ms {
            most_ms = took_ms;
            eprintln!("    slowest so far: q={} in {took_ms:.0} ms ({answer})", wanted(search));
        }
    }
    Ok(looked)
}

/// How names and numbers begin, from what all have to what few have.
fn wanted(search: u32) -> String {
    match search % 5 {
        0 => format!("cliente%20{}", search / 5),
        1 => format!("5799{}", search / 5),
        2 => format!("cli%20{}", 1_000 + search),
        3 => format!("99{}", 100 + search),
        _ => ["c", "cl", "cli", "clien", "57", "579", "5799"][search as usize / 5 % 7].to_owned(),
    }
}
