//! The beginning of a session: the flow's own first steps, and the data that is known already.

use serde_json::Value;

use super::act::run;
use super::plan::{Decided, Effect};
use super::turn::Turn;

/// Whether there are first steps that this session has not taken.
pub(super) fn begins(turn: &Turn<'_>) -> bool {
    let flow = &turn.spec.flow;
    let known = flow.collect.as_ref().map(|collect| &collect.known);
    let nothing = flow.begin.is_empty() && known.is_none_or(|known| known.is_empty());
    !nothing && !turn.state.memory.begun
}

pub(super) fn begin(turn: &mut Turn<'_>) -> Decided<()> {
    let flow = &turn.spec.flow;
    turn.state.memory.begun = true;
    run(turn, &flow.begin)?;
    for (field, value) in flow.collect.iter().flat_map(|collect| &collect.known) {
        if turn.state.session.data.contains_key(field) {
            continue;
        }
        // A value that no tool said is not known.
        match value.value(&*turn) {
            Ok(Value::String(value)) if !value.trim().is_empty() => {
                let (field, value) = (field.clone(), Value::String(value));
                turn.will(Effect::Save { field, value });
            }
            _ => {}
        }
    }
    Ok(())
}
