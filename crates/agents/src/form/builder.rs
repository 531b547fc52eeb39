//! The form's graph: eight nodes, four routers.

use std::sync::LazyLock;

use graph::Graph;

use super::nodes::{
    check_correction, check_escalation, check_off_topic, complete, escalate, extract_field,
    prompt_next, validate,
};
use super::routers::{
    route_after_correction_check, route_after_escalation_check, route_after_off_topic_check,
    route_after_validate,
};
use super::state::FormGraph;

/// The graph that every form walks.
pub(crate) static GRAPH: LazyLock<Graph<FormGraph>> = LazyLock::new(build);

/// Builds the graph. To add a node: its function, its line here, its edges.
fn build() -> Graph<FormGraph> {
    Graph::<FormGraph>::builder()
        .node("check_escalation", check_escalation)
        .node("check_correction", check_correction)
        .node("check_off_topic", check_off_topic)
        .sync("extract_field", extract_field)
        .sync("validate", validate)
        .sync("prompt_next", prompt_next)
        .sync("escalate", escalate)
        .node("complete", complete)
        .start("check_escalation")
        .route(
            "check_escalation",
            "route_after_escalation_check",
            &["escalate", "check_correction"],
            route_after_escalation_check,
        )
        .route(
            "check_correction",
            "route_after_correction_check",
            &["extract_field", "check_off_topic"],
            route_after_correction_check,
        )
        .route(
            "check_off_topic",
            "route_after_off_topic_check",
            &["complete", "prompt_next", "extract_field"],
            route_after_off_topic_check,
        )
        .edge("extract_field", "validate")
        .route(
            "validate",
            "route_after_validate",
            &["complete", "prompt_next"],
            route_after_validate,
        )
        .end("prompt_next")
        .end("escalate")
        .end("complete")
        .build()
        .expect("the form's graph is sound")
}
