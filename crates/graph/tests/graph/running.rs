//! The nodes that a walk enters, their order, and how a walk may stop.

use graph::{Builder, END, Graph, WalkError};

use crate::form::{Form, form};

/// Walks the form with what its routers are to read.
fn path_of(state: &Form) -> String {
    let graph = form();
    let mut walk = graph.walk();
    while walk.next(|choose| choose(state)).unwrap().is_some() {}
    walk.path().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_form_takes_the_path_its_routers_choose() {
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
        assert_eq!(path_of(&message), path);
    }
}

#[test]
fn a_walk_that_came_to_the_end_stays_there() {
    let graph = form();
    let state = Form { escalates: true, ..Form::default() };
    let mut walk = graph.walk();
    for entered in [true, true, false, false] {
        assert_eq!(walk.next(|choose| choose(&state)).unwrap().is_some(), entered);
    }
    assert!(walk.path().eq(["check_escalation", "escalate"]));
}

type Count = u32;
type Work = fn(&mut Count);
type Choice = fn(&Count) -> &'static str;
type Counting = Graph<Work, Choice>;

/// Counts down in two nodes, so that n takes 2n + 1 visits.
fn countdown() -> Builder<Work, Choice> {
    Counting::builder()
        .node("look", |_| ())
        .node("lower", |count| *count -= 1)
        .start("look")
        .route("look", "until_zero", &["lower", END], |count| match count {
            0 => END,
            _ => "lower",
        })
        .edge("lower", "look")
}

/// How many nodes counting down from there enters, or why it stopped.
fn counted(graph: &Counting, mut count: Count) -> Result<usize, WalkError> {
    let mut walk = graph.walk();
    while let Some(work) = walk.next(|choose| choose(&count))? {
        work(&mut count);
    }
    Ok(walk.path().len())
}

#[test]
fn a_walk_may_enter_as_many_nodes_as_the_limit_and_not_one_more() {
    let unset = countdown().build().unwrap();
    assert_eq!(counted(&unset, 49), Ok(99));
    let five = countdown().limit(5).build().unwrap();
    assert_eq!(counted(&five, 2), Ok(5));
    assert_eq!(
        counted(&five, 3).unwrap_err().to_string(),
        "stopped before node lower: the limit of 5 nodes is reached; \
         the last were look, lower, look, lower, look"
    );
    let last = ["lower", "look", "lower", "look", "lower"].map(str::to_owned).to_vec();
    let stopped = WalkError::LimitReached { node: "look".to_owned(), limit: 100, last };
    assert_eq!(counted(&unset, 50), Err(stopped));
}

#[test]
fn a_router_that_chooses_what_it_did_not_declare_is_an_error() {
    let graph = Graph::<(), &'static str>::builder()
        .node("look", ())
        .node("reply", ())
        .node("other", ())
        .start("other")
        .edge("other", "look")
        .route("look", "after_look", &["reply", END], "other")
        .end("reply")
        .build()
        .unwrap();
    let mut walk = graph.walk();
    assert_eq!(walk.next(|chosen| *chosen), Ok(Some(&())));
    assert_eq!(walk.next(|chosen| *chosen), Ok(Some(&())));
    assert_eq!(
        walk.next(|chosen| *chosen).unwrap_err().to_string(),
        "router after_look of node look chose other, which is not among its targets"
    );
    assert!(walk.path().eq(["other", "look"]));
}

#[test]
fn a_graph_may_be_shared_between_threads_and_its_walks_moved() {
    fn shared<T: Send + Sync + 'static>(_: &T) {}
    fn moved<T: Send>(_: &T) {}
    let graph = form();
    shared(&graph);
    moved(&graph.walk());
}
