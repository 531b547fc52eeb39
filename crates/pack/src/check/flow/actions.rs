//! Checks single actions: one verb each, with names that exist, and acts that are guarded.

use document::{Node, Value};

use super::Checked;
use super::names::{as_strs, tool_names};
use crate::actions::{At, Stands};
use crate::check::template;
use crate::finding::Report;
use crate::look::{listed, slipped, unknown};

/// Of these an action has exactly one.
const VERBS: [&str; 9] = ["say", "go", "call", "shop", "set", "stamp", "hand_off", "close", "do"];

pub(super) fn check<'a>(flow: &Checked<'a>, used: &mut Vec<&'a str>, report: &mut Report) {
    let tools = tool_names(flow.files);
    let tools = tools.as_deref().map(as_strs);
    for stands in &flow.stands {
        let action = stands.action;
        verbs(flow, action, report);
        template(flow.file, action, "say", flow.files, used, report);
        if let Some((mode, at)) = action.text("go") {
            unknown(flow.file, "mode", mode, at, Some(&flow.scope.modes), report);
        }
        if let Some((tool, at)) = action.text("call") {
            unknown(flow.file, "tool", tool, at, tools.as_deref(), report);
            unguarded(flow, stands, tool, report);
        }
        for entry in action.get("set").map_or(&[][..], Node::entries) {
            let choices: Vec<&str> = flow.scope.choices.iter().map(|choice| choice.name).collect();
            unknown(flow.file, "choice", &entry.key, &entry.at, Some(&choices), report);
        }
    }
}

fn verbs(flow: &Checked<'_>, action: &Node, report: &mut Report) {
    if !matches!(action.value, Value::Group(_)) {
        return;
    }
    let verbs: Vec<&str> = VERBS.into_iter().filter(|verb| action.get(verb).is_some()).collect();
    match verbs.as_slice() {
        [] if !slipped(action, &VERBS) => {
            let message = format!("this action does nothing: write one of {}", listed(&VERBS));
            report.error(flow.file.name, &action.at, message);
        }
        [] | [_] => {}
        several => {
            let message =
                format!("an action is one thing, not {}: make an action of each", listed(several));
            report.error(flow.file.name, &action.at, message);
        }
    }
    for (key, verb) in [("with", "call"), ("save", "call"), ("trigger", "hand_off")] {
        if let Some(entry) = action.entry(key)
            && action.get(verb).is_none()
            && !slipped(action, &[verb])
        {
            report.error(flow.file.name, &entry.at, format!("`{key}` belongs to a `{verb}`"));
        }
    }
    if let Some(entry) = action.entry("shop")
        && flow.file.tree.get("shop").is_none()
    {
        let message = "this flow sells nothing: say what under `shop`";
        report.error(flow.file.name, &entry.at, message);
    }
}

/// A tool that acts on the world should be held by a condition somewhere.
fn unguarded(flow: &Checked<'_>, stands: &Stands<'_>, tool: &str, report: &mut Report) {
    let file = flow.files.tools.file();
    let entry = |key: &str| {
        let entries = file.map_or(&[][..], |file| file.tree.list(key));
        entries.iter().find(|entry| entry.text("name").is_some_and(|(name, _)| name == tool))
    };
    let entry = entry("tools").or_else(|| entry("http"));
    let class = entry.and_then(|entry| entry.text("class")).map(|(class, _)| class);
    let acts = match class {
        Some(class) => matches!(class, "execute" | "bulk"),
        None => tool.starts_with("crm."),
    };
    let guarded = stands.guarded
        || stands.action.get("when").is_some()
        || entry.is_some_and(|entry| entry.get("when").is_some())
        || (stands.at == At::Enter && stands.modes.iter().all(|mode| is_guarded(flow, mode)));
    if let (true, false, Some((_, at))) = (acts, guarded, stands.action.text("call")) {
        let message = format!("`{tool}` acts, and nothing holds it: give it a `when`");
        report.warning(flow.file.name, at, message);
    }
}

/// Whether every way into a mode has a condition.
fn is_guarded(flow: &Checked<'_>, mode: &str) -> bool {
    let tree = &flow.file.tree;
    let mut ways = tree
        .list("modes")
        .iter()
        .flat_map(|from| from.list("to"))
        .filter(|way| way.text("mode").is_some_and(|(to, _)| to == mode));
    tree.text("initial").is_none_or(|(initial, _)| initial != mode)
        && ways.all(|way| way.get("when").is_some())
}
