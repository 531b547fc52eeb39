//! The machine's own limits, measured in the same run: syncs and single-row commits.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use rusqlite::Connection;

use crate::database::{Place, connect, folder};
use crate::measure::Measures;
use crate::plan::Plan;
use crate::stopwatch::Stopwatch;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let seconds = plan.pick(3.0, 0.5);
    let database = plan.empty_database().await?;
    match &database.place {
        Place::Sqlite { path } => {
            measures.add("limit.fsync", syncs(seconds)?);
            let connection = Connection::open(path)?;
            connection.execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
                 CREATE TABLE one (id INTEGER PRIMARY KEY, text TEXT)",
            )?;
            let mut insert = connection.prepare("INSERT INTO one (text) VALUES (?1)")?;
            let rate = rate(seconds, || Ok(insert.execute(["una fila"]).map(drop)?))?;
            measures.add("limit.commit.1", rate);
        }
        Place::Postgres { superuser, .. } => {
            let client = connect(superuser).await?;
            client.batch_execute("CREATE TABLE one (id bigserial PRIMARY KEY, text text)").await?;
            for clients in [1, 16] {
                let rate = commits(superuser, clients, seconds).await?;
                measures.add(format!("limit.commit.{clients}"), rate);
            }
        }
    }
    Ok(())
}

fn rate(seconds: f64, mut step: impl FnMut() -> Result<()>) -> Result<f64> {
    let watch = Stopwatch::start();
    let mut steps = 0.0;
    while watch.seconds() < seconds {
        step()?;
        steps += 1.0;
    }
    Ok(steps / watch.seconds())
}

/// Overwrites 4 KiB of a file and syncs it, again and again.
fn syncs(seconds: f64) -> Result<f64> {
    let folder = folder()?;
    let mut file = File::create(folder.path().join("sync"))?;
    file.write_all(&[0; 4096])?;
    file.sync_all()?;
    rate(seconds, || {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&[1; 4096])?;
        Ok(file.sync_data()?)
    })
}

async fn commits(url: &str, clients: u32, seconds: f64) -> Result<f64> {
    let done = Arc::new(AtomicU64::new(0));
    let mut running = tokio::task::JoinSet::new();
    let mut sessions = Vec::new();
    for _ in 0..clients {
        let client = connect(url).await?;
        let insert = client.prepare("INSERT INTO one (text) VALUES ($1)").await?;
        sessions.push((client, insert));
    }
    let watch = Stopwatch::start();
    for (client, insert) in sessions {
        let done = Arc::clone(&done);
        running.spawn(async move {
            while watch.seconds() < seconds {
                client.execute(&insert, &[&"una fila"]).await?;
                done.fetch_add(1, Ordering::Relaxed);
            }
            anyhow::Ok(())
        });
    }
    while let Some(ended) = running.join_next().await {
        ended??;
    }
    Ok(done.load(Ordering::Relaxed) as f64 / watch.seconds())
}
