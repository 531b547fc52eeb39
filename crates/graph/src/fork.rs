//! Parallel branches: each reads the state and returns a value, and one function joins the values.

use futures::future::{BoxFuture, join_all};

use crate::Family;
use crate::node::{Done, Outcome};
use crate::trace::{Ticks, now};

/// Branches that run at the same time over a shared view of the state, each returning a `B`.
///
/// ```
/// use std::convert::Infallible;
/// # struct Quote { item: u32, total: u32 }
///
/// async fn price(quote: &Quote) -> Result<u32, Infallible> {
///     Ok(quote.item * 10)
/// }
/// async fn delivery(_: &Quote) -> Result<u32, Infallible> {
///     Ok(5)
/// }
///
/// graph::Graph::<graph::Owned<Quote>>::builder().parallel("quote", |fork| {
///     fork.branch("price", price)
///         .branch("delivery", delivery)
///         .join(|quote, parts| quote.total = parts.iter().sum())
/// });
/// ```
pub struct Fork<F: Family, B> {
    branches: Vec<(String, Box<dyn Branch<F, B>>)>,
}

impl<F: Family, B: Send + 'static> Fork<F, B> {
    pub(crate) fn new() -> Self {
        Self { branches: Vec::new() }
    }

    /// Adds a branch: an `async fn(&State) -> Result<B, Error>`.
    pub fn branch<N>(mut self, name: &str, branch: N) -> Self
    where
        N: for<'s, 'a> BranchFn<'s, 'a, F, B> + 'static,
    {
        self.branches.push((name.to_owned(), Box::new(branch)));
        self
    }

    /// Ends the fork with the function that takes what the branches returned, in the order in which
    /// they were declared, whichever finished first.
    ///
    /// It is not called when a branch failed: the error is that of the first declared that failed.
    pub fn join<J, O>(self, join: J) -> Join<F>
    where
        J: for<'s, 'a> Fn(&'s mut F::State<'a>, Vec<B>) -> O + Send + Sync + 'static,
        O: Outcome<F::Error>,
    {
        let names = self.branches.iter().map(|(name, _)| name.clone()).collect();
        let branches = self.branches.into_iter().map(|(_, branch)| branch).collect();
        let join: Box<Merge<F, B>> =
            Box::new(move |state, values| join(state, values).into_result());
        Join(Box::new(Parallel { names, branches, join }))
    }
}

/// Branches with the function that joins them.
pub struct Join<F: Family>(pub(crate) Box<dyn Forked<F>>);

/// An `async fn(&State) -> Result<B, Error>` whose future is `Send`.
///
/// Implemented for every such function; nobody implements it by hand. `Within` is never named: it
/// tells the compiler that the state outlives the borrow of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parallel branch of this graph",
    note = "a branch is an `async fn(&State) -> Result<{B}, Error>`, with the state and the error \
            of the graph's family and a future that is `Send`, for which the state must be `Sync`"
)]
pub trait BranchFn<'s, 'a, F: Family, B, Within = &'s &'a ()>: Send + Sync {
    type Future: Future<Output = Result<B, F::Error>> + Send;

    fn call(&self, state: &'s F::State<'a>) -> Self::Future;
}

impl<'s, 'a, F, B, N, T> BranchFn<'s, 'a, F, B> for N
where
    F: Family,
    N: Fn(&'s F::State<'a>) -> T + Send + Sync,
    T: Future<Output = Result<B, F::Error>> + Send,
{
    type Future = T;

    fn call(&self, state: &'s F::State<'a>) -> T {
        self(state)
    }
}

trait Branch<F: Family, B>: Send + Sync {
    fn start<'s, 'a: 's>(&'s self, state: &'s F::State<'a>) -> BoxFuture<'s, Result<B, F::Error>>;
}

impl<F, B, N> Branch<F, B> for N
where
    F: Family,
    B: 'static,
    N: for<'s, 'a> BranchFn<'s, 'a, F, B> + 'static,
{
    fn start<'s, 'a: 's>(&'s self, state: &'s F::State<'a>) -> BoxFuture<'s, Result<B, F::Error>> {
        Box::pin(self.call(state))
    }
}

type Merge<F, B> =
    dyn for<'s, 'a> Fn(&'s mut <F as Family>::State<'a>, Vec<B>) -> Done<F> + Send + Sync;

/// A fork with the type of its values forgotten.
pub(crate) trait Forked<F: Family>: Send + Sync {
    fn branches(&self) -> &[String];

    fn start<'s, 'a: 's>(
        &'s self,
        state: &'s mut F::State<'a>,
        ticks: Option<Ticks<'s>>,
    ) -> BoxFuture<'s, Ended<F::Error>>;
}

/// How a fork ended: the time of each branch, and the failure of one of them or of the join.
pub(crate) struct Ended<E> {
    pub(crate) nanos: Vec<u64>,
    pub(crate) result: Result<(), Failed<E>>,
}

pub(crate) struct Failed<E> {
    /// None when it was the join.
    pub(crate) branch: Option<usize>,
    pub(crate) error: E,
}

struct Parallel<F: Family, B> {
    names: Vec<String>,
    branches: Vec<Box<dyn Branch<F, B>>>,
    join: Box<Merge<F, B>>,
}

impl<F: Family, B: Send + 'static> Forked<F> for Parallel<F, B> {
    fn branches(&self) -> &[String] {
        &self.names
    }

    fn start<'s, 'a: 's>(
        &'s self,
        state: &'s mut F::State<'a>,
        ticks: Option<Ticks<'s>>,
    ) -> BoxFuture<'s, Ended<F::Error>> {
        Box::pin(async move {
            let running: Vec<_> =
                self.branches.iter().map(|branch| clocked(branch.start(state), ticks)).collect();
            let (results, nanos): (Vec<_>, Vec<_>) = join_all(running).await.into_iter().unzip();
            Ended { nanos, result: self.merge(state, results) }
        })
    }
}

impl<F: Family, B> Parallel<F, B> {
    fn merge(
        &self,
        state: &mut F::State<'_>,
        results: Vec<Result<B, F::Error>>,
    ) -> Result<(), Failed<F::Error>> {
        let mut values = Vec::with_capacity(results.len());
        for (branch, result) in results.into_iter().enumerate() {
            values.push(result.map_err(|error| Failed { branch: Some(branch), error })?);
        }
        (self.join)(state, values).map_err(|error| Failed { branch: None, error })
    }
}

async fn clocked<T>(future: impl Future<Output = T>, ticks: Option<Ticks<'_>>) -> (T, u64) {
    let since = now(ticks);
    let value = future.await;
    (value, now(ticks).saturating_sub(since))
}
