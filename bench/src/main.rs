//! Measures Recado: each workload in a process of its own, then one table of all.

mod alone;
mod args;
mod database;
mod expectations;
mod fill;
mod form;
mod goods;
mod idle;
mod limits;
mod machine;
mod measure;
mod memory;
mod model;
mod node;
mod pipeline;
mod plan;
mod process;
mod rig;
mod script;
mod spread;
mod stock;
mod stopwatch;
mod table;
mod tally;
mod timers;
mod turns;
mod understand;
mod walks;

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
        ops: args.ops,
        server: args.postgres.clone(),
    };
    let store = part.stores().then_some(plan.store);
    let mut measures = Measures::new(store, plan.stored, plan.nodes);
    runtime(part)?.block_on(async {
        match part {
            Workload::W1 => turns::run(&plan, &mut measures).await,
            Workload::W2 => pipeline::run(&plan, &mut measures).await,
            Workload::W3 => timers::run(&plan, &mut measures).await,
            Workload::W4 => model::run(&plan, &mut measures).await,
            Workload::Idle => idle::run(&plan, &mut measures).await,
            Workload::Limits => limits::run(&plan, &mut measures).await,
            Workload::Graph => walks::run(&plan, &mut measures).await,
            Workload::Form => memory::run(&plan, &mut measures).await,
            Workload::Understand => understand::run(&plan, &mut measures),
            Workload::Stock => stock::run(&plan, &mut measures).await,
            Workload::Goods => goods::run(&plan, &mut measures).await,
        }
    })?;
    measures.print()
}

/// The engine gets the runtime it has in the binary. Generator and sink get one thread, so as to
/// leave the cores to the node they measure.
fn runtime(part: Workload) -> Result<Runtime> {
    let mut builder = match part {
        Workload::W2 | Workload::Idle => Builder::new_current_thread(),
        part if !part.stores() => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    builder.enable_all().build().context("cannot start a runtime")
}

fn measure_all(args: &Args) -> Result<()> {
    let parts = wanted(args);
    let stores = match args.store {
        Some(store) => vec![store],
        None if args.postgres.is_none() && parts.iter().any(|part| part.stores()) => {
            bail!("no PostgreSQL: run `make bench`, or --store sqlite")
        }
        None => vec![Kind::Sqlite, Kind::Postgres],
    };
    let machine = machine::describe();
    let mut all = Vec::new();
    for part in parts {
        if !part.stores() {
            eprintln!("{}", part.name());
            all.extend(measure_apart(part, None, (0, 1), args)?);
            continue;
        }
        for store in &stores {
            for (stored, nodes) in conditions(part, *store, args) {
                eprintln!("{} on {}, {stored} stored, {nodes} nodes", part.name(), store.name());
                all.extend(measure_apart(part, Some(*store), (stored, nodes), args)?);
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

/// What was asked for, and the machine's limits beside whatever runs on a database.
fn wanted(args: &Args) -> Vec<Workload> {
    let asked = |part: &Workload| args.only.is_empty() || args.only.contains(part);
    let stores = Workload::ALL.into_iter().any(|part| asked(&part) && part.stores());
    let limits = |part: &Workload| *part == Workload::Limits && stores;
    Workload::ALL.into_iter().filter(|part| asked(part) || limits(part)).collect()
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
        _ => conditions.push((0, 1)),
    }
    conditions
}

fn measure_apart(
    part: Workload,
    store: Option<Kind>,
    (stored, nodes): (u64, u32),
    args: &Args,
) -> Result<Vec<Measure>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--part", part.name()]);
    if let Some(store) = store {
        let name = match store {
            Kind::Sqlite => "sqlite",
            Kind::Postgres => "postgres",
        };
        command.args(["--store", name]);
    }
    command.args(["--stored", &stored.to_string(), "--nodes", &nodes.to_string()]);
    if args.quick {
        command.arg("--quick");
    }
    if let Some(ops) = args.ops {
        command.args(["--ops", &ops.to_string()]);
    }
    if let Some(url) = &args.postgres {
        command.args(["--postgres", url]);
    }
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("{} on {} failed", part.name(), store.map_or("no store", Kind::name));
    }
    serde_json::from_slice(&output.stdout).context("figures that cannot be read")
}
