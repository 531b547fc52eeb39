//! How long customers wait when the process that had their conversations is killed.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::courier::{Pace, deliver};
use super::crowd::Crowd;
use super::oracle::{LINE, Oracle, PACK};
use super::site::{Channel, Kind, Site};
use crate::database;
use crate::measure::Measures;
use crate::plan::Plan;
use crate::rig::{CHANNEL, WORKSPACE};
use crate::spread::Spread;
use crate::stopwatch::Stopwatch;

/// Calls to models that the workspace may have at once. The 16 that ship would have most questions
/// give up waiting for their turn, and be answered by rules.
const AT_ONCE: u32 = 100;
const CONNECTIONS: u32 = 64;
const SERIES: u32 = 1;
/// A customer without an answer by then is lost.
const PATIENCE_S: f64 = 120.0;
/// How long to look out for a second answer.
const AFTERMATH: Duration = Duration::from_secs(5);

/// A kill while so many conversations wait for a model.
struct Outage {
    conversations: u32,
    thinks: Duration,
    /// Nodes that run; the first is killed and, where it was the only one, another started.
    nodes: usize,
}

/// The fate of the conversations that the killed node had.
struct Found {
    /// When each was answered, after the kill.
    answers_ms: Vec<f64>,
    never: usize,
    once: usize,
    more: usize,
}

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let recovery =
        Outage { conversations: plan.pick(500, 50), thinks: Duration::from_secs(3), nodes: 1 };
    let found = recovery.run(plan).await?;
    let last = found.answers_ms.iter().copied().fold(0.0, f64::max);
    measures.add("load.recovery.last", last / 1000.0);
    found.report(measures, "recovery");
    let failover = Outage {
        conversations: plan.pick(1000, 100),
        thinks: Duration::from_secs(1),
        nodes: if plan.under.store == Some(database::Kind::Postgres) { 2 } else { 1 },
    };
    let found = failover.run(plan).await?;
    let late = failover.late(&found.answers_ms);
    measures.add("load.failover.p50", late.p50());
    measures.add("load.failover.p99", late.p99());
    found.report(measures, "failover");
    Ok(())
}

impl Found {
    fn report(&self, measures: &mut Measures, name: &str) {
        measures.add(format!("load.{name}.once"), self.once as f64);
        measures.add(format!("load.{name}.never"), self.never as f64);
        measures.add(format!("load.{name}.more"), self.more as f64);
    }
}

impl Outage {
    async fn run(&self, plan: &Plan) -> Result<Found> {
        let oracle = Oracle::start(self.thinks, false).await?;
        let limits = format!("model_limits: {{ at_once: {AT_ONCE}, per_minute: 60000 }}\n");
        let settings = format!("{limits}{}", oracle.yaml());
        let channel = Channel::new(Kind::Infobip, CHANNEL, WORKSPACE, PACK);
        let site = Site::open(plan.empty_database().await?, &settings, &[channel]).await?;
        let mut nodes = Vec::new();
        for _ in 0..self.nodes {
            nodes.push(site.node().await?);
        }
        let addresses: Vec<_> = nodes.iter().map(|node| node.address).collect();
        let crowd = Crowd { channel: CHANNEL, series: SERIES, text: LINE, book: site.book.clone() };
        let pace =
            Pace { count: self.conversations, rate: f64::INFINITY, connections: CONNECTIONS };
        let delivered = deliver(&addresses, pace, Arc::new(crowd)).await?;
        ensure!(delivered.refused == 0, "{} messages were refused", delivered.refused);
        self.all_wait(&oracle).await?;

        let killed_ms = site.book.now_ms();
        drop(nodes.remove(0));
        oracle.answer();
        if nodes.is_empty() {
            nodes.push(site.node().await?);
        }
        let beginning = Crowd::beginning(SERIES);
        site.book.settle(&beginning, PATIENCE_S).await;
        tokio::time::sleep(AFTERMATH).await;
        let had = |from: &str| (Crowd::place(from) as usize).is_multiple_of(self.nodes);
        let lines = site.book.of(&beginning, had);
        let count = |wanted: fn(usize) -> bool| {
            lines.iter().filter(|line| wanted(line.answers_ms.len())).count()
        };
        let first = lines.iter().filter_map(|line| line.answers_ms.first());
        Ok(Found {
            answers_ms: first.map(|answer| answer - killed_ms).collect(),
            never: count(|answers| answers == 0),
            once: count(|answers| answers == 1),
            more: count(|answers| answers > 1),
        })
    }

    /// Returns once the model is asked as much as it may be.
    async fn all_wait(&self, oracle: &Oracle) -> Result<()> {
        let watch = Stopwatch::start();
        let most = (AT_ONCE as usize * self.nodes).min(self.conversations as usize);
        while oracle.asked() < most {
            ensure!(watch.seconds() < 10.0, "{} of {most} questions came", oracle.asked());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Ok(())
    }

    /// By how much each answer, in order, was later than a model that is asked as much as it may be
    /// from the moment of the kill on.
    fn late(&self, answers_ms: &[f64]) -> Spread {
        let mut answers_ms = answers_ms.to_vec();
        answers_ms.sort_unstable_by(f64::total_cmp);
        let rounds = (0..).map(|place: u32| f64::from(place / AT_ONCE + 1));
        let late = answers_ms
            .iter()
            .zip(rounds)
            .map(|(answer, round)| (answer / 1000.0 - round * self.thinks.as_secs_f64()).max(0.0));
        Spread::of(late.collect())
    }
}
