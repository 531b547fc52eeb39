//! Delivers letters at a pace over kept-alive connections, and times their acknowledgements.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::http::Wire;
use crate::stopwatch::Stopwatch;

#[derive(Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) count: u32,
    /// So many a second, if acknowledgements come in time; infinite for all at once.
    pub(crate) rate: f64,
    pub(crate) connections: u32,
}

/// Makes a letter when its time has come: a whole request.
pub(crate) trait Mail: Send + Sync {
    fn letter(&self, number: u32) -> Vec<u8>;
}

#[derive(Default)]
pub(crate) struct Delivered {
    /// From when a letter was due, or left if that was earlier, to its acknowledgement.
    pub(crate) acks_ms: Vec<f64>,
    /// Answered 503 or 429: to be sent again later.
    pub(crate) refused: u32,
}

/// Letter `n` goes to node `n` modulo their number, if the connections are a multiple of it.
pub(crate) async fn deliver(
    nodes: &[SocketAddr],
    pace: Pace,
    mail: Arc<dyn Mail>,
) -> Result<Delivered> {
    let mut couriers = JoinSet::new();
    let mut wires = Vec::new();
    for (_, node) in (0..pace.connections).zip(nodes.iter().cycle()) {
        wires.push(Wire::new(TcpStream::connect(node).await?)?);
    }
    let watch = Stopwatch::start();
    for (first, wire) in (0..).zip(wires) {
        couriers.spawn(carry(wire, first, pace, Arc::clone(&mail), watch));
    }
    let mut all = Delivered::default();
    while let Some(one) = couriers.join_next().await {
        let Delivered { acks_ms, refused } = one??;
        all.acks_ms.extend(acks_ms);
        all.refused += refused;
    }
    Ok(all)
}

async fn carry(
    mut wire: Wire,
    first: u32,
    pace: Pace,
    mail: Arc<dyn Mail>,
    watch: Stopwatch,
) -> Result<Delivered> {
    let mut delivered = Delivered::default();
    for number in (first..pace.count).step_by(pace.connections as usize) {
        let due = Duration::from_secs_f64(f64::from(number) / pace.rate);
        let is_late = watch.elapsed() > due;
        tokio::time::sleep(due.saturating_sub(watch.elapsed())).await;
        let letter = mail.letter(number);
        // A letter that had to wait for the one before it has waited for the node.
        let since_ms = if is_late { due.as_secs_f64() * 1000.0 } else { watch.ms() };
        wire.send(&letter).await?;
        match wire.receive(|line, _| status(line)).await? {
            Some(200 | 202) => delivered.acks_ms.push(watch.ms() - since_ms),
            Some(429 | 503) => delivered.refused += 1,
            Some(other) => bail!("a letter was answered {other}"),
            None => bail!("the node closed the connection"),
        }
    }
    Ok(delivered)
}

/// Of an answer's first line; zero if it has none.
pub(crate) fn status(line: &[u8]) -> u16 {
    let code = line.get(9..12).and_then(|code| std::str::from_utf8(code).ok());
    code.and_then(|code| code.parse().ok()).unwrap_or(0)
}
