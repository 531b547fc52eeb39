//! Waiting in a workspace while another floods the node they share.

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
const APART: u32 = 3;
const FLOODING: u32 = 4;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    street(plan, measures, "form", Subject::Registro.name(), "").await?;
    let oracle = Oracle::start(Duration::from_secs(1), true).await?;
    street(plan, measures, "model", PACK, &oracle.yaml()).await
}

/// A node with both of them, with the limits that ship; and the loud one alone on another node, to
/// tell what the machine they share has to do with it.
async fn street(
    plan: &Plan,
    measures: &mut Measures,
    name: &str,
    agent: &'static str,
    settings: &str,
) -> Result<()> {
    let channels = || [QUIET, LOUD].map(|id| Channel::new(Kind::Infobip, id, id, agent));
    let site = Site::open(plan.empty_database().await?, settings, &channels()).await?;
    let node = site.node().await?;
    let seconds = plan.pick(15.0, 3.0);
    let calm = async |series| {
        crowd(&site, &node, QUIET, series, (CALM, 8), seconds).await?;
        let lost = site.book.settle(&Crowd::beginning(series), PATIENCE_S).await;
        let p95 = site.book.ends(&Crowd::beginning(series)).quantile(0.95);
        Ok::<_, anyhow::Error>((p95, lost))
    };
    let (alone, _) = calm(ALONE).await?;
    let other = Site::open(plan.empty_database().await?, settings, &channels()).await?;
    let other_node = other.node().await?;
    let (apart, elsewhere) =
        tokio::join!(calm(APART), crowd(&other, &other_node, LOUD, FLOODING, (FLOOD, 64), seconds));
    let ((apart, _), _) = (apart?, elsewhere?);
    drop((other_node, other));
    let (beside, flood) =
        tokio::join!(calm(BESIDE), crowd(&site, &node, LOUD, FLOODING, (FLOOD, 64), seconds));
    let ((beside, lost), flood) = (beside?, flood?);
    let mut add = |what: &str, value: f64| measures.add(format!("load.{name}.{what}"), value);
    add("alone_p95", alone);
    add("apart_p95", apart);
    add("beside_p95", beside);
    add("ratio", beside / alone);
    add("lost", lost as f64);
    add("flood", flood.acks_ms.len() as f64 / seconds);
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
