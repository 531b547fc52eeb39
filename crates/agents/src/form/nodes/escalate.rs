//! `escalate`: marks the conversation as escalated, with policy and reason, and says so.

use crate::form::say::Say;
use crate::form::state::GraphState;

pub(crate) fn escalate(state: &mut GraphState<'_>) {
    state.conversation.talk.escalated = state.escalation_reason.clone();
    state.say(&state.spec.form.messages.escalate);
}
