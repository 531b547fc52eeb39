//! What is done when a session begins: the flow's own first steps, and what is known already.

use serde_json::Value;

use super::act::run;
use super::state::FlowState;

pub(super) async fn begin(state: &mut FlowState<'_>) {
    let flow = &state.spec.flow;
    let known = flow.collect.as_ref().map(|collect| &collect.known);
    let nothing = flow.begin.is_empty() && known.is_none_or(|known| known.is_empty());
    if nothing || state.memory.begun {
        return;
    }
    state.memory.begun = true;
    run(state, &flow.begin).await;
    for (field, text) in known.into_iter().flatten() {
        if state.data.contains_key(field) {
            continue;
        }
        // What a tool did not say is not known.
        match state.spec.value(text, &*state) {
            Ok(Value::String(value)) if !value.trim().is_empty() => {
                state.data.insert(field.clone(), Value::String(value));
            }
            _ => {}
        }
    }
}
