//! The flow's timers: armed for a silence in the modes they belong to, cancelled elsewhere.

use domain::{ArmTimer, TimerCondition};
use serde_json::Value;

use super::spec::Spec;
use super::turn::{Cause, Turn};
use crate::Outcome;

/// Begins the key of a flow's own timer.
const PREFIX: &str = "flow.";
/// The key of the timer after which the flow has taken too long.
const TIMEOUT: &str = "timeout";

/// Why a timer's turn is taken.
pub(super) fn cause(spec: &Spec, key: &str) -> Cause<'static> {
    if key == TIMEOUT {
        return Cause::Deadline;
    }
    let name = key.strip_prefix(PREFIX).unwrap_or(key);
    match spec.flow.timers.iter().position(|timer| timer.name == name) {
        Some(at) => Cause::Timer(at),
        None => Cause::Forgotten,
    }
}

/// Arms what a silence from now on would bring, and cancels the rest.
pub(super) fn set(turn: &mut Turn<'_>, outcome: &mut Outcome) {
    let before = std::mem::take(&mut turn.state.memory.armed);
    let over = turn.plan.closes() || outcome.handoff.is_some();
    if !over {
        arm(turn, &before, outcome);
    }
    let gone = before.into_iter().filter(|name| over || !turn.state.memory.armed.contains(name));
    outcome.cancel.extend(gone.map(|name| key(&name)));
    deadline(turn, outcome, over);
}

fn arm(turn: &mut Turn<'_>, before: &[String], outcome: &mut Outcome) {
    let spec = turn.spec;
    // A person's return, like the customer's word, begins a silence anew.
    let spoke = !matches!(turn.given.cause, Cause::Timer(_) | Cause::Deadline | Cause::Forgotten);
    for timer in &spec.flow.timers {
        let applies = timer.modes.contains(&turn.state.mode) && timer.when.holds(&*turn);
        let fresh = spoke || turn.plan.moves() > 0;
        let pending = !turn.state.memory.fired.contains(&timer.name);
        if !applies || !pending {
            continue;
        }
        turn.state.memory.armed.push(timer.name.clone());
        // A timer that already runs goes on running, unless the silence began anew.
        if fresh || !before.contains(&timer.name) {
            outcome.arm.push(ArmTimer {
                key: key(&timer.name),
                due_at: turn.given.now.plus_ms(timer.after.ms()),
                condition: TimerCondition::Silence,
                payload: Value::Null,
            });
        }
    }
}

fn key(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// The moment at which the flow has taken too long, where the pack has one.
fn deadline(turn: &Turn<'_>, outcome: &mut Outcome, over: bool) {
    let timeout = turn.spec.flow.escalation.timeout;
    if !timeout.enabled {
        return;
    }
    if over || turn.mode().end {
        outcome.cancel.push(TIMEOUT.to_owned());
    } else if turn.state.memory.talk.since == Some(turn.given.now) {
        outcome.arm.push(ArmTimer {
            key: TIMEOUT.to_owned(),
            due_at: turn.given.now.plus_ms(timeout.after.ms()),
            condition: TimerCondition::Always,
            payload: Value::Null,
        });
    }
}
