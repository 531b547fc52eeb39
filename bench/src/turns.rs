//! W1: turns a second through the form graph, each one durable commit.
//!
//! One turn is one commit of session, state, two audit rows, outbox and lane, and the same
//! transaction reads the lane's next work. Arrivals are in the inbox before the clock starts.

use std::sync::Arc;

use anyhow::{Result, ensure};
use tools::Registry;

use crate::form::{FormAgent, SCRIPT};
use crate::measure::Measures;
use crate::plan::Plan;
use crate::process::rss_mib;
use crate::rig::Rig;
use crate::spread::Spread;
use crate::tally::{Counted, Tally};

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let database = plan.database("form").await?;
    for (name, conversations, each) in
        [("one", 1, plan.pick(2_000, 500)), ("64", 64, plan.pick(400, 50))]
    {
        let mut runs = Vec::new();
        for repeat in 0..plan.pick(3, 1) {
            let store = database.open().await?;
            let prefix = format!("w1-{name}-{repeat}");
            runs.push(once(store, &prefix, conversations, each).await?);
        }
        let rates: Vec<f64> = runs.iter().map(Counted::rate).collect();
        eprintln!("  W1 {name}: {rates:.0?} turns/s");
        let median = Spread::of(rates).p50();
        let run = runs.iter().find(|run| run.rate() == median).unwrap_or(&runs[0]);
        measures.add(format!("w1.{name}.rate"), median);
        measures.add(format!("w1.{name}.p50"), run.gaps.p50());
        measures.add(format!("w1.{name}.p99"), run.gaps.p99());
    }
    measures.add("w1.rss", rss_mib(std::process::id()));
    Ok(())
}

async fn once(
    store: Arc<dyn store::Store>,
    prefix: &str,
    conversations: u64,
    each: u64,
) -> Result<Counted> {
    let tally = Arc::new(Tally::of(conversations * each));
    let agent = Arc::new(FormAgent::new(Arc::clone(&tally)));
    let rig = Rig::new(store, agent, Registry::builtin()).await?;
    let mut messages = Vec::new();
    for (_, text) in (0..each).zip(SCRIPT.iter().cycle()) {
        for conversation in 0..conversations {
            messages.push((format!("{prefix}-{conversation}"), (*text).to_owned()));
        }
    }
    rig.take_in(messages).await?;
    let running = rig.start();
    let counted = tally.finish(&rig.engine).await?;
    ensure!(rig.engine.store().next_due().await?.is_none(), "work was left");
    rig.stop(running).await;
    Ok(counted)
}
