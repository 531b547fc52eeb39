//! What a graph runs over: a family of state types, one for each lifetime the state may borrow for.

use std::convert::Infallible;
use std::marker::PhantomData;

/// Names the state of a graph, and what its nodes may fail with.
///
/// A graph is built once and outlives every state it runs, so it cannot name the lifetime of what a
/// state borrows. It names the family instead, and each run brings its own lifetime.
///
/// ```
/// trait Context: Send {}
/// struct Walk<'a> {
///     context: &'a mut dyn Context,
/// }
///
/// struct Form;
/// impl graph::Family for Form {
///     type State<'a> = Walk<'a>;
///     type Error = std::io::Error;
/// }
/// ```
pub trait Family: 'static {
    type State<'a>: Send;
    type Error: Send + 'static;
}

/// The family of a state that borrows nothing, whose nodes fail with `E` or, by default, never.
pub struct Owned<S, E = Infallible>(PhantomData<fn() -> (S, E)>);

impl<S: Send + 'static, E: Send + 'static> Family for Owned<S, E> {
    type State<'a> = S;
    type Error = E;
}
