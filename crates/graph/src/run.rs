//! Runs a graph: node after node until the end, recording the path.

use thiserror::Error;

use crate::fork::Forked;
use crate::graph::{Next, Undeclared};
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
    const ALL: Self = Self { names_at: 0, longest: usize::MAX, limit: usize::MAX };

    /// The same room for what runs inside a node, whose names begin `offset` further on.
    fn inside(self, offset: usize) -> Self {
        Self { names_at: self.names_at + offset, ..self }
    }

    /// A graph's own limit counts from where it is entered, and never widens that of its outer.
    fn limited(self, visited: usize, limit: usize) -> Self {
        let longest = visited.saturating_add(limit);
        if longest < self.longest { Self { longest, limit, ..self } } else { self }
    }

    /// Records a visit, unless the path is full.
    fn enter<E>(self, trace: &mut Trace<'_>, node: usize) -> Result<usize, RunError<E>> {
        let name = self.names_at + node;
        if trace.len() < self.longest { Ok(trace.enter(name)) } else { Err(self.full(trace, name)) }
    }

    #[cold]
    fn full<E>(self, trace: &Trace<'_>, name: usize) -> RunError<E> {
        let earlier = trace.len().saturating_sub(REMEMBERED);
        RunError::LimitReached {
            node: trace.name(name).to_owned(),
            limit: self.limit,
            last: trace.path().skip(earlier).map(str::to_owned).collect(),
        }
    }

    #[cold]
    fn failed<E>(self, trace: &Trace<'_>, node: usize, source: E) -> RunError<E> {
        RunError::Node { node: trace.name(self.names_at + node).to_owned(), source }
    }

    #[cold]
    fn undeclared<E>(
        self,
        trace: &Trace<'_>,
        node: usize,
        Undeclared { router, target }: Undeclared<'_>,
    ) -> RunError<E> {
        RunError::UndeclaredTarget {
            node: trace.name(self.names_at + node).to_owned(),
            router: router.to_owned(),
            target: target.to_owned(),
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
        self.walk(state, trace, Room::ALL).await
    }

    pub(crate) async fn walk(
        &self,
        state: &mut F::State<'_>,
        trace: &mut Trace<'_>,
        room: Room,
    ) -> Result<(), RunError<F::Error>> {
        let room = room.limited(trace.len(), self.limit);
        let mut next = Next::Node(self.start);
        let mut since = now(trace.ticks());
        while let Next::Node(at) = next {
            let node = &self.nodes[at];
            let visit = room.enter(trace, at)?;
            match &node.work {
                Work::Sync(work) => {
                    work(state).map_err(|error| room.failed(trace, at, error))?;
                }
                Work::Async(work) => {
                    work.start(state).await.map_err(|error| room.failed(trace, at, error))?;
                }
                Work::Fork(fork) => self.fork(at, &**fork, state, trace, room).await?,
                Work::Nested(graph) => {
                    graph.walk(state, trace, room.inside(node.inner_at)).await?;
                }
            }
            next = node.way.next(state).map_err(|wrong| room.undeclared(trace, at, wrong))?;
            // One reading ends this node and begins the next.
            let until = now(trace.ticks());
            trace.set_nanos(visit, until.saturating_sub(since));
            since = until;
        }
        Ok(())
    }

    /// Runs the branches of the node `at`, and its join.
    async fn fork(
        &self,
        at: usize,
        fork: &dyn Forked<F>,
        state: &mut F::State<'_>,
        trace: &mut Trace<'_>,
        room: Room,
    ) -> Result<(), RunError<F::Error>> {
        let inner_at = self.nodes[at].inner_at;
        let first = trace.len();
        for branch in 0..fork.branches().len() {
            room.enter(trace, inner_at + branch)?;
        }
        let ended = fork.start(state, trace.ticks()).await;
        for (branch, nanos) in ended.nanos.into_iter().enumerate() {
            trace.set_nanos(first + branch, nanos);
        }
        ended.result.map_err(|failure| {
            let node = failure.branch.map_or(at, |branch| inner_at + branch);
            room.failed(trace, node, failure.error)
        })
    }
}
