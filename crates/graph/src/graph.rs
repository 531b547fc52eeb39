//! A checked graph: its nodes, where each leads, and the names of all that can run.

use std::fmt;

use crate::node::Work;
use crate::trace::Names;
use crate::{Builder, Family};

/// The name of the point before the first node.
pub const START: &str = "START";

/// The name of the point after the last node; a router may choose it like a node.
pub const END: &str = "END";

/// Named nodes over the state of a [`Family`], with the edges between them.
///
/// Built once by a [`Builder`], which checks it; shared between threads; run any number of times.
pub struct Graph<F: Family> {
    pub(crate) nodes: Vec<Node<F>>,
    pub(crate) start: usize,
    pub(crate) limit: usize,
    pub(crate) names: Names,
}

pub(crate) struct Node<F: Family> {
    pub(crate) work: Work<F>,
    pub(crate) way: Way<F>,
    /// Where the names of what runs inside this node begin among the graph's names.
    pub(crate) inner_at: usize,
}

/// How a node leads on.
pub(crate) enum Way<F: Family> {
    Edge(Next),
    Route(Route<F>),
}

pub(crate) struct Route<F: Family> {
    pub(crate) router: String,
    pub(crate) targets: Vec<(String, Next)>,
    pub(crate) choose: Box<Choose<F>>,
}

pub(crate) type Choose<F> =
    dyn for<'s, 'a> Fn(&'s <F as Family>::State<'a>) -> &'static str + Send + Sync;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Node(usize),
    End,
}

/// A router's choice that is not among its targets.
pub(crate) struct Undeclared<'g> {
    pub(crate) router: &'g str,
    pub(crate) target: &'static str,
}

impl<F: Family> Way<F> {
    pub(crate) fn next(&self, state: &F::State<'_>) -> Result<Next, Undeclared<'_>> {
        match self {
            Self::Edge(next) => Ok(*next),
            Self::Route(Route { router, targets, choose }) => {
                let chosen = choose(state);
                let declared = targets.iter().find(|(target, _)| target == chosen);
                declared.map(|(_, next)| *next).ok_or(Undeclared { router, target: chosen })
            }
        }
    }
}

impl<F: Family> Graph<F> {
    pub fn builder() -> Builder<F> {
        Builder::new()
    }

    /// The names of the nodes, in the order in which they were added.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names[..self.nodes.len()].iter().map(|name| &**name)
    }
}

impl<F: Family> fmt::Debug for Graph<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("names", &self.names).finish_non_exhaustive()
    }
}
