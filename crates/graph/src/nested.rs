//! A graph inside a graph: run as one node, over a part of the outer state.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::outline::Outline;
use crate::run::{Room, RunError};
use crate::trace::{Names, Trace};
use crate::{Family, Graph};

/// A `fn(&mut State) -> &mut Part` from the state of an outer graph to that of an inner one.
///
/// Implemented for every such function; nobody implements it by hand. `Within` is never named: it
/// tells the compiler that the state outlives the borrow of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not point from the outer graph's state to the subgraph's",
    note = "write it as a `fn` item, whose result borrows from its parameter; a closure's does not"
)]
pub trait PartFn<'s, 'a, F: Family, G: Family, Within = &'s &'a ()>: Send + Sync {
    fn call(&self, state: &'s mut F::State<'a>) -> &'s mut G::State<'a>;
}

impl<'s, 'a, F, G, P> PartFn<'s, 'a, F, G> for P
where
    F: Family,
    G: Family,
    P: Fn(&'s mut F::State<'a>) -> &'s mut G::State<'a> + Send + Sync,
{
    fn call(&self, state: &'s mut F::State<'a>) -> &'s mut G::State<'a> {
        self(state)
    }
}

/// A subgraph with its own family forgotten.
pub(crate) trait Nested<F: Family>: Send + Sync {
    fn names(&self) -> &Names;

    fn outline(&self) -> Outline;

    fn walk<'s, 'a: 's>(
        &'s self,
        state: &'s mut F::State<'a>,
        trace: &'s mut Trace<'_>,
        room: Room,
    ) -> BoxFuture<'s, Result<(), RunError<F::Error>>>;
}

pub(crate) struct Embedded<G: Family, P> {
    pub(crate) graph: Arc<Graph<G>>,
    pub(crate) part: P,
}

impl<F, G, P> Nested<F> for Embedded<G, P>
where
    F: Family<Error: From<G::Error>>,
    G: Family,
    P: for<'s, 'a> PartFn<'s, 'a, F, G>,
{
    fn names(&self) -> &Names {
        &self.graph.names
    }

    fn outline(&self) -> Outline {
        self.graph.outline()
    }

    fn walk<'s, 'a: 's>(
        &'s self,
        state: &'s mut F::State<'a>,
        trace: &'s mut Trace<'_>,
        room: Room,
    ) -> BoxFuture<'s, Result<(), RunError<F::Error>>> {
        let part = self.part.call(state);
        Box::pin(
            async move { self.graph.walk(part, trace, room).await.map_err(RunError::into_outer) },
        )
    }
}
