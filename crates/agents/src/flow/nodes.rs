//! The nodes that begin and end a walk: escalation, silence, a person's return, what has no words.

use domain::{Handoff, Trigger};
use pack::program::IntentId;
use serde_json::Map;

use super::act::{hand_off, run};
use super::begin::{begin, begins};
use super::perform::perform;
use super::plan::{Decided, Effect};
use super::reading::IntentRanking;
use super::say::say_message;
use super::turn::{Cause, Turn};
use crate::Context;
use crate::form;

/// Whether a person should take over, by the policies that forms have too.
pub(super) async fn check_escalation(turn: &mut Turn<'_>, context: &mut dyn Context) {
    if begins(turn) {
        perform(turn, context, begin).await;
    }
    let cause = match turn.given.cause {
        Cause::Message(heard) => form::Cause::Message(heard),
        Cause::Deadline => form::Cause::Deadline,
        _ => return,
    };
    let (fields, now) = (&turn.spec.fields, turn.given.now);
    let (conversation, escalation) =
        form::escalation(fields, now, cause, turn.conversation(), context).await;
    turn.converse(conversation);
    turn.notes.rules.extend(escalation.rules);
    if let Some(why) = escalation.why {
        turn.reading.ranking = IntentRanking::by_rule(vec![IntentId::ESCALATION]);
        turn.reading.escalates = Some(why.handoff());
    }
}

pub(super) fn escalate(turn: &mut Turn<'_>) {
    let why = turn.reading.escalates.take();
    let why = why.unwrap_or_else(|| Handoff::new(Trigger::NotUnderstood, not_understood(turn)));
    hand_off(turn, why.trigger, &why.reason);
}

fn not_understood(turn: &Turn<'_>) -> String {
    let percent = turn.reading.ranking.confidence() * 100.0;
    format!("not understood: {} at {percent:.0} %", turn.intent_name(turn.reading.ranking.intent()))
}

/// A silence: what its timer says, if that still makes sense.
pub(super) fn fire(turn: &mut Turn<'_>) -> Decided<()> {
    let Cause::Timer(at) = turn.given.cause else { return Ok(()) };
    let spec = turn.spec;
    let timer = &spec.flow.timers[at];
    turn.state.memory.fired.push(timer.name.clone());
    let applies = timer.modes.contains(&turn.state.mode) && timer.when.holds(&*turn);
    if !applies {
        turn.notes.other.push(format!("timer {}: it no longer applies", timer.name));
        return Ok(());
    }
    run(turn, &timer.actions)
}

/// Answers a message without words.
pub(super) fn answer_wordless(turn: &mut Turn<'_>) {
    let messages = &turn.spec.flow.messages;
    if let Cause::Unreadable = turn.given.cause {
        say_message(turn, &messages.unreadable, Map::new());
    }
}

/// The budget is spent and the pack wants to close then.
pub(super) fn say_goodbye(turn: &mut Turn<'_>) {
    if let Some(template) = turn.spec.flow.messages.spent.clone() {
        say_message(turn, &template, Map::new());
        let spent = Handoff::new(Trigger::Rule, "the budget for models is spent");
        turn.will(Effect::HandOff(spent));
    } else {
        hand_off(turn, Trigger::Rule, "the budget for models is spent");
    }
}
