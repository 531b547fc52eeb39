//! Giving a conversation to a person, and taking it up again: when, with what, and where.

use domain::{Handoff, Trigger, Unattended};
use serde_json::Map;

use super::act::hand_off;
use super::facts::values;
use super::say::{say_message, send_words};
use super::shop;
use super::state::{Cause, FlowState};

/// As much of a message as a person is shown of what the customer waits for.
const ISSUE: usize = 300;

/// In how many messages in a row nothing is understood before a person looks, where a flow does not
/// say.
const UNANSWERED_TIMES: u32 = 3;

/// Counts what went wrong in a row, and gives up where the flow says so.
pub(super) fn count(state: &mut FlowState<'_>) {
    if state.heard().is_none() && !state.unanswered {
        return;
    }
    let unresolved = if state.unresolved { state.memory.unresolved + 1 } else { 0 };
    state.memory.unresolved = unresolved;
    let policies = &state.spec.flow.escalation;
    let over = |count: u32, policy: Option<pack::files::InARow>| {
        policy.is_some_and(|policy| count >= policy.times)
    };
    // Silence that only the last resort broke is not borne for long by any flow.
    let resort = state.unanswered.then_some(pack::files::InARow { times: UNANSWERED_TIMES });
    let errors = state.memory.errors;
    if state.tool_failed && over(errors, policies.errors) {
        let reason = format!("tools failed in {errors} messages in a row");
        hand_off(state, Trigger::ConsecutiveErrors, &reason);
    } else if state.unresolved && over(unresolved, policies.unresolved.or(resort)) {
        // What was asked back this time is not waited for any more, and is not sent.
        state.replies.clear();
        state.memory.clarifying.clear();
        let unsent = std::mem::take(&mut state.notes.templates).len();
        let sent = &mut state.session.templates_enviados;
        sent.truncate(sent.len().saturating_sub(unsent));
        let reason = format!("{unresolved} messages in a row led to nothing");
        hand_off(state, Trigger::NegativeSentiment, &reason);
    }
}

/// What a person should know, and what the customer is told meanwhile.
pub(super) fn complete(state: &mut FlowState<'_>) -> Option<Handoff> {
    let mut handoff = state.handoff.take()?;
    let rules = &state.spec.flow.handoff;
    let cart = &state.memory.shop.cart;
    if !cart.is_empty() {
        handoff.cart = Some(cart.summary(state.spec.fields.conjunction()));
    }
    let heard = state.heard().map(|heard| heard.text.original());
    handoff.issue = heard.map(|text| text.chars().take(ISSUE).collect());
    let text = |template: &str| {
        let texts = &state.spec.pack().templates;
        texts
            .render(template, 0, &values(state, template))
            .ok()
            .filter(|text| !text.trim().is_empty())
    };
    handoff.attending = rules.attending.as_deref().and_then(text);
    handoff.unattended = rules.unattended.as_ref().and_then(|unattended| {
        Some(Unattended { after_ms: unattended.after.ms(), text: text(&unattended.say)? })
    });
    if let Some(mode) = &rules.mode {
        state.mode.clone_from(mode);
    }
    // A person begins afresh with the customer.
    state.memory.errors = 0;
    state.memory.unresolved = 0;
    Some(handoff)
}

/// A person gave the conversation back: where the flow goes on, and what it says.
pub(super) async fn take_up_again(state: &mut FlowState<'_>) {
    let Cause::Returned { mode, message } = state.cause else { return };
    shop::revive(state).await;
    let spec = state.spec;
    let wish = mode.filter(|wish| spec.flow.modes.iter().any(|mode| mode.name == *wish));
    let returns = spec.flow.handoff.returns.iter();
    let apt = || returns.clone().find(|to| spec.holds(to.when.as_ref(), &*state));
    let mode = wish.or_else(|| apt().map(|to| to.mode.as_str()));
    if let Some(mode) = mode {
        state.mode = mode.to_owned();
        state.moved = true;
    }
    state.memory.interrupted = None;
    match message {
        Some(message) => send_words(state, message.to_owned()),
        None => say_message(state, &spec.flow.messages.back, Map::new()),
    }
}
