//! The real binary with nothing to do: its size, how long it takes to start, what it holds.

use std::time::Duration;

use anyhow::Result;

use crate::form::NAME;
use crate::measure::Measures;
use crate::node::{Node, program};
use crate::plan::Plan;
use crate::spread::Spread;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let database = plan.database(NAME).await?;
    // Nobody writes, so nothing is ever sent there.
    let nowhere = ([127, 0, 0, 1], 9).into();
    let (mut starts, mut held) = (Vec::new(), Vec::new());
    for _ in 0..plan.pick(5, 1) {
        let node = Node::start(&database, nowhere).await?;
        starts.push(node.ready_ms);
        tokio::time::sleep(Duration::from_secs(2)).await;
        held.push(node.rss_mib());
    }
    measures.add("idle.start", Spread::of(starts).p50());
    measures.add("idle.rss", Spread::of(held).p50());
    let size = std::fs::metadata(program()?)?.len();
    measures.add("idle.binary", size as f64 / 1024.0 / 1024.0);
    Ok(())
}
