//! Measures Recado: each workload in a process of its own, then one table of all.

mod args;
mod database;
mod expectations;
mod fill;
mod form;
mod idle;
mod limits;
mod machine;
mod measure;
mod model;
mod node;
mod pipeline;
mod plan;
mod process;
mod rig;
mod spread;
mod stopwatch;
mod table;
mod tally;
mod timers;
mod turns;

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Parser;
use tokio::runtime::{Builder, Runtime};

use crate::args::{Args, Workload};
use crate::database::Kind;
use crate::measure::{Measure, Measures};
use crate::plan::Plan;

// The allocator of the binary that is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<()> {
    let args = Args::parse();
    match args.part {
        Some(part) => measure_here(part, &args),
        None => measure_all(&args),
    }
}

/// One workload, in this process: its memory is then that workload's alone.
fn measure_here(part: Workload, args: &Args) -> Result<()> {
    let plan = Plan {
        store: args.store.unwrap_or(Kind::Sqlite),
        quick: args.quick,
        stored: args.stored.first().copied().unwrap_or(0),
        nodes: args.nodes.first().copied().unwrap_or(1),
        server: args.postgres.clone(),
    };
    let mut measures = Measures::new(Some(plan.store), plan.stored, plan.nodes);
    runtime(part)?.block_on(async {
        match part {
            Workload::W1 => turns::run(&plan, &mut measures).await,
            Workload::W2 => pipeline::run(&plan, &mut measures).await,
            Workload::W3 => timers::run(&plan, &mut measures).await,
            Workload::W4 => model::run(&plan, &mut measures).await,
            Workload::Idle => idle::run(&plan, &mut measures).await,
            Workload::Limits => limits::run(&plan, &mut measures).await,
        }
    })?;
    measures.print()
}

/// The engine gets the runtime it has in the binary. Generator and sink get one thread, so as to
/// leave the cores to the node they measure.
fn runtime(part: Workload) -> Result<Runtime> {
    let mut builder = match part {
        Workload::W2 | Workload::Idle => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    builder.enable_all().build().context("cannot start a runtime")
}

fn measure_all(args: &Args) -> Result<()> {
    let stores = match args.store {
        Some(store) => vec![store],
        None if args.postgres.is_none() => {
            bail!("no PostgreSQL: run `make bench`, or --store sqlite")
        }
        None => vec![Kind::Sqlite, Kind::Postgres],
    };
    let machine = machine::describe();
    let mut all = Vec::new();
    for part in Workload::ALL {
        let wanted = args.only.is_empty() || args.only.contains(&part) || part == Workload::Limits;
        for store in stores.iter().filter(|_| wanted) {
            for (stored, nodes) in conditions(part, *store, args) {
                eprintln!("{} on {}, {stored} stored, {nodes} nodes", part.name(), store.name());
                all.extend(measure_apart(part, *store, stored, nodes, args)?);
            }
        }
    }
    if let Some(path) = &args.json {
        let figures =
            serde_json::json!({ "machine": machine, "quick": args.quick, "figures": all });
        std::fs::write(path, serde_json::to_string_pretty(&figures)?)?;
    }
    print!("{}", table::render(&machine, args.quick, &all));
    Ok(())
}

/// Under which numbers of stored conversations and nodes a workload is run.
fn conditions(part: Workload, store: Kind, args: &Args) -> Vec<(u64, u32)> {
    let mut conditions = Vec::new();
    match part {
        Workload::W1 | Workload::Idle => conditions.extend(args.stored.iter().map(|n| (*n, 1))),
        Workload::W2 => {
            conditions.extend(args.stored.iter().map(|n| (*n, 1)));
            let several = args.nodes.iter().filter(|nodes| **nodes > 1 && store == Kind::Postgres);
            conditions.extend(several.map(|nodes| (0, *nodes)));
        }
        Workload::W3 | Workload::W4 | Workload::Limits => conditions.push((0, 1)),
    }
    conditions
}

fn measure_apart(
    part: Workload,
    store: Kind,
    stored: u64,
    nodes: u32,
    args: &Args,
) -> Result<Vec<Measure>> {
    let store_name = match store {
        Kind::Sqlite => "sqlite",
        Kind::Postgres => "postgres",
    };
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--part", part.name(), "--store", store_name]);
    command.args(["--stored", &stored.to_string(), "--nodes", &nodes.to_string()]);
    if args.quick {
        command.arg("--quick");
    }
    if let Some(url) = &args.postgres {
        command.args(["--postgres", url]);
    }
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("{} on {} failed", part.name(), store.name());
    }
    serde_json::from_slice(&output.stdout).context("figures that cannot be read")
}
