//! Giving a conversation to a person, and taking it up again: when, with what, and where.

use domain::{Handoff, Trigger, Unattended};
use serde_json::Map;

use super::act::hand_off;
use super::facts::values;
use super::plan::{Decided, Effect};
use super::say::{say_message, say_words};
use super::shop;
use super::turn::{Cause, Turn};

/// As much of a message as a person is shown of what the customer waits for.
const ISSUE: usize = 300;

/// In how many messages in a row nothing is understood before a person looks, where a flow does not
/// say.
const UNANSWERED_TIMES: u32 = 3;

/// Counts what went wrong in a row, and gives up where the flow says so.
pub(super) fn count(turn: &mut Turn<'_>) {
    if turn.heard().is_none() && !turn.progress.unanswered {
        return;
    }
    let unresolved = if turn.progress.unresolved { turn.state.memory.unresolved + 1 } else { 0 };
    turn.state.memory.unresolved = unresolved;
    let policies = &turn.spec.flow.escalation;
    let over = |count: u32, policy: Option<pack::files::InARow>| {
        policy.is_some_and(|policy| count >= policy.times)
    };
    // Silence that only the last resort broke is not borne for long by any flow.
    let resort =
        turn.progress.unanswered.then_some(pack::files::InARow { times: UNANSWERED_TIMES });
    let errors = turn.state.memory.errors;
    if turn.progress.tool_failed && over(errors, policies.errors) {
        let reason = format!("tools failed in {errors} messages in a row");
        hand_off(turn, Trigger::ConsecutiveErrors, &reason);
    } else if turn.progress.unresolved && over(unresolved, policies.unresolved.or(resort)) {
        // The question that this turn would have asked back is neither said nor waited for.
        turn.plan = std::mem::take(&mut turn.plan).without_words();
        turn.state.memory.clarifying.clear();
        let reason = format!("{unresolved} messages in a row led to nothing");
        hand_off(turn, Trigger::NotUnderstood, &reason);
    }
}

/// The handoff with all a person should know, and the words for the customer meanwhile.
pub(super) fn complete(turn: &mut Turn<'_>) -> Option<Handoff> {
    let mut handoff = turn.plan.handoff()?.clone();
    let rules = &turn.spec.flow.handoff;
    let cart = &turn.state.memory.shop.cart;
    if !cart.is_empty() {
        handoff.cart = Some(cart.summary(&turn.spec.fields.and));
    }
    let heard = turn.heard().map(|heard| heard.text.original());
    handoff.issue = heard.map(|text| text.chars().take(ISSUE).collect());
    let text = |template: &str| {
        let texts = &turn.spec.pack().templates;
        texts
            .render(template, 0, &values(turn, template))
            .ok()
            .filter(|text| !text.trim().is_empty())
    };
    handoff.attending = rules.attending.as_deref().and_then(text);
    handoff.unattended = rules.unattended.as_ref().and_then(|unattended| {
        Some(Unattended { after_ms: unattended.after.ms(), text: text(&unattended.say)? })
    });
    if let Some(mode) = rules.mode {
        turn.will(Effect::Go(mode));
    }
    // A person begins afresh with the customer.
    turn.state.memory.errors = 0;
    turn.state.memory.unresolved = 0;
    Some(handoff)
}

/// A person gave the conversation back: where the flow goes on, and what it says.
pub(super) fn take_up_again(turn: &mut Turn<'_>) -> Decided<()> {
    let Cause::Returned { mode, message } = turn.given.cause else { return Ok(()) };
    shop::revive(turn)?;
    let spec = turn.spec;
    let wish = mode.and_then(|wish| spec.flow.mode_named(wish));
    let mut returns = spec.flow.handoff.returns.iter();
    let mut apt = || returns.find(|(_, when)| when.holds(&*turn));
    if let Some(mode) = wish.or_else(|| apt().map(|(mode, _)| *mode)) {
        turn.will(Effect::Go(mode));
    }
    turn.state.memory.interrupted = None;
    match message {
        Some(message) => say_words(turn, message.to_owned()),
        None => say_message(turn, &spec.flow.messages.back, Map::new()),
    }
    Ok(())
}
