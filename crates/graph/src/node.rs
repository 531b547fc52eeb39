//! What a node does: the function forms that may be registered, kept behind one type each.

use futures::future::BoxFuture;

use crate::Family;
use crate::fork::Forked;
use crate::nested::Nested;

pub(crate) enum Work<F: Family> {
    Sync(Box<SyncFn<F>>),
    Async(Box<dyn Task<F>>),
    Fork(Box<dyn Forked<F>>),
    Nested(Box<dyn Nested<F>>),
}

pub(crate) type SyncFn<F> =
    dyn for<'s, 'a> Fn(&'s mut <F as Family>::State<'a>) -> Done<F> + Send + Sync;

pub(crate) type Done<F> = Result<(), <F as Family>::Error>;

/// What a node may return: nothing, when it cannot fail, or a result.
pub trait Outcome<E> {
    fn into_result(self) -> Result<(), E>;
}

impl<E> Outcome<E> for () {
    fn into_result(self) -> Result<(), E> {
        Ok(())
    }
}

impl<E> Outcome<E> for Result<(), E> {
    fn into_result(self) -> Self {
        self
    }
}

/// An `async fn(&mut State)` or `async fn(&mut State) -> Result<(), Error>` whose future is `Send`.
///
/// Implemented for every such function; nobody implements it by hand. `Within` is never named: it
/// tells the compiler that the state outlives the borrow of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an async node of this graph",
    note = "a node is an `async fn(&mut State)` that returns `()` or `Result<(), Error>`, with the \
            state and the error of the graph's family and a future that is `Send`"
)]
pub trait NodeFn<'s, 'a, F: Family, Within = &'s &'a ()>: Send + Sync {
    type Future: Future<Output: Outcome<F::Error>> + Send;

    fn call(&self, state: &'s mut F::State<'a>) -> Self::Future;
}

impl<'s, 'a, F, N, T> NodeFn<'s, 'a, F> for N
where
    F: Family,
    N: Fn(&'s mut F::State<'a>) -> T + Send + Sync,
    T: Future<Output: Outcome<F::Error>> + Send,
{
    type Future = T;

    fn call(&self, state: &'s mut F::State<'a>) -> T {
        self(state)
    }
}

/// An async node with its future's type forgotten, so that nodes of one graph share a type.
pub(crate) trait Task<F: Family>: Send + Sync {
    fn start<'s, 'a: 's>(&'s self, state: &'s mut F::State<'a>) -> BoxFuture<'s, Done<F>>;
}

impl<F, N> Task<F> for N
where
    F: Family,
    N: for<'s, 'a> NodeFn<'s, 'a, F> + 'static,
{
    fn start<'s, 'a: 's>(&'s self, state: &'s mut F::State<'a>) -> BoxFuture<'s, Done<F>> {
        let future = self.call(state);
        Box::pin(async move { future.await.into_result() })
    }
}
