//! The last resort of a flow: no message of a customer is met with silence, whichever way its turn
//! took.

use domain::Trigger;
use serde_json::Map;

use super::act::hand_off;
use super::say::say_message;
use super::state::{Cause, FlowState};
use crate::UNANSWERED;

/// Sees to it that a turn for a customer's message has said something, given it to a person or ended
/// the session. A pack's own answers should leave nothing to do here, so the trace says when it was.
pub(super) fn end(state: &mut FlowState<'_>) {
    let wrote = matches!(state.cause, Cause::Message(_) | Cause::Unreadable);
    let answered =
        |state: &FlowState<'_>| state.said_something() || state.handoff.is_some() || state.closes;
    if !wrote || answered(state) {
        return;
    }
    state.notes.other.push(UNANSWERED.to_owned());
    state.unanswered = true;
    state.unresolved = true;
    let messages = &state.spec.flow.messages;
    for template in [&messages.unclear, &messages.other] {
        if !answered(state) {
            say_message(state, template, Map::new());
        }
    }
    if !answered(state) {
        hand_off(state, Trigger::NotUnderstood, UNANSWERED);
    }
}
