//! Times come from the clock that is given, and only from it.

use std::sync::atomic::{AtomicU64, Ordering};

use graph::{Graph, Visit};

/// A graph whose nodes and routers take as long as their numbers say.
fn graph() -> Graph<u64, u64> {
    Graph::builder()
        .node("hundred", 100)
        .node("seven", 7)
        .start("hundred")
        .route("hundred", "slow", &["seven"], 50)
        .end("seven")
        .build()
        .unwrap()
}

#[test]
fn each_node_has_the_time_it_took_with_the_choice_after_it() {
    let clock = AtomicU64::new(1_000);
    let pass = |nanos: &u64| clock.fetch_add(*nanos, Ordering::SeqCst);
    let ticks = || clock.load(Ordering::SeqCst);
    let graph = graph();
    let mut walk = graph.walk_timed(&ticks);
    let choose = |nanos: &u64| {
        pass(nanos);
        "seven"
    };
    while let Some(nanos) = walk.next(choose).unwrap() {
        pass(nanos);
    }
    let times: Vec<_> = walk.visits().map(|Visit { node, nanos }| (node, nanos)).collect();
    assert_eq!(times, [("hundred", 150), ("seven", 7)]);
}

#[test]
fn without_a_clock_no_time_is_recorded() {
    let graph = graph();
    let mut walk = graph.walk();
    while walk.next(|_| "seven").unwrap().is_some() {}
    assert_eq!(walk.path().len(), 2);
    assert!(walk.visits().all(|visit| visit.nanos == 0));
}
