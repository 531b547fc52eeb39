//! The form's graph: eight nodes, four routers.

use std::pin::Pin;
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
use super::state::GraphState;
use crate::Context;

/// The work of a node: some ask a model, most only think.
pub(crate) enum Work {
    Thinks(fn(&mut GraphState<'_>)),
    Asks(for<'t, 'a> fn(&'t mut GraphState<'a>, &'t mut dyn Context) -> Asking<'t>),
}

type Asking<'t> = Pin<Box<dyn Future<Output = ()> + Send + 't>>;

type Router = fn(&GraphState<'_>) -> &'static str;

/// The graph that every form walks.
pub(crate) static GRAPH: LazyLock<Graph<Work, Router>> = LazyLock::new(build);

/// Builds the graph. To add a node: its function, its line here, its edges.
fn build() -> Graph<Work, Router> {
    use Work::{Asks, Thinks};
    Graph::<Work, Router>::builder()
        .node("check_escalation", Asks(|state, context| Box::pin(check_escalation(state, context))))
        .node("check_correction", Asks(|state, context| Box::pin(check_correction(state, context))))
        .node("check_off_topic", Asks(|state, context| Box::pin(check_off_topic(state, context))))
        .node("extract_field", Thinks(extract_field))
        .node("validate", Thinks(validate))
        .node("prompt_next", Thinks(prompt_next))
        .node("escalate", Thinks(escalate))
        .node("complete", Asks(|state, context| Box::pin(complete(state, context))))
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
