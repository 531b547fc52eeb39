//! The flow's graph: how every turn of a flow is walked.

use std::pin::Pin;
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
use super::plan::Decided;
use super::reading::Band;
use super::shop::read_order;
use super::thread::{bridge, needs_bridge};
use super::turn::{Cause, Turn};
use super::understand::understand;
use crate::Context;

/// The work of a node.
pub(super) enum Work {
    /// Thinks, and needs nothing of the world.
    Thinks(fn(&mut Turn<'_>)),
    /// Decides what is to happen.
    Decides(for<'a> fn(&mut Turn<'a>) -> Decided<()>),
    /// Finds out what the message says, and may ask a model or look into the catalogue.
    Reads(for<'t, 'a> fn(&'t mut Turn<'a>, &'t mut dyn Context) -> Reading<'t>),
}

type Reading<'t> = Pin<Box<dyn Future<Output = ()> + Send + 't>>;

type Router = fn(&Turn<'_>) -> &'static str;

pub(super) static GRAPH: LazyLock<Graph<Work, Router>> = LazyLock::new(build);

/// Builds the graph. To add a node: its function, its line here, its edges.
fn build() -> Graph<Work, Router> {
    use Work::{Decides, Reads, Thinks};
    Graph::<Work, Router>::builder()
        .node("check_escalation", Reads(|turn, context| Box::pin(check_escalation(turn, context))))
        .node("understand", Thinks(understand))
        .node("collect", Reads(|turn, context| Box::pin(collect(turn, context))))
        .node("detect", Reads(|turn, context| Box::pin(detect(turn, context))))
        .node("reanalyse", Reads(|turn, context| Box::pin(reanalyse(turn, context))))
        .node("read_order", Reads(|turn, context| Box::pin(read_order(turn, context))))
        .node("bridge", Decides(bridge))
        .node("clarify", Thinks(clarify))
        .node("hand_off", Thinks(escalate))
        .node("orchestrate", Reads(|turn, context| Box::pin(orchestrate(turn, context))))
        .node("decide", Decides(decide))
        .node("fire", Decides(fire))
        .node("answer_wordless", Thinks(answer_wordless))
        .node("take_up_again", Decides(take_up_again))
        .node("say_goodbye", Thinks(say_goodbye))
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

fn route_by_cause(turn: &Turn<'_>) -> &'static str {
    if turn.reading.escalates.is_some() {
        return "hand_off";
    }
    match turn.given.cause {
        Cause::Message(_) => "understand",
        Cause::Timer(_) => "fire",
        Cause::Returned { .. } => "take_up_again",
        Cause::Unreadable | Cause::Deadline | Cause::Forgotten => "answer_wordless",
    }
}

/// A yes is nothing but a yes: what it repeats of the summary is no data and no order.
fn route_unless_agreed(turn: &Turn<'_>) -> &'static str {
    if turn.agreed_to().is_some() { "detect" } else { "collect" }
}

fn route_to_shop(turn: &Turn<'_>) -> &'static str {
    if turn.spec.flow.shop.is_some() { "read_order" } else { "detect" }
}

fn route_after_decision(turn: &Turn<'_>) -> &'static str {
    if needs_bridge(turn) { "bridge" } else { graph::END }
}

fn closes_when_spent(turn: &Turn<'_>) -> bool {
    turn.models.spent && turn.spec.pack().manifest.budget.when_spent == WhenSpent::Close
}

fn route_by_band(turn: &Turn<'_>) -> &'static str {
    if closes_when_spent(turn) {
        return "say_goodbye";
    }
    // Given to a person while collecting: there is nothing left to decide but to say so.
    if turn.plan.hands_off() {
        return "decide";
    }
    match turn.reading.second_look.or(turn.reading.band).unwrap_or(Band::HandOff) {
        Band::Proceed if has_orchestrator(turn) => "orchestrate",
        Band::Proceed => "decide",
        Band::Reanalyse => "reanalyse",
        Band::Clarify => "clarify",
        Band::HandOff => "hand_off",
    }
}

fn has_orchestrator(turn: &Turn<'_>) -> bool {
    turn.given.served.orchestrator && turn.models.away.is_none()
}

fn route_after_model(turn: &Turn<'_>) -> &'static str {
    if closes_when_spent(turn) {
        "say_goodbye"
    } else if turn.progress.is_decided {
        route_after_decision(turn)
    } else {
        "decide"
    }
}
