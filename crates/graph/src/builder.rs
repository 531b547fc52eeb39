//! Declares a graph: nodes by name, and the ways between them; building checks the whole.

use std::collections::HashMap;
use std::sync::Arc;

use crate::fork::{Fork, Join};
use crate::graph::{Choose, Next, Node, Route, Way};
use crate::nested::{Embedded, PartFn};
use crate::node::{NodeFn, Outcome, Work};
use crate::plan::{Plan, PlannedNode, PlannedWay};
use crate::trace::Names;
use crate::{BuildError, END, Family, Graph};

/// How many nodes a run may enter, unless the graph says otherwise.
const LIMIT: usize = 100;

/// Gathers nodes and ways; nothing is checked before [`build`](Self::build).
pub struct Builder<F: Family> {
    plan: Plan,
    /// What the planned nodes do, in the same order.
    works: Vec<Work<F>>,
    /// How the planned ways choose, in the same order; an edge has nothing to choose.
    choosers: Vec<Option<Box<Choose<F>>>>,
    limit: usize,
}

impl<F: Family> Builder<F> {
    pub(crate) fn new() -> Self {
        Self { plan: Plan::default(), works: Vec::new(), choosers: Vec::new(), limit: LIMIT }
    }

    /// Adds a node that may wait: an `async fn(&mut State)`, which may return a `Result`.
    pub fn node<N>(self, name: &str, node: N) -> Self
    where
        N: for<'s, 'a> NodeFn<'s, 'a, F> + 'static,
    {
        self.add(name, None, Work::Async(Box::new(node)))
    }

    /// Adds a node that never waits: a `fn(&mut State)`, which may return a `Result`. It costs no
    /// future.
    pub fn sync<N, O>(self, name: &str, node: N) -> Self
    where
        N: for<'s, 'a> Fn(&'s mut F::State<'a>) -> O + Send + Sync + 'static,
        O: Outcome<F::Error>,
    {
        self.add(name, None, Work::Sync(Box::new(move |state| node(state).into_result())))
    }

    /// Adds a node whose branches run at the same time and are then joined.
    pub fn parallel<B>(self, name: &str, branches: impl FnOnce(Fork<F, B>) -> Join<F>) -> Self
    where
        B: Send + 'static,
    {
        let Join(fork) = branches(Fork::new());
        self.add(name, Some(fork.branches().to_vec()), Work::Fork(fork))
    }

    /// Adds a whole graph as one node, over the part of the state that `part` points at.
    pub fn subgraph<G, P>(self, name: &str, graph: impl Into<Arc<Graph<G>>>, part: P) -> Self
    where
        F: Family<Error: From<G::Error>>,
        G: Family,
        P: for<'s, 'a> PartFn<'s, 'a, F, G> + 'static,
    {
        let embedded = Embedded { graph: graph.into(), part };
        self.add(name, None, Work::Nested(Box::new(embedded)))
    }

    /// Sets the node that runs first.
    pub fn start(mut self, node: &str) -> Self {
        self.plan.starts.push(node.to_owned());
        self
    }

    /// Leads from a node always to the same one.
    pub fn edge(self, from: &str, to: &str) -> Self {
        self.way(from, None, &[to], None)
    }

    /// Leads from a node to the target that the router, under its own name, chooses by the state.
    /// It must be one of those declared; [`END`] may be among them.
    pub fn route<R>(self, from: &str, router: &str, targets: &[&str], choose: R) -> Self
    where
        R: for<'s, 'a> Fn(&'s F::State<'a>) -> &'static str + Send + Sync + 'static,
    {
        self.way(from, Some(router.to_owned()), targets, Some(Box::new(choose)))
    }

    /// Leads from a node to the end.
    pub fn end(self, node: &str) -> Self {
        self.edge(node, END)
    }

    /// Sets how many nodes a run may enter before it is an error; without this, 100.
    pub fn limit(mut self, nodes: usize) -> Self {
        self.limit = nodes;
        self
    }

    /// Checks the graph, and names all that is wrong with it.
    pub fn build(self) -> Result<Graph<F>, BuildError> {
        let problems = self.plan.problems();
        if problems.is_empty() { Ok(self.assemble()) } else { Err(BuildError { problems }) }
    }

    fn add(mut self, name: &str, branches: Option<Vec<String>>, work: Work<F>) -> Self {
        self.plan.nodes.push(PlannedNode { name: name.to_owned(), branches });
        self.works.push(work);
        self
    }

    fn way(
        mut self,
        from: &str,
        router: Option<String>,
        targets: &[&str],
        choose: Option<Box<Choose<F>>>,
    ) -> Self {
        let targets = targets.iter().map(|target| (*target).to_owned()).collect();
        self.plan.ways.push(PlannedWay { from: from.to_owned(), router, targets });
        self.choosers.push(choose);
        self
    }

    /// Turns names into indices. The plan has no problems, so every name is there once.
    fn assemble(self) -> Graph<F> {
        let Self { plan, works, choosers, limit } = self;
        let index: HashMap<&str, usize> =
            plan.nodes.iter().enumerate().map(|(index, node)| (&*node.name, index)).collect();
        let next = |name: &str| index.get(name).map_or(Next::End, |node| Next::Node(*node));
        let mut ways: HashMap<&str, Way<F>> = plan
            .ways
            .iter()
            .zip(choosers)
            .map(|(planned, choose)| (&*planned.from, resolve(planned, choose, next)))
            .collect();
        let (names, inner_at) = names(&plan.nodes, &works);
        let nodes = plan
            .nodes
            .iter()
            .zip(works)
            .zip(inner_at)
            .filter_map(|((node, work), inner_at)| {
                Some(Node { work, way: ways.remove(&*node.name)?, inner_at })
            })
            .collect();
        Graph { nodes, start: index[&*plan.starts[0]], limit, names }
    }
}

fn resolve<F: Family>(
    planned: &PlannedWay,
    choose: Option<Box<Choose<F>>>,
    next: impl Fn(&str) -> Next,
) -> Way<F> {
    match (choose, &planned.router) {
        (Some(choose), Some(router)) => Way::Route(Route {
            router: router.clone(),
            targets: planned.targets.iter().map(|name| (name.clone(), next(name))).collect(),
            choose,
        }),
        _ => Way::Edge(next(&planned.targets[0])),
    }
}

/// The names of the nodes, then those of what runs inside them, and where the latter begin.
fn names<F: Family>(nodes: &[PlannedNode], works: &[Work<F>]) -> (Names, Vec<usize>) {
    let mut names: Vec<Box<str>> = nodes.iter().map(|node| node.name.as_str().into()).collect();
    let mut inner_at = Vec::with_capacity(nodes.len());
    for (PlannedNode { name, .. }, work) in nodes.iter().zip(works) {
        inner_at.push(names.len());
        let inside = |inner: &str| format!("{name}/{inner}").into_boxed_str();
        match work {
            Work::Sync(_) | Work::Async(_) => {}
            Work::Fork(fork) => names.extend(fork.branches().iter().map(|name| inside(name))),
            Work::Nested(graph) => names.extend(graph.names().iter().map(|name| inside(name))),
        }
    }
    (names.into(), inner_at)
}
