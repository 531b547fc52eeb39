//! Parallel branches: they overlap, and their join does not depend on which is first.

use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};

use graph::{Graph, Owned, RunError, Trace};
use thiserror::Error;
use tokio::sync::Barrier;

struct Quote {
    both: Barrier,
    finished: AtomicU32,
    parts: Vec<&'static str>,
    fails: &'static [&'static str],
}

impl Quote {
    fn new(fails: &'static [&'static str]) -> Self {
        Self { both: Barrier::new(2), finished: AtomicU32::new(0), parts: Vec::new(), fails }
    }

    fn part(&self, name: &'static str) -> Result<&'static str, Failed> {
        self.finished.fetch_add(1, Ordering::SeqCst);
        if self.fails.contains(&name) { Err(Failed(name)) } else { Ok(name) }
    }
}

#[derive(Debug, Error, PartialEq)]
#[error("{0} is out")]
struct Failed(&'static str);

/// Cannot finish before `price` has begun, and lets it finish first.
async fn stock(quote: &Quote) -> Result<&'static str, Failed> {
    quote.both.wait().await;
    while quote.finished.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    quote.part("stock")
}

/// Cannot finish before `stock` has begun.
async fn price(quote: &Quote) -> Result<&'static str, Failed> {
    quote.both.wait().await;
    quote.part("price")
}

fn merge(quote: &mut Quote, parts: Vec<&'static str>) -> Result<(), Failed> {
    quote.parts = parts;
    if quote.fails == ["merge"] { Err(Failed("merge")) } else { Ok(()) }
}

fn graph() -> Graph<Owned<Quote, Failed>> {
    Graph::<Owned<Quote, Failed>>::builder()
        .parallel("quote", |fork| fork.branch("stock", stock).branch("price", price).join(merge))
        .sync("reply", |quote| quote.parts.push("replied"))
        .start("quote")
        .edge("quote", "reply")
        .end("reply")
        .build()
        .unwrap()
}

/// Polls to the end. Branches that did not overlap would wait for ever, which would tell nothing.
fn finish<T>(run: impl Future<Output = T>) -> T {
    let mut run = pin!(run);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..100 {
        if let Poll::Ready(value) = run.as_mut().poll(&mut context) {
            return value;
        }
    }
    panic!("the branches wait for each other");
}

#[test]
fn branches_that_wait_for_each_other_finish_and_are_joined_as_declared() {
    let (mut quote, mut trace) = (Quote::new(&[]), Trace::new());
    finish(graph().run(&mut quote, &mut trace)).unwrap();
    assert_eq!(quote.parts, ["stock", "price", "replied"]);
    assert!(trace.path().eq(["quote", "quote/stock", "quote/price", "reply"]));
}

#[test]
fn the_first_declared_failure_is_told_and_nothing_is_joined() {
    for (fails, node, parts) in [
        (&["stock"] as &'static [_], "quote/stock", 0),
        (&["price"], "quote/price", 0),
        (&["price", "stock"], "quote/stock", 0),
        (&["merge"], "quote", 2),
    ] {
        let (mut quote, mut trace) = (Quote::new(fails), Trace::new());
        let error = finish(graph().run(&mut quote, &mut trace)).unwrap_err();
        let RunError::Node { node: named, .. } = error else { panic!("{error}") };
        assert_eq!((named.as_str(), quote.parts.len()), (node, parts));
        assert_eq!(quote.finished.load(Ordering::SeqCst), 2, "no branch is cut short");
        assert!(trace.path().eq(["quote", "quote/stock", "quote/price"]));
    }
}
