//! A checked graph: its nodes, and where each leads.

use std::fmt;

use crate::Builder;

/// The name of the point before the first node.
pub const START: &str = "START";

/// The name of the point after the last node; a router may choose it like a node.
pub const END: &str = "END";

/// Named nodes, each with what it does (`N`), and the ways between them; where a way is chosen, with
/// how (`R`).
///
/// Built once by a [`Builder`], which checks it; shared between threads; walked any number of times.
pub struct Graph<N, R> {
    pub(crate) nodes: Vec<Node<N, R>>,
    pub(crate) start: usize,
    pub(crate) limit: usize,
}

pub(crate) struct Node<N, R> {
    pub(crate) name: String,
    pub(crate) work: N,
    pub(crate) way: Way<R>,
}

/// How a node leads on.
pub(crate) enum Way<R> {
    Edge(Next),
    Route(Route<R>),
}

pub(crate) struct Route<R> {
    pub(crate) router: String,
    pub(crate) targets: Vec<(String, Next)>,
    pub(crate) choose: R,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Node(usize),
    End,
}

impl<N, R> Graph<N, R> {
    pub fn builder() -> Builder<N, R> {
        Builder::new()
    }

    /// The names of the nodes, in the order in which they were added.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = &str> {
        self.nodes.iter().map(|node| node.name.as_str())
    }
}

impl<N, R> fmt::Debug for Graph<N, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.nodes()).finish()
    }
}
