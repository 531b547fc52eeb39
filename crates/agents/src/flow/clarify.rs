//! `clarify`: asks the customer which of the likely things was meant.

use domain::Trigger;
use serde_json::Map;

use super::act::hand_off;
use super::say::say_message;
use super::spec::{DATA, OTHER};
use super::state::FlowState;

/// As many as are offered.
const OPTIONS: usize = 3;

/// An intent less likely than this is not offered.
const LIKELY: f64 = 0.08;

pub(super) fn clarify(state: &mut FlowState<'_>) {
    let spec = state.spec;
    if state.memory.clarified >= spec.flow.bands.clarify_times {
        hand_off(state, Trigger::NotUnderstood, "not understood after asking what was meant");
        return;
    }
    state.memory.clarified += 1;
    state.unresolved = true;
    let offered: Vec<(String, String)> = state
        .verdict
        .ranked
        .iter()
        .filter(|(intent, sure)| sure.get() >= LIKELY && intent != OTHER && intent != DATA)
        .filter_map(|(intent, _)| Some((intent.clone(), spec.intent(intent)?.label.clone()?)))
        .take(OPTIONS)
        .collect();
    if offered.len() < 2 {
        let unclear = spec.flow.messages.unclear.clone();
        say_message(state, &unclear, Map::new());
        return;
    }
    let lines = offered.iter().enumerate().map(|(at, (_, label))| format!("{}. {label}", at + 1));
    let options = lines.collect::<Vec<_>>().join("\n");
    state.memory.clarifying = offered.into_iter().map(|(intent, _)| intent).collect();
    let clarify = spec.flow.messages.clarify.clone();
    say_message(state, &clarify, Map::from_iter([("opciones".to_owned(), options.into())]));
}
