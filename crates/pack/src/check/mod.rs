//! Holds the files of a pack against each other, and each against what its schema cannot say.
//!
//! The checks read trees, not types: a file with one wrong value still has its others checked.

mod flow;
mod form;
mod intents;
mod manifest;
mod pattern;
mod phrases;
mod templates;
mod tools;

use document::{Node, Place, suggestion};

use crate::files::Duration;
use crate::finding::Report;
use crate::look::{File, Files, Opened, SHARED, TEMPLATES_FILE};
use crate::source::Source;

pub(crate) use flow::{NOT_UNDERSTOOD, OWN_INTENTS, Scope, Uses, tool_names};
pub(crate) use pattern::normal;

/// After this long without a message the session ends.
const SESSION: Duration = Duration::from_minutes(24 * 60);

pub(crate) fn all<'a>(source: &'a Source, files: &'a Files<'a>, report: &mut Report) {
    manifest::check(source, &files.manifest, report);
    if matches!(files.templates, Opened::Absent) {
        let message = "the file is missing; it holds every text a customer reads";
        report.error(TEMPLATES_FILE, &Place::default(), message);
    }
    let mut used = Vec::new();
    for form in files.forms() {
        form::check(form, files, &mut used, report);
    }
    for flow in files.flows() {
        flow::check(flow, files, &mut used, report);
    }
    tools::check(files, report);
    intents::check(files, &mut used, report);
    phrases::unused_lists(files, report);
    templates::check(files, &used, report);
    folder(source, files, report);
}

/// Holds a kept pack against what the engine knows by now; the rest was checked when it was written.
pub(crate) fn kept(files: &Files<'_>, report: &mut Report) {
    for flow in files.flows() {
        flow::kept(flow, files, report);
    }
    tools::kept(files, report);
}

/// Files that nothing reads.
fn folder(source: &Source, files: &Files<'_>, report: &mut Report) {
    let whole = Place::default();
    for path in source.others() {
        report.warning(path, &whole, "no part of a pack, and not read");
    }
    // Where the manifest has mistakes, which file it means is not certain.
    let Some(manifest) = files.manifest.file().filter(|file| !report.has_error(file.name)) else {
        return;
    };
    let agents = manifest.tree.list("agents");
    let mut named: Vec<&str> =
        agents.iter().filter_map(|agent| Some(agent.text("file")?.0)).collect();
    // A flow's form is its own.
    named.extend(files.forms().map(|form| form.name));
    for (path, _) in source.iter().filter(|(path, _)| !path.contains('/')) {
        if path.ends_with(".yaml") && !SHARED.contains(&path) && !named.contains(&path) {
            report.warning(path, &whole, "no agent of pack.yaml names this file");
        }
    }
}

/// Checks the template that `node` names under `key`, and notes that it is used.
fn template<'a>(
    file: &File<'_>,
    node: &'a Node,
    key: &str,
    files: &Files<'_>,
    used: &mut Vec<&'a str>,
    report: &mut Report,
) {
    let Some((name, at)) = node.text(key) else {
        return;
    };
    used.push(name);
    let Some(known) = files.template_keys() else {
        return;
    };
    if !known.contains(&name) {
        let hint = suggestion(name, known)
            .unwrap_or_else(|| format!("; write its text in {TEMPLATES_FILE}"));
        report.error(file.name, at, format!("no template is called `{name}`{hint}"));
    }
}
