//! Runs a graph: node after node until the end, recording the path.

use thiserror::Error;

use crate::graph::{Next, Way};
use crate::node::Work;
use crate::trace::{Trace, now};
use crate::{Family, Graph};

/// How many of the nodes visited last an error repeats.
const REMEMBERED: usize = 5;

/// Why a run stopped before the end. Nodes inside a node are named `outer/inner`.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RunError<E> {
    #[error("node {node}: {source}")]
    Node { node: String, source: E },

    #[error("router {router} of node {node} chose {target}, which is not among its targets")]
    UndeclaredTarget { node: String, router: String, target: String },

    #[error(
        "stopped before node {node}: the limit of {limit} nodes is reached; the last were {}",
        last.join(", ")
    )]
    LimitReached { node: String, limit: usize, last: Vec<String> },
}

impl<E> RunError<E> {
    /// The error of a subgraph, as the graph around it reports it.
    pub(crate) fn into_outer<O: From<E>>(self) -> RunError<O> {
        match self {
            Self::Node { node, source } => RunError::Node { node, source: source.into() },
            Self::UndeclaredTarget { node, router, target } => {
                RunError::UndeclaredTarget { node, router, target }
            }
            Self::LimitReached { node, limit, last } => {
                RunError::LimitReached { node, limit, last }
            }
        }
    }
}

/// Where in a run a graph stands: the whole of it, or inside a node of another graph.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    /// Where this graph's names begin among those of the graph that is run.
    names_at: usize,
    /// The path may not grow longer than this.
    longest: usize,
    /// The limit that `longest` comes from, for its error.
    limit: usize,
}

impl Room {
    fn inside(self, names_at: usize, visited: usize, limit: usize) -> Self {
        let names_at = self.names_at + names_at;
        let longest = visited.saturating_add(limit);
        if longest < self.longest {
            Self { names_at, longest, limit }
        } else {
            Self { names_at, ..self }
        }
    }
}

impl<F: Family> Graph<F> {
    /// Runs from the start to the end. The trace then holds the path of this run, and only of this
    /// one; after an error it holds what was entered until then.
    pub async fn run(
        &self,
        state: &mut F::State<'_>,
        trace: &mut Trace<'_>,
    ) -> Result<(), RunError<F::Error>> {
        trace.begin(&self.names);
        let all = Room { names_at: 0, longest: usize::MAX, limit: usize::MAX };
        self.walk(state, trace, all).await
    }

    pub(crate) async fn walk(
        &self,
        state: &mut F::State<'_>,
        trace: &mut Trace<'_>,
        room: Room,
    ) -> Result<(), RunError<F::Error>> {
        let room = room.inside(0, trace.len(), self.limit);
        let mut at = self.start;
        let mut since = now(trace.ticks());
        loop {
            let visit = enter(trace, at, room)?;
            let node = &self.nodes[at];
            let failed = |trace: &Trace<'_>, source| {
                let node = trace.name(room.names_at + at).to_owned();
                RunError::Node { node, source }
            };
            match &node.work {
                Work::Sync(work) => work(state).map_err(|error| failed(trace, error))?,
                Work::Async(work) => {
                    work.start(state).await.map_err(|error| failed(trace, error))?;
                }
                Work::Fork(fork) => {
                    let names_at = Room { names_at: room.names_at + node.inner, ..room };
                    for branch in 0..fork.branches().len() {
                        enter(trace, branch, names_at)?;
                    }
                    let ended = fork.start(state, trace.ticks()).await;
                    for (branch, nanos) in ended.nanos.into_iter().enumerate() {
                        trace.set_nanos(visit + 1 + branch, nanos);
                    }
                    ended.result.map_err(|failure| failed(trace, failure.error))?;
                }
                Work::Nested(graph) => {
                    graph.walk(state, trace, room).await?;
                }
            }
            let next = node.way.next(state);
            let until = now(trace.ticks());
            trace.set_nanos(visit, until.saturating_sub(since));
            since = until;
            at = 0;
            let _ = next;
        }
    }
}
