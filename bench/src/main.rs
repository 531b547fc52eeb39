//! Measures Recado: each workload in a process of its own, then one table of all.

mod alone;
mod args;
mod database;
mod expectations;
mod fill;
mod form;
mod goods;
mod http;
mod idle;
mod infobip;
mod limits;
mod load;
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
mod sink;
mod spread;
mod stock;
mod stopwatch;
mod subject;
mod table;
mod tally;
mod tau;
mod timers;
mod turns;
mod understand;
mod walks;

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::{Parser, ValueEnum};
use tokio::runtime::{Builder, Runtime};

use crate::args::{Apart, Args, Workload};
use crate::database::Kind;
use crate::measure::{Measures, Taken};
use crate::plan::{Conditions, Plan};

// The allocator of the binary that is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<()> {
    process::in_small_pages();
    let args = Args::parse();
    match (&args.command, args.part) {
        (Some(Apart::Tau(tau)), _) => threads()?.block_on(tau::run(tau)),
        (Some(Apart::TauNode(node)), _) => threads()?.block_on(node.run()),
        (None, Some(part)) => measure_here(part, &args),
        (None, None) => measure_all(&args),
    }
}

/// Runs a workload in this process: its memory is then that workload's alone.
fn measure_here(part: Workload, args: &Args) -> Result<()> {
    let under = Conditions {
        store: part.stores().then_some(args.store.unwrap_or(Kind::Sqlite)),
        stored: args.stored.first().copied().unwrap_or(0),
        nodes: args.nodes.first().copied().unwrap_or(1),
        agent: args.agent.first().copied().filter(|_| part.takes_an_agent()),
    };
    let plan = Plan {
        under,
        quick: args.quick,
        ops: args.ops,
        ask: args.ask.clone(),
        server: args.postgres.clone(),
    };
    let mut measures = Measures::new(under);
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
            Workload::Load => load::run(&plan, &mut measures).await,
            Workload::Goods => goods::run(&plan, &mut measures).await,
        }
    })?;
    measures.print()
}

/// The engine gets the runtime it has in the binary. Generator and sink get one thread, so as to
/// leave the cores to the node they measure.
fn runtime(part: Workload) -> Result<Runtime> {
    let mut builder = match part {
        Workload::W2 | Workload::Idle | Workload::Load => Builder::new_current_thread(),
        part if !part.stores() => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    builder.enable_all().build().context("cannot start a runtime")
}

fn threads() -> Result<Runtime> {
    Builder::new_multi_thread().enable_all().build().context("cannot start a runtime")
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
    let mut all = Taken::default();
    for part in parts {
        if !part.stores() {
            eprintln!("{}", part.name());
            all.join(measure_apart(part, Conditions { nodes: 1, ..Conditions::default() }, args)?);
            continue;
        }
        for store in &stores {
            for under in conditions(part, *store, args) {
                let (stored, nodes) = (under.stored, under.nodes);
                let with =
                    under.agent.map_or(String::new(), |agent| format!(" with {}", agent.name()));
                eprintln!(
                    "{}{with} on {}, {stored} stored, {nodes} nodes",
                    part.name(),
                    store.name()
                );
                all.join(measure_apart(part, under, args)?);
            }
        }
    }
    if let Some(path) = &args.json {
        let figures =
            serde_json::json!({ "machine": machine, "quick": args.quick, "figures": all.figures });
        std::fs::write(path, serde_json::to_string_pretty(&figures)?)?;
    }
    print!("{}", table::render(&machine, args.quick, &all.figures));
    if !all.failures.is_empty() {
        bail!("figures are missing: {}", all.failures.join("; "));
    }
    Ok(())
}

/// The workloads asked for, and the machine's limits beside each workload that runs on a database.
fn wanted(args: &Args) -> Vec<Workload> {
    let asked = |part: &Workload| match args.only.is_empty() {
        true => part.is_usual(),
        false => args.only.contains(part),
    };
    let stores = Workload::ALL.into_iter().any(|part| asked(&part) && part.stores());
    let limits = |part: &Workload| *part == Workload::Limits && stores;
    Workload::ALL.into_iter().filter(|part| asked(part) || limits(part)).collect()
}

/// Under which conditions a workload is run on a store.
fn conditions(part: Workload, store: Kind, args: &Args) -> Vec<Conditions> {
    let plain = Conditions { store: Some(store), nodes: 1, ..Conditions::default() };
    let filled = args.stored.iter().map(|stored| Conditions { stored: *stored, ..plain });
    let mut conditions: Vec<_> = match part {
        Workload::W1 | Workload::W2 | Workload::W3 | Workload::W4 | Workload::Idle => {
            filled.collect()
        }
        _ => vec![plain],
    };
    if part == Workload::W2 && store == Kind::Postgres {
        let several = args.nodes.iter().filter(|nodes| **nodes > 1);
        conditions.extend(several.map(|nodes| Conditions { nodes: *nodes, ..plain }));
    }
    if !part.takes_an_agent() {
        return conditions;
    }
    let with =
        |agent| conditions.iter().map(move |under| Conditions { agent: Some(agent), ..*under });
    args.agent.iter().copied().flat_map(with).collect()
}

fn measure_apart(part: Workload, under: Conditions, args: &Args) -> Result<Taken> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--part", part.name()]);
    if let Some(store) = under.store {
        let name = match store {
            Kind::Sqlite => "sqlite",
            Kind::Postgres => "postgres",
        };
        command.args(["--store", name]);
    }
    command.args(["--stored", &under.stored.to_string()]);
    command.args(["--nodes", &under.nodes.to_string()]);
    if let Some(agent) = under.agent {
        command.args(["--agent", agent.name()]);
    }
    if args.quick {
        command.arg("--quick");
    }
    if let Some(ops) = args.ops {
        command.args(["--ops", &ops.to_string()]);
    }
    for question in args.ask.iter().filter_map(ValueEnum::to_possible_value) {
        command.args(["--ask", question.get_name()]);
    }
    if let Some(url) = &args.postgres {
        command.args(["--postgres", url]);
    }
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("{} on {} failed", part.name(), under.store.map_or("no store", Kind::name));
    }
    serde_json::from_slice(&output.stdout).context("figures that cannot be read")
}
