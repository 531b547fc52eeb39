//! The public retail benchmark (tau-bench) replayed on our own tools: with no model, and with one
//! that emits the recorded calls while the process is killed.

mod documents;
mod hall;
mod journal;
mod memory;
mod node;
mod normal;
mod oracle;
mod ordeal;
mod random;
mod report;
mod retail;
mod script;
mod settle;
mod side;
mod task;
mod world;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use crate::database::{Database, Kind};
use crate::machine;
pub(crate) use node::Node;
use report::Report;
use task::Task;
use world::World;

/// Where the records are kept while tasks are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Keeper {
    Memory,
    Sqlite,
    Postgres,
}

#[derive(Args)]
pub(crate) struct Tau {
    /// The benchmark's folder: db.json, replay_*.jsonl, fuzz_*.jsonl
    #[arg(long, value_name = "DIR", default_value = "../shared/data/tau_retail")]
    data: PathBuf,

    /// Only here [default: memory, SQLite and, if there is one, PostgreSQL]
    #[arg(long)]
    store: Option<Keeper>,

    /// Then with a model, killing the engine so often; not in memory
    #[arg(long, value_name = "N")]
    kills: Option<u32>,

    /// When and where it is killed
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Write the figures to this file as well
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// The superuser's address of a private PostgreSQL
    #[arg(long, env = "RECADO_TEST_POSTGRES", value_name = "URL", hide_env_values = true)]
    postgres: Option<String>,
}

pub(crate) async fn run(asked: &Tau) -> Result<()> {
    let world = World::read(&asked.data)?;
    let tasks = task::read_all(&asked.data)?;
    println!("{}", machine::describe());
    let mut reports = Vec::new();
    for keeper in asked.keepers() {
        asked.replay(keeper, &world, &tasks, &mut reports).await?;
    }
    if let Some(path) = &asked.json {
        std::fs::write(path, serde_json::to_string_pretty(&reports)?)?;
    }
    let wrong: usize = reports.iter().map(|report| report.tally.wrong.len()).sum();
    if wrong > 0 {
        bail!("{wrong} differences from the record");
    }
    Ok(())
}

impl Tau {
    fn keepers(&self) -> Vec<Keeper> {
        let all = [Keeper::Memory, Keeper::Sqlite, Keeper::Postgres].into_iter();
        let wanted = |keeper: &Keeper| match self.store {
            Some(only) => only == *keeper,
            None => *keeper != Keeper::Postgres || self.postgres.is_some(),
        };
        all.filter(wanted).collect()
    }

    async fn replay(
        &self,
        keeper: Keeper,
        world: &World,
        tasks: &[Task],
        reports: &mut Vec<Report>,
    ) -> Result<()> {
        let mut add = |report: Report| {
            report.print();
            reports.push(report);
        };
        let kind = match keeper {
            Keeper::Memory => {
                add(memory::replay(world, tasks).await?);
                return Ok(());
            }
            Keeper::Sqlite => Kind::Sqlite,
            Keeper::Postgres => Kind::Postgres,
        };
        let server = self.postgres.as_deref();
        let database = Database::fresh(kind, server).await?;
        add(journal::replay(kind.name(), &database, world, tasks).await?);
        if let Some(kills) = self.kills {
            let database = Database::fresh(kind, server).await?;
            let run = format!("{} with a model", kind.name());
            let plan = ordeal::Plan { kills, seed: self.seed };
            add(ordeal::run(&run, &database, world, tasks, plan).await?);
        }
        Ok(())
    }
}
