//! Declares a graph: nodes by name, and the ways between them; building checks the whole.

use std::collections::HashMap;

use crate::graph::{Next, Node, Route, Way};
use crate::plan::{Plan, PlannedWay};
use crate::{BuildError, END, Graph};

/// How many nodes a walk may enter, unless the graph says otherwise.
const LIMIT: usize = 100;

/// Gathers nodes and ways; nothing is checked before [`build`](Self::build).
pub struct Builder<N, R> {
    plan: Plan,
    /// The works of the planned nodes, in the same order.
    works: Vec<N>,
    /// How the planned ways choose, in the same order; an edge has nothing to choose.
    choosers: Vec<Option<R>>,
    limit: usize,
}

impl<N, R> Builder<N, R> {
    pub(crate) fn new() -> Self {
        Self { plan: Plan::default(), works: Vec::new(), choosers: Vec::new(), limit: LIMIT }
    }

    /// Adds a node with what it does.
    pub fn node(mut self, name: &str, work: N) -> Self {
        self.plan.nodes.push(name.to_owned());
        self.works.push(work);
        self
    }

    /// Sets the node that a walk enters first.
    pub fn start(mut self, node: &str) -> Self {
        self.plan.starts.push(node.to_owned());
        self
    }

    /// Leads from a node always to the same one.
    pub fn edge(self, from: &str, to: &str) -> Self {
        self.way(from, None, &[to], None)
    }

    /// Leads from a node to the target that the router, under its own name, chooses. A router may choose
    /// only what is declared; [`END`] may be among it.
    pub fn route(self, from: &str, router: &str, targets: &[&str], choose: R) -> Self {
        self.way(from, Some(router.to_owned()), targets, Some(choose))
    }

    /// Leads from a node to the end.
    pub fn end(self, node: &str) -> Self {
        self.edge(node, END)
    }

    /// Sets how many nodes a walk may enter before it is an error; without this, 100.
    pub fn limit(mut self, nodes: usize) -> Self {
        self.limit = nodes;
        self
    }

    /// Checks the graph, and names all that is wrong with it.
    pub fn build(self) -> Result<Graph<N, R>, BuildError> {
        let problems = self.plan.problems();
        if problems.is_empty() { Ok(self.assemble()) } else { Err(BuildError { problems }) }
    }

    fn way(
        mut self,
        from: &str,
        router: Option<String>,
        targets: &[&str],
        choose: Option<R>,
    ) -> Self {
        let targets = targets.iter().map(|target| (*target).to_owned()).collect();
        self.plan.ways.push(PlannedWay { from: from.to_owned(), router, targets });
        self.choosers.push(choose);
        self
    }

    /// Turns names into indices. The plan has no problems, so every name is there once.
    fn assemble(self) -> Graph<N, R> {
        let Self { plan, works, choosers, limit } = self;
        let index: HashMap<&str, usize> =
            plan.nodes.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
        let next = |name: &str| index.get(name).map_or(Next::End, |node| Next::Node(*node));
        let mut ways: HashMap<&str, Way<R>> = plan
            .ways
            .iter()
            .zip(choosers)
            .map(|(planned, choose)| (planned.from.as_str(), resolve(planned, choose, next)))
            .collect();
        let start = index[plan.starts[0].as_str()];
        let nodes = plan.nodes.iter().zip(works).filter_map(|(name, work)| {
            Some(Node { work, way: ways.remove(name.as_str())?, name: name.clone() })
        });
        Graph { nodes: nodes.collect(), start, limit }
    }
}

fn resolve<R>(planned: &PlannedWay, choose: Option<R>, next: impl Fn(&str) -> Next) -> Way<R> {
    match (choose, &planned.router) {
        (Some(choose), Some(router)) => Way::Route(Route {
            router: router.clone(),
            targets: planned.targets.iter().map(|name| (name.clone(), next(name))).collect(),
            choose,
        }),
        _ => Way::Edge(next(&planned.targets[0])),
    }
}
