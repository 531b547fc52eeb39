//! From what a pack's file says a model answers to a script that plays it.

use llm::{FailureKind, Script, ScriptedAnswer, ScriptedReply};
use pack::files::{Script as File, ScriptLine};
use serde_json::Value;

/// A checked line says exactly one thing; one that says none answers nothing.
pub fn script(file: &File) -> Script {
    Script { answers: file.0.iter().map(answer).collect() }
}

fn answer(line: &ScriptLine) -> ScriptedAnswer {
    let calls = line.calls.iter().flatten().flatten();
    let calls: Vec<(String, Value)> =
        calls.map(|(tool, input)| (tool.clone(), input.clone())).collect();
    let reply = match (&line.json, &line.text, &line.fail) {
        (_, _, Some(word)) => {
            ScriptedReply::Fail(FailureKind::from_word(word).unwrap_or(FailureKind::Server))
        }
        _ if !calls.is_empty() => ScriptedReply::Calls(calls, line.text.clone()),
        (Some(value), ..) => ScriptedReply::Json(value.clone()),
        (None, text, None) => ScriptedReply::Text(text.clone().unwrap_or_default()),
    };
    ScriptedAnswer { component: line.to.clone(), when: line.when.clone(), times: line.times, reply }
}
