//! The cost of the graph runtime: nanoseconds a node beyond calling its function directly.
//!
//! A walk is as long as the form's longest, and everything is measured in turns within one run, so
//! that the machine's moods fall on all alike.

use std::hint::black_box;
use std::pin::Pin;

use anyhow::Result;
use domain::Ticks;
use graph::{END, Graph};

use crate::measure::Measures;
use crate::plan::Plan;
use crate::spread::Spread;
use crate::stopwatch::Stopwatch;

const NODES: [&str; 6] = ["one", "two", "three", "four", "five", "six"];
/// Walks between two readings of the clock.
const WALKS: u32 = 1_000;

/// Next to nothing to do, so that what is left is the way there.
#[derive(Default)]
struct State {
    steps: usize,
    sum: u64,
}

/// The work of a node, in the two forms that agents have.
#[derive(Clone, Copy)]
enum Work {
    Sync(fn(&mut State)),
    Async(for<'t> fn(&'t mut State) -> Pin<Box<dyn Future<Output = ()> + Send + 't>>),
}

type Walks = Graph<Work, fn(&State) -> &'static str>;

fn step(state: &mut State) {
    state.steps += 1;
    state.sum = black_box(state.sum).wrapping_mul(31).wrapping_add(7);
}

async fn waiting_step(state: &mut State) {
    step(state);
}

/// The node after this one, chosen by the state as routers do.
fn next(state: &State) -> &'static str {
    NODES.get(state.steps).copied().unwrap_or(END)
}

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let direct: [fn(&mut State); NODES.len()] = [step; NODES.len()];
    let (sync, waiting) = (sync_nodes()?, async_nodes()?);
    let clock = Stopwatch::start();
    let ticks = || clock.nanos();
    let mut readings: [Vec<f64>; 5] = Default::default();
    for _ in 0..plan.pick(2_000, 100) {
        let mut note = |place: usize, watch: Stopwatch| {
            let visits = f64::from(WALKS) * NODES.len() as f64;
            readings[place].push(watch.nanos() as f64 / visits);
        };
        let watch = Stopwatch::start();
        for _ in 0..WALKS {
            let mut state = State::default();
            for node in black_box(&direct) {
                node(&mut state);
            }
            black_box(state.sum);
        }
        note(0, watch);
        for (place, graph, timed) in
            [(1, &sync, false), (2, &sync, true), (3, &waiting, false), (4, &waiting, true)]
        {
            let watch = Stopwatch::start();
            for _ in 0..WALKS {
                let mut state = State::default();
                let nodes = walk(graph, timed.then_some(&ticks), &mut state).await?;
                black_box((state.sum, nodes));
            }
            note(place, watch);
        }
    }
    let [direct, sync, sync_timed, waiting, waiting_timed] =
        readings.map(|readings| Spread::of(readings).p50());
    eprintln!("  graph: a direct call takes {direct:.1} ns");
    measures.add("graph.direct", direct);
    measures.add("graph.sync", sync - direct);
    measures.add("graph.sync_timed", sync_timed - direct);
    measures.add("graph.async", waiting - direct);
    measures.add("graph.async_timed", waiting_timed - direct);
    Ok(())
}

/// How many nodes a walk enters.
async fn walk(graph: &Walks, ticks: Option<graph::Ticks<'_>>, state: &mut State) -> Result<usize> {
    let mut walk = ticks.map_or_else(|| graph.walk(), |ticks| graph.walk_timed(ticks));
    while let Some(work) = walk.next(|choose| choose(state))? {
        match work {
            Work::Sync(work) => work(state),
            Work::Async(work) => work(state).await,
        }
    }
    Ok(walk.path().len())
}

fn sync_nodes() -> Result<Walks> {
    in_a_row(Work::Sync(step))
}

fn async_nodes() -> Result<Walks> {
    in_a_row(Work::Async(|state| Box::pin(waiting_step(state))))
}

/// The nodes one after another, each followed by a router.
fn in_a_row(work: Work) -> Result<Walks> {
    let mut builder = Walks::builder().start(NODES[0]);
    for (place, name) in NODES.into_iter().enumerate() {
        let targets = NODES.get(place + 1).map_or(vec![END], |after| vec![*after, END]);
        builder = builder.node(name, work).route(name, "next", &targets, next);
    }
    Ok(builder.build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_walk_enters_every_node_once() {
        for graph in [sync_nodes().unwrap(), async_nodes().unwrap()] {
            assert_eq!(walk(&graph, None, &mut State::default()).await.unwrap(), NODES.len());
        }
    }
}
