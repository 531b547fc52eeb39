//! Times come from the clock that is given, and only from it.

use std::sync::atomic::{AtomicU64, Ordering};

use graph::{Graph, Owned, Trace, Visit};

/// A state whose nodes take as long as they say.
#[derive(Default)]
struct Clocked(AtomicU64);

impl Clocked {
    fn pass(&self, nanos: u64) {
        self.0.fetch_add(nanos, Ordering::SeqCst);
    }
}

type Clock = &'static Clocked;

async fn five(clock: &Clock) -> Result<(), std::convert::Infallible> {
    clock.pass(5);
    Ok(())
}

fn same(clock: &mut Clock) -> &mut Clock {
    clock
}

fn graph() -> Graph<Owned<Clock>> {
    let inner = Graph::<Owned<Clock>>::builder()
        .sync("one", |clock| clock.pass(1))
        .sync("two", |clock| clock.pass(2))
        .start("one")
        .edge("one", "two")
        .end("two")
        .build();
    Graph::<Owned<Clock>>::builder()
        .sync("hundred", |clock| clock.pass(100))
        .subgraph("inner", inner.unwrap(), same)
        .parallel("fan", |fork| {
            fork.branch("a", five).branch("b", five).join(|clock, _| clock.pass(7))
        })
        .start("hundred")
        .route("hundred", "slow", &["inner"], |clock| {
            clock.pass(50);
            "inner"
        })
        .edge("inner", "fan")
        .end("fan")
        .build()
        .unwrap()
}

#[tokio::test]
async fn each_node_has_the_time_it_took_with_the_choice_after_it() {
    let mut clock: Clock = Box::leak(Box::default());
    clock.pass(1_000);
    let reading = clock;
    let ticks = move || reading.0.load(Ordering::SeqCst);
    let mut trace = Trace::timed(&ticks);
    graph().run(&mut clock, &mut trace).await.unwrap();
    let times: Vec<_> = trace.visits().map(|Visit { node, nanos }| (node, nanos)).collect();
    assert_eq!(
        times,
        [
            ("hundred", 150),
            ("inner", 3),
            ("inner/one", 1),
            ("inner/two", 2),
            ("fan", 17),
            ("fan/a", 5),
            ("fan/b", 5),
        ]
    );
}

#[tokio::test]
async fn without_a_clock_no_time_is_recorded() {
    let mut clock: Clock = Box::leak(Box::default());
    let mut trace = Trace::new();
    graph().run(&mut clock, &mut trace).await.unwrap();
    assert_eq!(trace.path().len(), 7);
    assert!(trace.visits().all(|visit| visit.nanos == 0));
}
