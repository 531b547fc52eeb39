//! A walk of a graph: node after node until the end, with the path it took and the time of each node.

use std::fmt;

use thiserror::Error;

use crate::Graph;
use crate::graph::{Next, Route, Way};

/// A monotonic clock in nanoseconds. Given by parameter: this crate never reads the time itself.
pub type Ticks<'t> = &'t (dyn Fn() -> u64 + Send + Sync);

/// How many of the nodes visited last an error repeats.
const REMEMBERED: usize = 5;

/// Why a walk stopped before the end.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum WalkError {
    #[error("router {router} of node {node} chose {target}, which is not among its targets")]
    UndeclaredTarget { node: String, router: String, target: String },

    #[error(
        "stopped before node {node}: the limit of {limit} nodes is reached; the last were {}",
        last.join(", ")
    )]
    LimitReached { node: String, limit: usize, last: Vec<String> },
}

/// A walk under way, whose path is what was entered so far.
pub struct Walk<'g, N, R> {
    graph: &'g Graph<N, R>,
    visits: Vec<Entry>,
    ended: bool,
    ticks: Option<Ticks<'g>>,
    /// When the node that was entered last was entered.
    since: u64,
}

#[derive(Clone, Copy)]
struct Entry {
    node: usize,
    nanos: u64,
}

/// A node that a walk entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit<'g> {
    pub node: &'g str,
    /// Zero without a clock, and for a node that was not left.
    pub nanos: u64,
}

impl<N, R> Graph<N, R> {
    /// A walk from the start that records its path, without times.
    pub fn walk(&self) -> Walk<'_, N, R> {
        Walk { graph: self, visits: Vec::with_capacity(16), ended: false, ticks: None, since: 0 }
    }

    /// A walk from the start that records its path and, by this clock, the time each node takes with the
    /// choice of the next.
    pub fn walk_timed<'g>(&'g self, ticks: Ticks<'g>) -> Walk<'g, N, R> {
        Walk { ticks: Some(ticks), since: ticks(), ..self.walk() }
    }
}

impl<'g, N, R> Walk<'g, N, R> {
    /// Enters the next node and returns what it does, or nothing at the end. Where the node before has a
    /// router, `choose` is asked what it chooses.
    pub fn next(
        &mut self,
        choose: impl FnOnce(&R) -> &'static str,
    ) -> Result<Option<&'g N>, WalkError> {
        if self.ended {
            return Ok(None);
        }
        let next = match self.visits.last() {
            Some(last) => self.after(last.node, choose)?,
            None => Next::Node(self.graph.start),
        };
        if let Some(last) = self.visits.last_mut() {
            // The same reading of the clock ends a node and begins the next.
            let until = self.ticks.map_or(0, |ticks| ticks());
            last.nanos = until.saturating_sub(self.since);
            self.since = until;
        }
        let Next::Node(node) = next else {
            self.ended = true;
            return Ok(None);
        };
        if self.visits.len() >= self.graph.limit {
            return Err(self.full(node));
        }
        self.visits.push(Entry { node, nanos: 0 });
        Ok(Some(&self.graph.nodes[node].work))
    }

    /// Where a node leads.
    fn after(
        &self,
        node: usize,
        choose: impl FnOnce(&R) -> &'static str,
    ) -> Result<Next, WalkError> {
        let node = &self.graph.nodes[node];
        let Route { router, targets, choose: by } = match &node.way {
            Way::Edge(next) => return Ok(*next),
            Way::Route(route) => route,
        };
        let chosen = choose(by);
        let declared = targets.iter().find(|(target, _)| target == chosen);
        declared.map(|(_, next)| *next).ok_or_else(|| WalkError::UndeclaredTarget {
            node: node.name.clone(),
            router: router.clone(),
            target: chosen.to_owned(),
        })
    }

    #[cold]
    fn full(&self, node: usize) -> WalkError {
        let earlier = self.visits.len().saturating_sub(REMEMBERED);
        WalkError::LimitReached {
            node: self.graph.nodes[node].name.clone(),
            limit: self.graph.limit,
            last: self.path().skip(earlier).map(str::to_owned).collect(),
        }
    }

    /// The nodes entered, in order.
    pub fn path(&self) -> impl DoubleEndedIterator<Item = &'g str> + ExactSizeIterator {
        self.visits().map(|visit| visit.node)
    }

    /// The nodes entered, in order, with their times.
    pub fn visits(&self) -> impl DoubleEndedIterator<Item = Visit<'g>> + ExactSizeIterator {
        let graph = self.graph;
        self.visits
            .iter()
            .map(|entry| Visit { node: &graph.nodes[entry.node].name, nanos: entry.nanos })
    }
}

impl<N, R> fmt::Debug for Walk<'_, N, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.visits()).finish()
    }
}
