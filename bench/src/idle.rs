//! The real binary with nothing to do: its size, how long it takes to start, what it holds.

use std::time::Duration;

use anyhow::Result;

use crate::measure::Measures;
use crate::node::{NOWHERE, Node, program};
use crate::plan::Plan;
use crate::spread::Spread;
use crate::subject::Subject;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let database = plan.database(Subject::Registro.name()).await?;
    let (mut starts, mut held) = (Vec::new(), Vec::new());
    for _ in 0..plan.pick(5, 1) {
        let node = Node::start(&database, NOWHERE.into(), Subject::Registro).await?;
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
