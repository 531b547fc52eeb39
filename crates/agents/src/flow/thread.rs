//! The two threads of a conversation: the order, which lasts, and questions beside it, after which
//! a bridge leads back.

use pack::files::Thread;
use pack::program::IntentId;
use serde::{Deserialize, Serialize};

use super::act::run;
use super::plan::Decided;
use super::turn::Turn;

/// The subject of a message.
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

/// The order that a question interrupted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Interrupted {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) state: String,
    pub(super) last_product: Option<String>,
    pub(super) cart_summary: String,
}

/// The thread of an intent. Data is always of the order.
fn thread(turn: &Turn<'_>, intent: IntentId) -> Option<Thread> {
    if intent == IntentId::DATA {
        return Some(Thread::Order);
    }
    turn.spec.flow.intent(intent).thread
}

/// The subject of these intents, if they have either.
pub(super) fn about(turn: &Turn<'_>) -> Option<About> {
    let intents = turn.reading.ranking.intents();
    let is = |wanted| intents.iter().any(|intent| thread(turn, *intent) == Some(wanted));
    match (is(Thread::Order), is(Thread::Info)) {
        (true, true) => Some(About::Mixed),
        (true, false) => Some(About::Order),
        (false, true) => Some(About::Info),
        (false, false) => None,
    }
}

/// Questions are answered first: what follows leads on with the order.
pub(super) fn sorted(turn: &Turn<'_>, mut intents: Vec<IntentId>) -> Vec<IntentId> {
    intents.sort_by_key(|intent| match thread(turn, *intent) {
        Some(Thread::Info) => 0,
        None => 1,
        Some(Thread::Order) => 2,
    });
    intents
}

/// Whether the answer to a question leaves an order to be taken up again.
pub(super) fn needs_bridge(turn: &Turn<'_>) -> bool {
    let under_way = turn.spec.flow.shop.is_none() || !turn.state.memory.shop.cart.is_empty();
    about(turn) == Some(About::Info)
        && under_way
        && !turn.plan.is_over()
        && turn.plan.moves() == 0
        && !turn.mode().bridge.is_empty()
}

/// Remembers what a question interrupts.
pub(super) fn interrupt(turn: &mut Turn<'_>) {
    if !needs_bridge(turn) {
        return;
    }
    let shop = &turn.state.memory.shop;
    let interrupted = Interrupted {
        kind: "order".to_owned(),
        state: turn.mode().name.clone(),
        last_product: shop.last.as_ref().map(|goods| goods.title.clone()),
        cart_summary: shop.cart.summary(&turn.spec.fields.and),
    };
    let note = serde_json::to_string(&interrupted).unwrap_or_default();
    turn.notes.other.push(format!("interrupted: {note}"));
    turn.state.memory.interrupted = Some(interrupted);
}

/// `bridge`: leads from the answer back to the order it interrupted.
pub(super) fn bridge(turn: &mut Turn<'_>) -> Decided<()> {
    run(turn, &turn.mode().bridge)?;
    turn.state.memory.interrupted = None;
    Ok(())
}
