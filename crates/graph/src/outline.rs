//! The shape of a graph without its functions: what the drawings draw.

use crate::Family;
use crate::Graph;
use crate::graph::{Next, Route, Way};
use crate::node::Work;

pub(crate) struct Outline {
    pub(crate) start: usize,
    pub(crate) nodes: Vec<OutlinedNode>,
}

pub(crate) struct OutlinedNode {
    pub(crate) name: String,
    pub(crate) inside: Inside,
    /// The name of what chooses between the targets, if there is a choice.
    pub(crate) router: Option<String>,
    pub(crate) targets: Vec<Next>,
}

pub(crate) enum Inside {
    Nothing,
    Branches(Vec<String>),
    Graph(Outline),
}

impl<F: Family> Graph<F> {
    pub(crate) fn outline(&self) -> Outline {
        let nodes = self.nodes().zip(&self.nodes).map(|(name, node)| {
            let (router, targets) = match &node.way {
                Way::Edge(next) => (None, vec![*next]),
                Way::Route(Route { router, targets, .. }) => {
                    (Some(router.clone()), targets.iter().map(|(_, next)| *next).collect())
                }
            };
            let inside = match &node.work {
                Work::Sync(_) | Work::Async(_) => Inside::Nothing,
                Work::Fork(fork) => Inside::Branches(fork.branches().to_vec()),
                Work::Nested(graph) => Inside::Graph(graph.outline()),
            };
            OutlinedNode { name: name.to_owned(), inside, router, targets }
        });
        Outline { start: self.start, nodes: nodes.collect() }
    }
}
