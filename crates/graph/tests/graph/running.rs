//! What runs, in which order, and how a run may stop.

use graph::{Builder, END, Graph, Owned, RunError, Trace};
use thiserror::Error;

use crate::form::{Form, form};

#[tokio::test]
async fn a_form_takes_the_path_its_routers_choose() {
    let none = Form::default();
    for (message, path) in [
        (Form { escalates: true, ..none }, "check_escalation escalate"),
        (
            Form { corrects: true, ..none },
            "check_escalation check_correction extract_field validate prompt_next",
        ),
        (
            Form { corrects: true, full: true, ..none },
            "check_escalation check_correction extract_field validate complete",
        ),
        (
            Form { off_topic: true, ..none },
            "check_escalation check_correction check_off_topic prompt_next",
        ),
        (Form { full: true, ..none }, "check_escalation check_correction check_off_topic complete"),
        (
            none,
            "check_escalation check_correction check_off_topic extract_field validate prompt_next",
        ),
    ] {
        let (graph, mut state, mut trace) = (form(), message, Trace::new());
        graph.run(&mut state, &mut trace).await.unwrap();
        assert_eq!(trace.path().collect::<Vec<_>>().join(" "), path);
    }
}

#[tokio::test]
async fn a_trace_holds_only_the_last_run() {
    let graph = form();
    let mut trace = Trace::new();
    graph.run(&mut Form::default(), &mut trace).await.unwrap();
    graph.run(&mut Form { escalates: true, ..Form::default() }, &mut trace).await.unwrap();
    assert!(trace.path().eq(["check_escalation", "escalate"]));
    one_node().run(&mut Count(0), &mut trace).await.unwrap();
    assert!(trace.path().eq(["only"]));
}

struct Count(u32);

fn one_node() -> Graph<Owned<Count>> {
    Graph::<Owned<Count>>::builder().sync("only", |_| ()).start("only").end("only").build().unwrap()
}

/// Counts down in two nodes, so that n takes 2n + 1 visits.
fn countdown() -> Builder<Owned<Count>> {
    Graph::<Owned<Count>>::builder()
        .sync("look", |_| ())
        .sync("lower", |count| count.0 -= 1)
        .start("look")
        .route("look", "until_zero", &["lower", END], |count| match count {
            Count(0) => END,
            Count(_) => "lower",
        })
        .edge("lower", "look")
}

#[tokio::test]
async fn a_run_may_enter_as_many_nodes_as_the_limit_and_not_one_more() {
    let unset = countdown().build().unwrap();
    unset.run(&mut Count(49), &mut Trace::new()).await.unwrap();
    let five = countdown().limit(5).build().unwrap();
    let mut trace = Trace::new();
    five.run(&mut Count(2), &mut trace).await.unwrap();
    assert_eq!(trace.path().len(), 5);

    let stopped = five.run(&mut Count(3), &mut trace).await.unwrap_err();
    assert_eq!(trace.path().len(), 5);
    assert_eq!(
        stopped.to_string(),
        "stopped before node lower: the limit of 5 nodes is reached; \
         the last were look, lower, look, lower, look"
    );
    let stopped = unset.run(&mut Count(50), &mut trace).await.unwrap_err();
    let last = ["lower", "look", "lower", "look", "lower"].map(str::to_owned).to_vec();
    assert_eq!(stopped, RunError::LimitReached { node: "look".to_owned(), limit: 100, last });
}

#[derive(Debug, Error, PartialEq)]
#[error("the price is unknown")]
struct Unknown;

async fn ask(found: &mut bool) -> Result<(), Unknown> {
    tokio::task::yield_now().await;
    if *found { Ok(()) } else { Err(Unknown) }
}

fn look(found: &mut bool) -> Result<(), Unknown> {
    if *found { Ok(()) } else { Err(Unknown) }
}

#[tokio::test]
async fn a_failing_node_stops_the_run_and_is_named() {
    let ends_with = |name: &'static str| {
        Graph::<Owned<bool, Unknown>>::builder()
            .sync("greet", |_| ())
            .node("ask", ask)
            .sync("look", look)
            .sync("reply", |found| *found = true)
            .start("greet")
            .route("greet", "pick", &["ask", "look"], move |_| name)
            .edge("ask", "reply")
            .edge("look", "reply")
            .end("reply")
            .build()
            .unwrap()
    };
    for name in ["ask", "look"] {
        let (mut found, mut trace) = (false, Trace::new());
        let error = ends_with(name).run(&mut found, &mut trace).await.unwrap_err();
        assert_eq!(error.to_string(), format!("node {name}: the price is unknown"));
        assert_eq!(error, RunError::Node { node: name.to_owned(), source: Unknown });
        assert!(trace.path().eq(["greet", name]));
        assert!(!found);
    }
}

#[tokio::test]
async fn a_router_that_chooses_what_it_did_not_declare_is_an_error() {
    let graph = Graph::<Owned<Count>>::builder()
        .sync("look", |_| ())
        .sync("reply", |_| ())
        .sync("other", |_| ())
        .start("other")
        .edge("other", "look")
        .route("look", "after_look", &["reply", END], |_| "other")
        .end("reply")
        .build()
        .unwrap();
    let mut trace = Trace::new();
    let error = graph.run(&mut Count(0), &mut trace).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "router after_look of node look chose other, which is not among its targets"
    );
    assert!(trace.path().eq(["other", "look"]));
}

#[test]
fn a_graph_may_be_shared_between_threads_and_its_runs_moved() {
    fn shared<T: Send + Sync + 'static>(_: &T) {}
    fn moved<T: Send>(_: &T) {}
    let graph = form();
    shared(&graph);
    moved(&graph.run(&mut Form::default(), &mut Trace::new()));
}
