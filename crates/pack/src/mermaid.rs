//! A flow as a Mermaid state diagram: its modes, the ways between them and what silence does.

use std::fmt::Write;

use crate::files::{Action, Flow, FlowTimer};

/// Draws a flow; a timer's ways are marked with its length of silence.
pub fn flow_mermaid(flow: &Flow) -> String {
    let mut text = String::from("stateDiagram-v2\n");
    let mut line = |line: String| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "    {line}");
    };
    line(format!("[*] --> {}", flow.initial));
    for mode in &flow.modes {
        if !mode.description.is_empty() {
            line(format!("{}: {}: {}", mode.name, mode.name, label(&mode.description)));
        }
        for way in &mode.to {
            match &way.when {
                Some(when) => line(format!("{} --> {}: {}", mode.name, way.mode, label(when))),
                None => line(format!("{} --> {}", mode.name, way.mode)),
            }
        }
        for (timer, to) in silences(flow, &mode.name) {
            line(format!("{} --> {to}: ⏱ {}", mode.name, silence(timer)));
        }
        if mode.end {
            line(format!("{} --> [*]", mode.name));
        }
    }
    text
}

/// The modes that silence in a mode leads to; the mode itself where a timer only says something.
fn silences<'a>(flow: &'a Flow, mode: &'a str) -> Vec<(&'a FlowTimer, &'a str)> {
    let timers = flow.timers.iter().filter(|timer| timer.modes.iter().any(|name| name == mode));
    let mut all = Vec::new();
    for timer in timers {
        let mut targets = goes(&timer.actions);
        if targets.is_empty() {
            targets.push(mode);
        }
        all.extend(targets.into_iter().map(|to| (timer, to)));
    }
    all
}

fn goes(actions: &[Action]) -> Vec<&str> {
    let mut targets = Vec::new();
    for action in actions {
        let inner = goes(&action.otherwise);
        for to in action.go.as_deref().into_iter().chain(inner) {
            if !targets.contains(&to) {
                targets.push(to);
            }
        }
    }
    targets
}

fn silence(timer: &FlowTimer) -> String {
    match &timer.when {
        Some(when) => format!("{} {}", timer.after, label(when)),
        None => timer.after.to_string(),
    }
}

/// Text that ends neither the line nor the label; Mermaid reads entities with `#` for `&`.
fn label(text: &str) -> String {
    let mut label = String::new();
    for letter in text.chars() {
        match letter {
            '"' => label.push_str("#quot;"),
            ';' => label.push_str("#59;"),
            ':' => label.push_str("#58;"),
            '#' => label.push_str("#35;"),
            '<' => label.push_str("#lt;"),
            '>' => label.push_str("#gt;"),
            '\n' | '\r' => label.push(' '),
            other => label.push(other),
        }
    }
    label
}
