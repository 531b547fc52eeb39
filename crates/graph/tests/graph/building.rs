//! Graphs that a builder refuses: every problem names its node, and all are found at once.

use graph::{Builder, END, Graph};

type Plain = Builder<(), ()>;

fn nodes(names: &[&str]) -> Plain {
    names.iter().fold(Graph::builder(), |graph, name| graph.node(name, ()))
}

#[track_caller]
fn refused(graph: Plain, problems: &[&str]) {
    let error = graph.build().unwrap_err();
    let found: Vec<String> = error.problems.iter().map(ToString::to_string).collect();
    assert_eq!(found, problems);
}

#[test]
fn a_sound_graph_is_built_and_knows_its_nodes() {
    let graph = nodes(&["ask", "reply"]).start("ask").edge("ask", "reply").end("reply");
    assert!(graph.build().unwrap().nodes().eq(["ask", "reply"]));
}

#[test]
fn a_graph_needs_a_start_that_exists_and_only_one() {
    let graph = || nodes(&["ask"]).end("ask");
    refused(graph(), &["no start is set"]);
    refused(
        graph().start("asks"),
        &["START leads to asks, which does not exist; did you mean ask?"],
    );
    refused(
        graph().start("ask").start("ask"),
        &["START has more than one way on: only a route may choose between targets"],
    );
}

#[test]
fn an_unknown_target_is_an_error_with_the_nearest_name() {
    refused(
        nodes(&["validate", "prompt_next"])
            .start("validate")
            .route("validate", "pick", &["promt_next", "prompt_next", "ENDE", "start_over"], ())
            .end("prompt_next"),
        &[
            "validate leads to promt_next, which does not exist; did you mean prompt_next?",
            "validate leads to ENDE, which does not exist; did you mean END?",
            "validate leads to start_over, which does not exist",
        ],
    );
}

#[test]
fn a_way_from_a_node_that_does_not_exist_is_an_error() {
    refused(
        nodes(&["ask", "reply"]).start("ask").edge("ask", "reply").end("reply").end("repply"),
        &["a way leaves repply, which does not exist; did you mean reply?"],
    );
}

#[test]
fn a_node_is_added_once_under_a_name_that_a_path_can_hold() {
    refused(nodes(&["ask", "ask"]).start("ask").end("ask"), &["node ask is added twice"]);
    for name in ["", "START", "END"] {
        let problem = format!("{name:?} is no name for a node: it is empty or reserved");
        refused(nodes(&["ask", name]).start("ask").edge("ask", name).end(name), &[&problem]);
    }
}

#[test]
fn a_node_needs_one_way_on() {
    refused(
        nodes(&["ask", "reply"]).start("ask").edge("ask", "reply"),
        &["node reply has no way on: give it an edge, a route or an end"],
    );
    refused(
        nodes(&["ask"]).start("ask").end("ask").route("ask", "pick", &[END], ()),
        &["ask has more than one way on: only a route may choose between targets"],
    );
}

#[test]
fn a_route_needs_targets_and_each_once() {
    refused(
        nodes(&["ask"]).start("ask").route("ask", "pick", &[], ()),
        &["router pick of node ask has no targets"],
    );
    refused(
        nodes(&["ask"]).start("ask").route("ask", "pick", &["ask", END, "ask"], ()),
        &["router pick of node ask names target ask twice"],
    );
}

#[test]
fn a_node_that_no_way_leads_to_is_an_error() {
    refused(
        nodes(&["ask", "lost", "found"])
            .start("ask")
            .end("ask")
            .edge("lost", "found")
            .edge("found", "ask"),
        &[
            "node lost cannot be reached from the start",
            "node found cannot be reached from the start",
        ],
    );
}

#[test]
fn a_loop_that_never_ends_is_an_error() {
    refused(
        nodes(&["ask", "wait", "poll"])
            .start("ask")
            .route("ask", "pick", &["wait", END], ())
            .edge("wait", "poll")
            .edge("poll", "wait"),
        &["node wait has no way to the end", "node poll has no way to the end"],
    );
    nodes(&["ask"]).start("ask").route("ask", "again", &["ask", END], ()).build().unwrap();
}

#[test]
fn a_node_before_a_broken_one_is_not_blamed_for_it() {
    refused(
        nodes(&["ask", "reply"]).start("ask").edge("ask", "reply").edge("reply", "nowhere"),
        &["reply leads to nowhere, which does not exist"],
    );
}

#[test]
fn all_problems_are_told_in_one_error() {
    let error = nodes(&["ask", "ask", "reply", "lost"])
        .edge("ask", "repli")
        .end("reply")
        .edge("lost", "lost")
        .build()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the graph cannot be built:\n\
         - node ask is added twice\n\
         - no start is set\n\
         - ask leads to repli, which does not exist; did you mean reply?\n\
         - node lost has no way to the end"
    );
}
