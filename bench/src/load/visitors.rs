//! How much strangers in a web chat get done who are somebody new with every message.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::courier::status;
use super::site::{Channel, Kind, Site};
use crate::database::{Database, Place, connect};
use crate::http::Wire;
use crate::measure::Measures;
use crate::plan::Plan;
use crate::rig::{CHANNEL, WORKSPACE};
use crate::stopwatch::Stopwatch;
use crate::subject::Subject;

const WRITERS: usize = 16;
/// Three kilobytes each.
const LETTERS: usize = 3_000;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let agent = Subject::Registro.name();
    let channel = Channel::new(Kind::Webchat, CHANNEL, WORKSPACE, agent);
    let site = Site::open(plan.empty_database().await?, "", &[channel]).await?;
    let node = site.node().await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let (rss, bytes) = (node.rss_mib(), bytes(&site.database).await?);
    let (watch, seconds) = (Stopwatch::start(), plan.pick(25.0, 5.0));
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let wire = Wire::new(TcpStream::connect(node.address).await?)?;
        writers.spawn(write(wire, watch, seconds));
    }
    let (mut taken, mut refused) = (0, 0);
    while let Some(one) = writers.join_next().await {
        let (more_taken, more_refused) = one??;
        taken += more_taken;
        refused += more_refused;
    }
    measures.add("load.visitors.taken", f64::from(taken));
    measures.add("load.visitors.refused", f64::from(refused));
    let grown = self::bytes(&site.database).await? - bytes;
    measures.add("load.visitors.stored", grown / 1024.0 / 1024.0);
    measures.add("load.visitors.before", rss);
    measures.add("load.visitors.after", node.rss_mib());
    Ok(())
}

/// How many messages of theirs were taken, and how many had to wait.
async fn write(mut wire: Wire, watch: Stopwatch, seconds: f64) -> Result<(u32, u32)> {
    let message = json!({ "id": "00000000", "text": "x".repeat(LETTERS) }).to_string();
    let (mut taken, mut refused) = (0, 0);
    while watch.seconds() < seconds {
        let token = become_somebody(&mut wire, CHANNEL).await?;
        wire.send(&post(CHANNEL, "messages", &format!("recado-visitor: {token}\r\n"), &message))
            .await?;
        match wire.receive(|line, _| status(line)).await?.context("the node hung up")? {
            202 => taken += 1,
            429 | 503 => refused += 1,
            other => bail!("a visitor was answered {other}"),
        }
    }
    Ok((taken, refused))
}

/// The token of a new visitor of a channel.
pub(crate) async fn become_somebody(wire: &mut Wire, channel: &str) -> Result<String> {
    let visit = json!({ "fresh": true, "carry": "header" }).to_string();
    wire.send(&post(channel, "visitor", "", &visit)).await?;
    let answer = wire.receive(|_, body| serde_json::from_slice::<Value>(body)).await?;
    let answer = answer.context("the node hung up")??;
    let token = answer["visitor"].as_str().with_context(|| format!("no token: {answer}"))?;
    Ok(token.to_owned())
}

pub(crate) fn post(channel: &str, what: &str, header: &str, body: &str) -> Vec<u8> {
    format!(
        "POST /chat/{channel}/{what} HTTP/1.1\r\nhost: bench\r\n{header}\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// The room that the database takes on the disk.
async fn bytes(database: &Database) -> Result<f64> {
    match &database.place {
        Place::Sqlite { path } => {
            let log = path.with_extension("db-wal");
            let length = |path| std::fs::metadata(path).map_or(0, |data| data.len());
            Ok((length(path) + length(&log)) as f64)
        }
        Place::Postgres { superuser, .. } => {
            let client = connect(superuser).await?;
            let size = "SELECT pg_database_size(current_database())";
            Ok(client.query_one(size, &[]).await?.get::<_, i64>(0) as f64)
        }
    }
}
