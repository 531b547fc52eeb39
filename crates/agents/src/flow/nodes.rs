//! The nodes that begin and end a walk: escalation, silence, a person's return, what has no words.

use domain::{Handoff, Trigger};
use serde_json::Map;

use super::act::{hand_off, run};
use super::begin::begin;
use super::say::say_message;
use super::state::{Cause, FlowState};
use crate::form::memory::Conversation;
use crate::form::nodes::check_escalation as form_escalation;
use crate::form::state::{Cause as FormCause, GraphState};

/// Whether a person should take over, by the policies that forms have too.
pub(super) async fn check_escalation(state: &mut FlowState<'_>) {
    begin(state).await;
    let cause = match state.cause {
        Cause::Message(heard) => FormCause::Message(heard),
        Cause::Deadline => FormCause::Deadline,
        _ => return,
    };
    let conversation = Conversation {
        data: std::mem::take(&mut state.data),
        talk: std::mem::take(&mut state.memory.talk),
    };
    let spec = state.spec;
    let mut form = GraphState::new(&spec.fields, &mut *state.context, cause, conversation);
    form_escalation(&mut form).await;
    let GraphState { conversation, escalation_reason, metadata, .. } = form;
    state.data = conversation.data;
    state.memory.talk = conversation.talk;
    state.notes.rules.extend(metadata.rules);
    if let Some(why) = escalation_reason {
        state.verdict = super::state::Verdict::by_rule(vec!["escalacion".to_owned()]);
        state.escalates = Some(why.handoff());
    }
}

pub(super) fn escalate(state: &mut FlowState<'_>) {
    let why = state.escalates.take();
    let why = why.unwrap_or_else(|| Handoff::new(Trigger::NotUnderstood, not_understood(state)));
    hand_off(state, why.trigger, &why.reason);
}

fn not_understood(state: &FlowState<'_>) -> String {
    let percent = state.verdict.confidence() * 100.0;
    format!("not understood: {} at {percent:.0} %", state.verdict.intent())
}

/// A silence: what its timer says, if that still makes sense.
pub(super) async fn fire(state: &mut FlowState<'_>) {
    let Cause::Timer(at) = state.cause else { return };
    let spec = state.spec;
    let timer = &spec.flow.timers[at];
    state.memory.fired.push(timer.name.clone());
    let applies = timer.modes.contains(&state.mode) && spec.holds(timer.when.as_ref(), &*state);
    if !applies {
        state.notes.other.push(format!("timer {}: it no longer applies", timer.name));
        return;
    }
    run(state, &timer.actions).await;
}

/// What there is to say when nothing was said that could be understood.
pub(super) fn answer_wordless(state: &mut FlowState<'_>) {
    let messages = &state.spec.flow.messages;
    if let Cause::Unreadable = state.cause {
        say_message(state, &messages.unreadable, Map::new());
    }
}

/// The budget is spent and the pack wants to close then.
pub(super) fn say_goodbye(state: &mut FlowState<'_>) {
    if let Some(template) = state.spec.flow.messages.spent.clone() {
        say_message(state, &template, Map::new());
        state.handoff = Some(Handoff::new(Trigger::Rule, "the budget for models is spent"));
    } else {
        hand_off(state, Trigger::Rule, "the budget for models is spent");
    }
}
