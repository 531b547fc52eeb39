//! The two threads of a conversation: the order, which lasts, and questions beside it, after which
//! a bridge leads back.

use pack::files::Thread;
use serde::{Deserialize, Serialize};

use super::act::run;
use super::spec::DATA;
use super::state::FlowState;

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    Order,
    Info,
    Mixed,
}

impl About {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Info => "info",
            Self::Mixed => "mixed",
        }
    }
}

/// What a question interrupted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Interrupted {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) state: String,
    pub(super) last_product: Option<String>,
    pub(super) cart_summary: String,
}

fn thread(state: &FlowState<'_>, intent: &str) -> Option<Thread> {
    if intent == DATA {
        return Some(Thread::Order);
    }
    state.spec.intent(intent)?.thread
}

/// What these intents are about, if about either.
pub(super) fn about(state: &FlowState<'_>) -> Option<About> {
    let intents = state.verdict.intents();
    let is = |wanted| intents.iter().any(|intent| thread(state, intent) == Some(wanted));
    match (is(Thread::Order), is(Thread::Info)) {
        (true, true) => Some(About::Mixed),
        (true, false) => Some(About::Order),
        (false, true) => Some(About::Info),
        (false, false) => None,
    }
}

/// Questions are answered first: what follows leads on with the order.
pub(super) fn sorted(state: &FlowState<'_>, mut intents: Vec<String>) -> Vec<String> {
    intents.sort_by_key(|intent| match thread(state, intent) {
        Some(Thread::Info) => 0,
        None => 1,
        Some(Thread::Order) => 2,
    });
    intents
}

/// Whether the answer to a question leaves an order to be taken up again.
pub(super) fn needs_bridge(state: &FlowState<'_>) -> bool {
    let under_way = state.spec.flow.shop.is_none() || !state.memory.shop.cart.is_empty();
    about(state) == Some(About::Info)
        && under_way
        && state.handoff.is_none()
        && !state.closes
        && !state.moved
        && !state.spec.mode(&state.mode).bridge.is_empty()
}

/// Remembers what a question interrupts.
pub(super) fn interrupt(state: &mut FlowState<'_>) {
    if !needs_bridge(state) {
        return;
    }
    let shop = &state.memory.shop;
    let interrupted = Interrupted {
        kind: "order".to_owned(),
        state: state.mode.clone(),
        last_product: shop.last.as_ref().map(|goods| goods.title.clone()),
        cart_summary: shop.cart.summary(state.spec.fields.conjunction()),
    };
    let note = serde_json::to_string(&interrupted).unwrap_or_default();
    state.notes.other.push(format!("interrupted: {note}"));
    state.memory.interrupted = Some(interrupted);
}

/// `bridge`: leads from the answer back to the order it interrupted.
pub(super) async fn bridge(state: &mut FlowState<'_>) {
    run(state, &state.spec.mode(&state.mode).bridge).await;
    state.memory.interrupted = None;
}
