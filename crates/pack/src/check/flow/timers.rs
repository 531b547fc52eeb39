//! Checks timers: that each runs before the session ends, in every mode it names, and alone.

use document::{Node, Value};
use serde_json::Value as Json;

use super::Checked;
use super::worlds::Worlds;
use crate::Expression;
use crate::check::SESSION;
use crate::files::Duration;
use crate::finding::Report;
use crate::look::texts;

pub(super) fn check(flow: &Checked<'_>, report: &mut Report) {
    for timer in flow.file.tree.list("timers") {
        if let Some(after) = after(timer).filter(|after| *after >= SESSION)
            && let Some((_, at)) = timer.text("after")
        {
            let message = format!("it runs after {after}, but a session ends after 24h of silence");
            report.error(flow.file.name, at, message);
        }
        modes(flow, timer, report);
    }
}

/// A condition may exclude a mode that the timer names.
fn modes(flow: &Checked<'_>, timer: &Node, report: &mut Report) {
    let Some(when) = condition(timer) else { return };
    if !when.names().iter().any(|name| name.name == "modo") {
        return;
    }
    let named: Vec<_> = texts(timer, "in").collect();
    let never = |mode: &str| {
        let worlds = Worlds::of(&[&when], &flow.scope, &[mode]);
        worlds.sure && !worlds.iter().any(|facts| when.value(&facts) == Ok(Json::Bool(true)))
    };
    let idle: Vec<_> = named.iter().filter(|(mode, _)| never(mode)).collect();
    // Where it never runs at all, the condition itself is told.
    for (mode, at) in idle.iter().filter(|_| idle.len() < named.len()) {
        let message = format!("in `{mode}` it never runs: its condition cannot hold there");
        report.error(flow.file.name, at, message);
    }
}

/// Two timers that run out at the same moment do so in an order nobody chose.
pub(super) fn together(flow: &Checked<'_>, report: &mut Report) {
    let timers = flow.file.tree.list("timers");
    for (index, second) in timers.iter().enumerate() {
        for first in &timers[..index] {
            let (Some((name, _)), Some((_, at))) = (first.text("name"), second.text("after"))
            else {
                continue;
            };
            if after(first).is_some()
                && after(first) == after(second)
                && shared_mode(flow, first, second)
            {
                let message = format!("`{name}` may run out at the same moment");
                report.warning(flow.file.name, at, message);
            }
        }
    }
}

/// Whether there is a mode, and a situation in it, in which both run.
fn shared_mode(flow: &Checked<'_>, first: &Node, second: &Node) -> bool {
    let conditions: Vec<Expression> = [first, second].into_iter().filter_map(condition).collect();
    let conditions: Vec<&Expression> = conditions.iter().collect();
    let shared = texts(first, "in").map(|(mode, _)| mode);
    let shared: Vec<&str> =
        shared.filter(|mode| texts(second, "in").any(|(other, _)| other == *mode)).collect();
    !shared.is_empty()
        && Worlds::of(&conditions, &flow.scope, &shared)
            .iter()
            .any(|facts| conditions.iter().all(|when| when.value(&facts) == Ok(Json::Bool(true))))
}

fn condition(timer: &Node) -> Option<Expression> {
    Expression::parse(timer.text("when")?.0).ok()
}

fn after(timer: &Node) -> Option<Duration> {
    match &timer.get("after")?.value {
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}
