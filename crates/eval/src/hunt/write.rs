//! Writes what was found as a test of the pack, in the form of its `tests/*.yaml`.

use pack::files::{Case, ScriptLine, Step};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::play::{Answer, Opening};
use super::rules::{Broken, Rule};

/// A test that fails for as long as this can happen. The number tells it from the others of the
/// file.
pub(super) fn test(
    number: usize,
    rule: &Rule,
    broken: &Broken,
    opening: &Opening,
    answer: &Answer,
) -> String {
    let story = opening.story(answer);
    let name = format!("{number}, {}: {}", rule.name, broken.how);
    let mut text = format!("- name: {}\n", json!(name));
    for (key, value) in before(&story) {
        text.push_str(&format!("  {key}: {value}\n"));
    }
    let lines = story.model.as_ref().map_or(&[][..], |script| &script.0);
    if lines.is_empty() {
        text.push_str("  model: []\n");
    } else {
        text.push_str("  model:\n");
    }
    for line in lines {
        text.push_str(&format!("    - {}\n", answered(line)));
    }
    text.push_str("  steps:\n");
    let last = story.steps.len().saturating_sub(1);
    for (at, one) in story.steps.iter().enumerate() {
        let expect = if at == last { &broken.expect } else { &Map::new() };
        text.push_str(&format!("    - {}\n", step(one, expect)));
    }
    text
}

/// The circumstances there were before the first step.
fn before(case: &Case) -> Vec<(&'static str, Value)> {
    let all = [
        ("catalogue", json!(case.catalogue)),
        ("now", json!(case.now)),
        ("given", json!(case.given)),
        ("stock", json!(case.stock)),
        ("orders_before", json!(case.orders_before)),
        ("spent_tokens", json!((case.spent_tokens > 0).then_some(case.spent_tokens))),
    ];
    all.into_iter().filter(|(_, value)| says_something(value)).collect()
}

fn answered(line: &ScriptLine) -> Value {
    brief(line)
}

fn step(step: &Step, expect: &Map<String, Value>) -> Value {
    let mut brief = brief(step);
    if let Some(brief) = brief.as_object_mut() {
        brief.remove("expect");
        if !expect.is_empty() {
            brief.insert("expect".to_owned(), Value::Object(expect.clone()));
        }
    }
    brief
}

/// Without what says nothing.
fn brief(value: &impl Serialize) -> Value {
    match json!(value) {
        Value::Object(mut all) => {
            all.retain(|_, value| says_something(value));
            Value::Object(all)
        }
        other => other,
    }
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Object(all) => !all.is_empty(),
        Value::Array(all) => !all.is_empty(),
        _ => true,
    }
}
