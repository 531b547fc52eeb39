//! A graph inside a graph: run as one node, over a part of the outer state.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::outline::Outline;
use crate::run::{Room, RunError};
use crate::trace::{Names, Trace};
use crate::{Family, Graph};

/// A subgraph with its own family forgotten.
pub(crate) trait Nested<F: Family>: Send + Sync {
    fn names(&self) -> &Names;

    fn outline(&self) -> Outline;

    fn walk<'s>(
        &'s self,
        state: &'s mut F::State<'_>,
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
    P: for<'s, 'a> Fn(&'s mut F::State<'a>) -> &'s mut G::State<'a> + Send + Sync,
{
    fn names(&self) -> &Names {
        &self.graph.names
    }

    fn outline(&self) -> Outline {
        self.graph.outline()
    }

    fn walk<'s>(
        &'s self,
        state: &'s mut F::State<'_>,
        trace: &'s mut Trace<'_>,
        room: Room,
    ) -> BoxFuture<'s, Result<(), RunError<F::Error>>> {
        let part = (self.part)(state);
        Box::pin(async move {
            self.graph.walk(part, trace, room).await.map_err(RunError::into_outer)
        })
    }
}
