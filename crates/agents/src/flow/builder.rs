//! The flow's graph: how every turn of a flow is walked.

use std::sync::LazyLock;

use graph::Graph;
use pack::files::WhenSpent;

use super::clarify::clarify;
use super::collect::collect;
use super::decide::decide;
use super::detect::{detect, reanalyse};
use super::handoff::take_up_again;
use super::nodes::{answer_wordless, check_escalation, escalate, fire, say_goodbye};
use super::orchestrate::orchestrate;
use super::shop::read_order;
use super::state::{Band, Cause, FlowGraph, FlowState};
use super::thread::{bridge, needs_bridge};
use super::understand::understand;
use crate::model::served;

pub(super) static GRAPH: LazyLock<Graph<FlowGraph>> = LazyLock::new(build);

/// Builds the graph. To add a node: its function, its line here, its edges.
fn build() -> Graph<FlowGraph> {
    Graph::<FlowGraph>::builder()
        .node("check_escalation", check_escalation)
        .sync("understand", understand)
        .node("collect", collect)
        .node("detect", detect)
        .node("reanalyse", reanalyse)
        .node("read_order", read_order)
        .node("bridge", bridge)
        .sync("clarify", clarify)
        .sync("hand_off", escalate)
        .node("orchestrate", orchestrate)
        .node("decide", decide)
        .node("fire", fire)
        .sync("answer_wordless", answer_wordless)
        .node("take_up_again", take_up_again)
        .sync("say_goodbye", say_goodbye)
        .start("check_escalation")
        .route(
            "check_escalation",
            "route_by_cause",
            &["hand_off", "understand", "fire", "take_up_again", "answer_wordless"],
            route_by_cause,
        )
        .route("understand", "route_unless_agreed", &["collect", "detect"], route_unless_agreed)
        .route("collect", "route_to_shop", &["read_order", "detect"], route_to_shop)
        .edge("read_order", "detect")
        .route("decide", "route_after_decision", &["bridge", graph::END], route_after_decision)
        .route("detect", "route_by_band", BY_BAND, route_by_band)
        .route("reanalyse", "route_by_second_look", BY_BAND, route_by_band)
        .route("orchestrate", "route_after_model", AFTER_MODEL, route_after_model)
        .end("hand_off")
        .end("clarify")
        .end("bridge")
        .end("fire")
        .end("answer_wordless")
        .end("take_up_again")
        .end("say_goodbye")
        .build()
        .expect("the flow's graph is sound")
}

const BY_BAND: &[&str] =
    &["orchestrate", "decide", "reanalyse", "clarify", "hand_off", "say_goodbye"];
const AFTER_MODEL: &[&str] = &["decide", "bridge", "say_goodbye", graph::END];

fn route_by_cause(state: &FlowState<'_>) -> &'static str {
    if state.escalates.is_some() {
        return "hand_off";
    }
    match state.cause {
        Cause::Message(_) => "understand",
        Cause::Timer(_) => "fire",
        Cause::Returned { .. } => "take_up_again",
        Cause::Unreadable | Cause::Deadline | Cause::Forgotten => "answer_wordless",
    }
}

/// A yes is nothing but a yes: what it repeats of the summary is no data and no order.
fn route_unless_agreed(state: &FlowState<'_>) -> &'static str {
    if state.agreed_to().is_some() { "detect" } else { "collect" }
}

fn route_to_shop(state: &FlowState<'_>) -> &'static str {
    if state.spec.flow.shop.is_some() { "read_order" } else { "detect" }
}

fn route_after_decision(state: &FlowState<'_>) -> &'static str {
    if needs_bridge(state) { "bridge" } else { graph::END }
}

fn closes_when_spent(state: &FlowState<'_>) -> bool {
    state.spent && state.spec.pack().manifest.budget.when_spent == WhenSpent::Close
}

fn route_by_band(state: &FlowState<'_>) -> &'static str {
    if closes_when_spent(state) {
        return "say_goodbye";
    }
    // Given to a person while collecting: there is nothing left to decide but to say so.
    if state.handoff.is_some() {
        return "decide";
    }
    match state.second_look.or(state.band).unwrap_or(Band::HandOff) {
        Band::Proceed if has_orchestrator(state) => "orchestrate",
        Band::Proceed => "decide",
        Band::Reanalyse => "reanalyse",
        Band::Clarify => "clarify",
        Band::HandOff => "hand_off",
    }
}

fn has_orchestrator(state: &FlowState<'_>) -> bool {
    let orchestrator = state.spec.pack().manifest.models.orchestrator.as_ref();
    served(orchestrator, &*state.context).is_some() && state.without_model.is_none()
}

fn route_after_model(state: &FlowState<'_>) -> &'static str {
    if closes_when_spent(state) {
        "say_goodbye"
    } else if state.settled {
        route_after_decision(state)
    } else {
        "decide"
    }
}
