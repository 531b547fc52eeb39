//! `clarify`: asks the customer which of the likely things was meant.

use domain::{Confidence, Trigger};
use pack::program::IntentId;
use serde_json::Map;

use super::act::hand_off;
use super::say::say_message;
use super::turn::Turn;

/// As many as are offered.
const OPTIONS: usize = 3;

/// An intent less likely than this is not offered.
const LIKELY: f64 = 0.08;

pub(super) fn clarify(turn: &mut Turn<'_>) {
    let spec = turn.spec;
    if turn.state.memory.clarified >= spec.flow.bands.clarify_times {
        hand_off(turn, Trigger::NotUnderstood, "not understood after asking what was meant");
        return;
    }
    turn.state.memory.clarified += 1;
    turn.progress.unresolved = true;
    let can_be_meant = |(intent, sure): &&(IntentId, Confidence)| {
        sure.get() >= LIKELY && ![IntentId::OTHER, IntentId::DATA].contains(intent)
    };
    let ranked = turn.reading.ranking.ranked.iter().filter(can_be_meant);
    let offered: Vec<(String, &str)> = ranked
        .map(|(intent, _)| spec.flow.intent(*intent))
        .filter_map(|intent| Some((intent.name.clone(), intent.label.as_deref()?)))
        .take(OPTIONS)
        .collect();
    if offered.len() < 2 {
        let unclear = spec.flow.messages.unclear.clone();
        say_message(turn, &unclear, Map::new());
        return;
    }
    let lines = offered.iter().enumerate().map(|(at, (_, label))| format!("{}. {label}", at + 1));
    let options = lines.collect::<Vec<_>>().join("\n");
    turn.state.memory.clarifying = offered.into_iter().map(|(intent, _)| intent).collect();
    let clarify = spec.flow.messages.clarify.clone();
    say_message(turn, &clarify, Map::from_iter([("opciones".to_owned(), options.into())]));
}
