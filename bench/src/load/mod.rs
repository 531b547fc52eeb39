//! The real binary under kills, floods, strangers and crowds: what an operator meets sooner or later.

mod book;
mod courier;
mod crowd;
mod expected;
mod meta;
mod neighbour;
mod oracle;
mod outage;
mod site;

use anyhow::Result;

use crate::measure::Measures;
use crate::plan::Plan;

pub(crate) use expected::ALL as EXPECTED;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    eprintln!("  kills");
    outage::run(plan, measures).await?;
    eprintln!("  neighbours");
    neighbour::run(plan, measures).await?;
    eprintln!("  Meta's webhooks");
    meta::run(plan, measures).await
}
