//! The four choices of the graph, each from the state alone.

use super::state::GraphState;

pub(crate) fn route_after_escalation_check(state: &GraphState<'_>) -> &'static str {
    if state.should_escalate { "escalate" } else { "check_correction" }
}

pub(crate) fn route_after_correction_check(state: &GraphState<'_>) -> &'static str {
    if state.is_correction { "extract_field" } else { "check_off_topic" }
}

/// A complete form stays complete whatever is said; then what is beside the point; else a value.
pub(crate) fn route_after_off_topic_check(state: &GraphState<'_>) -> &'static str {
    if state.all_fields_collected() {
        "complete"
    } else if state.is_off_topic {
        "prompt_next"
    } else {
        "extract_field"
    }
}

pub(crate) fn route_after_validate(state: &GraphState<'_>) -> &'static str {
    if state.all_fields_collected() { "complete" } else { "prompt_next" }
}
