//! The inheritance of a new session from the one before it: the data the pack keeps, and a summary.

use domain::Session;
use serde_json::Value;

use super::memory::{Memory, Previous};
use super::turn::Turn;

/// As many of the last intents as the summary tells.
const INTENTS: usize = 5;

pub(super) fn take_up(turn: &mut Turn<'_>, before: &Session) {
    let kept = turn.spec.flow.collect.as_ref().map_or(&[][..], |collect| &collect.keep);
    for name in kept {
        let known = before.state.data.get(name).filter(|value| !value.is_null());
        if let Some(value) = known {
            turn.state.session.data.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    let (memory, lost) = Memory::recall(&before.state);
    turn.notes.other.extend(lost);
    let summary = summary(turn, before, memory);
    turn.state.memory.previous = Some(Previous { mode: before.mode.clone(), summary });
}

fn summary(turn: &Turn<'_>, before: &Session, memory: Memory) -> String {
    let frames = &turn.spec.pack().frames;
    let mut said = vec![frames.ended_in(&before.mode)];
    let mut intents: Vec<&str> = Vec::new();
    for seen in before.state.seen.iter().rev() {
        if !intents.contains(&seen.intent.as_str()) && intents.len() < INTENTS {
            intents.push(&seen.intent);
        }
    }
    if !intents.is_empty() {
        intents.reverse();
        said.push(frames.spoke_of(&intents.join(", ")));
    }
    let fields = turn.spec.fields.fields.iter().filter_map(|field| {
        let value = before.state.data.get(&field.name)?;
        (!value.is_null()).then(|| format!("{} {}", field.name, turn.spec.fields.show(value)))
    });
    let fields: Vec<String> = fields.collect();
    if !fields.is_empty() {
        said.push(frames.gave(&fields.join(", ")));
    }
    for (name, value) in &before.state.choices {
        said.push(format!("{name} {value}"));
    }
    for (name, value) in &memory.saved {
        if let Some(number) = value.get("number").and_then(Value::as_i64) {
            said.push(frames.numbered(name, &number.to_string()));
        }
    }
    if !memory.history.text.is_empty() {
        said.push(memory.history.text);
    }
    format!("{}.", said.join("; "))
}
