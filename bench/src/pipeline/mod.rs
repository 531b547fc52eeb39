//! W2: webhook to reply through the real binary, with generator and sink in this process.

mod ledger;
mod load;
mod talk;

use std::sync::Arc;

use anyhow::Result;

use crate::measure::Measures;
use crate::node::Node;
use crate::plan::Plan;
use crate::process::cpu_seconds;
use crate::sink::Sink;
use crate::spread::Spread;
use crate::subject::Subject;
use ledger::{Found, Ledger};
use load::{Load, Pace};

/// Messages a second of the steady load.
const STEADY: f64 = 200.0;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let subject = plan.agent();
    let database = plan.database(subject.name()).await?;
    let sink = Sink::start().await?;
    let mut nodes = Vec::new();
    for _ in 0..plan.under.nodes {
        nodes.push(Node::start(&database, sink.address, subject).await?);
    }
    let conversations = plan.pick(1000, 200);
    let bench = Bench { subject, nodes, sink, conversations };
    // Only the saturated rate says something about several nodes.
    if plan.under.nodes == 1 {
        let steady = bench.run("steady", 0, Pace::Steady(STEADY)).await?;
        report(measures, "steady", &steady);
        let bursts = bench.run("bursts", 1, Pace::Bursts).await?;
        report(measures, "bursts", &bursts);
    }
    let mut runs = Vec::new();
    for repeat in 0..plan.pick(3, 1) {
        runs.push(bench.run("saturated", 2 + repeat, Pace::Saturated).await?);
    }
    let median = Spread::of(runs.iter().map(|run| run.found.rate).collect()).p50();
    let place = runs.iter().position(|run| run.found.rate == median).unwrap_or(0);
    report(measures, "saturated", &runs[place]);
    measures.add("w2.rss", bench.nodes.iter().map(Node::peak_rss_mib).sum());
    measures.add("w2.connections", bench.sink.connections() as f64);
    Ok(())
}

struct Bench {
    subject: Subject,
    nodes: Vec<Node>,
    sink: Sink,
    conversations: u32,
}

struct Run {
    found: Found,
    /// Processor seconds of the nodes, and of generator and sink together.
    nodes_cpu: f64,
    bench_cpu: f64,
}

impl Bench {
    async fn run(&self, name: &str, round: u32, pace: Pace) -> Result<Run> {
        let nodes_cpu = || self.nodes.iter().map(Node::cpu_seconds).sum::<f64>();
        let (nodes_before, bench_before) = (nodes_cpu(), cpu_seconds(std::process::id()));
        let ledger = Arc::new(Ledger::new(self.subject, round, self.conversations));
        self.sink.tell(ledger.clone());
        let load = Load {
            nodes: self.nodes.iter().map(|node| node.address).collect(),
            ledger: Arc::clone(&ledger),
            pace,
        };
        load.run().await?;
        ledger.settle().await;
        let found = ledger.found();
        let run = Run {
            nodes_cpu: nodes_cpu() - nodes_before,
            bench_cpu: cpu_seconds(std::process::id()) - bench_before,
            found,
        };
        eprintln!(
            "  W2 {name}: {:.0} messages/s in {} replies, cpu {:.2} s + {:.2} s bench (pace: none)",
            run.found.rate, run.found.replies, run.nodes_cpu, run.bench_cpu
        );
        Ok(run)
    }
}

fn report(measures: &mut Measures, name: &str, run: &Run) {
    let found = &run.found;
    let mut add = |what: &str, value: f64| measures.add(format!("w2.{name}.{what}"), value);
    add("rate", found.rate);
    add("ack_p50", found.ack.p50());
    add("ack_p99", found.ack.p99());
    add("end_p50", found.end.p50());
    add("end_p99", found.end.p99());
    add("lost", found.lost as f64);
    add("doubled", found.doubled as f64);
    add("disordered", found.disordered as f64);
    add("replies", found.replies as f64);
    add("cpu", run.nodes_cpu);
    add("bench_cpu", run.bench_cpu);
}
