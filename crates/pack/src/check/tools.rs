//! Checks `tools.yaml`: names, the inputs of calls, and what the engine fills in.

use std::collections::BTreeSet;

use document::Node;

use super::Scope;
use super::flow::{Role, Site, expression, still_known};
use crate::finding::Report;
use crate::look::{File, Files, Seen, texts, unknown};
use crate::tools::ENGINE_TOOLS;

pub(super) fn check<'a>(files: &'a Files<'a>, report: &mut Report) {
    let Some(file) = files.tools.file() else { return };
    let scope = Scope::of(files.flows(), files);
    let known: Vec<&str> = ENGINE_TOOLS.iter().map(|tool| tool.name).collect();
    let mut seen = Seen::default();
    for tool in file.tree.list("tools") {
        if let Some((name, at)) = tool.text("name") {
            let hint = || known_otherwise(file, name);
            match hint() {
                Some(message) => report.error(file.name, at, message),
                None => unknown(file, "tool", name, at, Some(&known), report),
            }
        }
        named(file, tool, &mut seen, report);
        expressions(file, tool, &scope, report);
    }
    for tool in file.tree.list("http") {
        named(file, tool, &mut seen, report);
        params(file, tool, report);
        result(file, tool, report);
        expressions(file, tool, &scope, report);
    }
    for server in file.tree.list("mcp") {
        let Some((name, _)) = server.text("server") else { continue };
        for (tool, at) in texts(server, "tools") {
            once(file, &format!("{name}.{tool}"), at, &mut seen, report);
        }
        let used: Vec<&str> = texts(server, "tools").map(|(tool, _)| tool).collect();
        for (tool, at) in texts(server, "safe").chain(texts(server, "idempotent")) {
            unknown(file, "tool", tool, at, Some(&used), report);
        }
    }
}

/// A tool that the pack brings itself is held where it is brought.
fn known_otherwise(file: &File<'_>, name: &str) -> Option<String> {
    let is_http = |tool: &Node| tool.text("name").is_some_and(|(own, _)| own == name);
    let brought = file.tree.list("http").iter().any(is_http);
    brought.then(|| format!("`{name}` is declared under `http`: write it there"))
}

fn named(file: &File<'_>, tool: &Node, seen: &mut Seen, report: &mut Report) {
    if let Some((name, at)) = tool.text("name") {
        once(file, name, at, seen, report);
    }
}

fn once(file: &File<'_>, name: &str, at: &document::Place, seen: &mut Seen, report: &mut Report) {
    if let Some(first) = seen.before(name, at) {
        let message = format!("the tool `{name}` is already on line {}", first.line);
        report.error(file.name, at, message);
    }
}

fn expressions(file: &File<'_>, tool: &Node, scope: &Scope<'_>, report: &mut Report) {
    for site in sites(tool) {
        expression(file, &site, scope, report);
    }
}

fn sites(tool: &Node) -> impl Iterator<Item = Site<'_>> {
    let bound = tool.get("bind").map_or(&[][..], Node::entries);
    let values = bound.iter().map(|entry| (&entry.node, Role::Value));
    let when = tool.get("when").map(|node| (node, Role::Condition));
    values.chain(when).map(|(node, role)| Site { node, role, modes: Vec::new() })
}

/// Reports what the expressions of a kept file name of the engine and it no longer knows.
pub(super) fn kept(files: &Files<'_>, report: &mut Report) {
    let Some(file) = files.tools.file() else { return };
    let scope = Scope::of(files.flows(), files);
    let tools = file.tree.list("tools").iter().chain(file.tree.list("http"));
    for site in tools.flat_map(sites) {
        still_known(file, &site, &scope, report);
    }
}

/// The parameters of a path are inputs, and the inputs that are the engine's exist.
fn params(file: &File<'_>, tool: &Node, report: &mut Report) {
    let mut names = Seen::default();
    let mut known = Vec::new();
    let mut in_path = Vec::new();
    for param in tool.list("params") {
        let Some((name, at)) = param.text("name") else { continue };
        if let Some(first) = names.before(name, at) {
            let message = format!("the input `{name}` is already on line {}", first.line);
            report.error(file.name, at, message);
        }
        known.push(name);
        if param.text("in").is_some_and(|(place, _)| place == "path") {
            in_path.push((name, at));
        }
    }
    for entry in tool.get("bind").map_or(&[][..], Node::entries) {
        unknown(file, "input", &entry.key, &entry.at, Some(&known), report);
    }
    let Some((path, at)) = tool.text("path") else { return };
    let wanted = match placeholders(path) {
        Ok(wanted) => wanted,
        Err(offset) => {
            let at = at.within(file.text, path, offset);
            return report.error(file.name, &at, "a `{` or `}` without the other");
        }
    };
    let given: Vec<&str> = in_path.iter().map(|(name, _)| *name).collect();
    for (name, offset) in &wanted {
        let at = at.within(file.text, path, *offset);
        unknown(file, "input in the path", name, &at, Some(&given), report);
    }
    let wanted: BTreeSet<&str> = wanted.iter().map(|(name, _)| *name).collect();
    for (name, at) in in_path.iter().filter(|(name, _)| !wanted.contains(name)) {
        report.error(file.name, at, format!("the path has no place for `{{{name}}}`"));
    }
}

/// The names in braces, each with its place; or where a brace is alone.
fn placeholders(path: &str) -> Result<Vec<(&str, usize)>, usize> {
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(brace) = path[at..].find(['{', '}']).map(|found| at + found) {
        let name = path[brace..].strip_prefix('{').ok_or(brace)?;
        let end = name.find(['{', '}']).filter(|end| name[*end..].starts_with('}')).ok_or(brace)?;
        names.push((&name[..end], brace + 1));
        at = brace + end + 2;
    }
    Ok(names)
}

fn result(file: &File<'_>, tool: &Node, report: &mut Report) {
    if let Some((pointer, at)) = tool.text("result")
        && !pointer.starts_with('/')
    {
        let message = format!("`{pointer}` is no JSON pointer, which begins with `/`");
        report.error(file.name, at, message);
    }
}
