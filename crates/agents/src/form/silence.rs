//! The last resort of a form: no message of a customer is met with silence.

use super::memory::Escalated;
use super::say::Say;
use super::state::{Cause, GraphState};
use crate::UNANSWERED;

/// As many messages in a row as may go unanswered before a person looks.
const MOST: u32 = 3;

/// Sees to it that a turn for a customer's message has said something, or gives it to a person.
pub(super) fn end(state: &mut GraphState<'_>) {
    let wrote = matches!(state.cause, Cause::Message(_) | Cause::Unreadable);
    if !wrote {
        return;
    }
    let said = |state: &GraphState<'_>| state.response.iter().any(|text| !text.trim().is_empty());
    if said(state) || state.conversation.talk.escalated.is_some() {
        state.conversation.talk.unanswered = 0;
        return;
    }
    state.metadata.notes.push(UNANSWERED.to_owned());
    state.conversation.talk.unanswered += 1;
    let messages = &state.spec.form.messages;
    if state.conversation.talk.unanswered < MOST {
        state.say(&messages.redirect);
        let asked = state.asked_for();
        if let Some(ask) = asked.and_then(|field| state.spec.fields[field].ask.as_ref()) {
            state.say(ask);
        }
    }
    if !said(state) {
        let reason = "nothing answered the message".to_owned();
        state.conversation.talk.escalated =
            Some(Escalated { policy: "unanswered".to_owned(), reason });
        state.say(&messages.escalate);
    }
}
