//! What a workspace notices of another that floods the node they share.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use super::courier::{Delivered, Pace, deliver};
use super::crowd::Crowd;
use super::oracle::{LINE, Oracle, PACK};
use super::site::{Channel, Kind, Site};
use crate::measure::Measures;
use crate::node::Node;
use crate::plan::Plan;
use crate::subject::Subject;

const QUIET: &str = "tranquila";
const LOUD: &str = "ruidosa";
/// Messages a second of the quiet one, and those offered by the loud one.
const CALM: f64 = 5.0;
const FLOOD: f64 = 500.0;
const PATIENCE_S: f64 = 60.0;

const ALONE: u32 = 1;
const BESIDE: u32 = 2;
const FLOODING: u32 = 3;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    street(plan, measures, "form", Subject::Registro.name(), "").await?;
    let oracle = Oracle::start(Duration::from_secs(1), true).await?;
    street(plan, measures, "model", PACK, &oracle.yaml()).await
}

/// A node with both of them, with the limits that ship.
async fn street(
    plan: &Plan,
    measures: &mut Measures,
    name: &str,
    agent: &'static str,
    settings: &str,
) -> Result<()> {
    let channel = |id| Channel::new(Kind::Infobip, id, id, agent);
    let channels = [channel(QUIET), channel(LOUD)];
    let site = Site::open(plan.empty_database().await?, settings, &channels).await?;
    let node = site.node().await?;
    let seconds = plan.pick(15.0, 3.0);
    crowd(&site, &node, QUIET, ALONE, (CALM, 8), seconds).await?;
    site.book.settle(&Crowd::beginning(ALONE), PATIENCE_S).await;
    let (calm, flood) = tokio::join!(
        crowd(&site, &node, QUIET, BESIDE, (CALM, 8), seconds),
        crowd(&site, &node, LOUD, FLOODING, (FLOOD, 64), seconds),
    );
    calm?;
    let lost = site.book.settle(&Crowd::beginning(BESIDE), PATIENCE_S).await;
    let p95 = |series| site.book.ends(&Crowd::beginning(series)).quantile(0.95);
    let (alone, beside) = (p95(ALONE), p95(BESIDE));
    let mut add = |what: &str, value: f64| measures.add(format!("load.{name}.{what}"), value);
    add("alone_p95", alone);
    add("beside_p95", beside);
    add("ratio", beside / alone);
    add("lost", lost as f64);
    add("flood", flood?.acks_ms.len() as f64 / seconds);
    Ok(())
}

async fn crowd(
    site: &Site,
    node: &Node,
    channel: &'static str,
    series: u32,
    (rate, connections): (f64, u32),
    seconds: f64,
) -> Result<Delivered> {
    let crowd = Crowd { channel, series, text: LINE, book: Arc::clone(&site.book) };
    let pace = Pace { count: (rate * seconds) as u32, rate, connections };
    deliver(&[node.address], pace, Arc::new(crowd)).await
}
