//! The last resort of a flow: no message of a customer is met with silence, whichever way its turn
//! took.

use domain::Trigger;
use serde_json::Map;

use super::act::hand_off;
use super::say::say_message;
use super::turn::{Cause, Turn};
use crate::UNANSWERED;

/// Sees to it that a turn for a customer's message has said something, given it to a person or ended
/// the session. A pack's own answers should leave nothing to do here, so the trace says when it was.
pub(super) fn end(turn: &mut Turn<'_>) {
    let wrote = matches!(turn.given.cause, Cause::Message(_) | Cause::Unreadable);
    let answered = |turn: &Turn<'_>| turn.plan.says_something() || turn.plan.is_over();
    if !wrote || answered(turn) {
        return;
    }
    turn.notes.other.push(UNANSWERED.to_owned());
    turn.progress.unanswered = true;
    turn.progress.unresolved = true;
    let messages = &turn.spec.flow.messages;
    for template in [&messages.unclear, &messages.other] {
        if !answered(turn) {
            say_message(turn, template, Map::new());
        }
    }
    if !answered(turn) {
        hand_off(turn, Trigger::NotUnderstood, UNANSWERED);
    }
}
