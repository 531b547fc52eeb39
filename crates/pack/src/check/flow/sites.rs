//! Expressions where they stand: that each can be read and computed, and that a condition decides.

use document::{Node, Place, Value, suggestion};
use serde_json::Value as Json;

use super::Checked;
use super::scope::Scope;
use super::worlds::Worlds;
use crate::Expression;
use crate::check::phrases;
use crate::facts;
use crate::finding::Report;
use crate::look::File;

/// The purpose of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum Role<'a> {
    Condition,
    Value,
    /// The value of a choice.
    Choice(&'a str),
    /// The name of a template.
    Template,
}

/// An expression of a file, and the modes in which it may be computed; none are all.
pub(in crate::check) struct Site<'a> {
    pub(in crate::check) node: &'a Node,
    pub(in crate::check) role: Role<'a>,
    pub(in crate::check) modes: Vec<&'a str>,
}

pub(super) fn check<'a>(flow: &Checked<'a>, used: &mut Vec<&'a str>, report: &mut Report) {
    for site in sites(flow) {
        let Some(parsed) = expression(flow.file, &site, &flow.scope, report) else { continue };
        if site.role == Role::Template {
            used.extend(templates(flow, &parsed, &site));
        }
    }
}

/// Reports what the expressions of a kept flow name of the engine and it no longer knows.
pub(super) fn kept(flow: &Checked<'_>, report: &mut Report) {
    for site in sites(flow) {
        still_known(flow.file, &site, &flow.scope, report);
    }
}

/// Every expression of the flow. An expression that is written once and stands in several places is
/// listed once.
fn sites<'a>(flow: &Checked<'a>) -> Vec<Site<'a>> {
    let mut all: Vec<Site<'a>> = Vec::new();
    let mut add = |node: Option<&'a Node>, role, modes: &[&'a str]| {
        let Some(node) = node else { return };
        match all.iter_mut().find(|site| site.node.at == node.at && site.role == role) {
            Some(site) => site.modes.extend(modes),
            None => all.push(Site { node, role, modes: modes.to_vec() }),
        }
    };
    for stands in &flow.stands {
        let action = stands.action;
        let modes = if stands.moved { flow.scope.modes.clone() } else { stands.modes.clone() };
        add(action.get("when"), Role::Condition, &modes);
        let sends = action.text("call").is_some_and(|(tool, _)| tool == "whatsapp.template.send");
        for entry in action.get("with").map_or(&[][..], Node::entries) {
            let names_template = sends && entry.key == "plantilla";
            let role = if names_template { Role::Template } else { Role::Value };
            add(Some(&entry.node), role, &modes);
        }
        for entry in action.get("set").map_or(&[][..], Node::entries) {
            add(Some(&entry.node), Role::Choice(&entry.key), &modes);
        }
    }
    for summary in flow.file.tree.list("summaries") {
        for entry in summary.get("with").map_or(&[][..], Node::entries) {
            add(Some(&entry.node), Role::Value, &flow.scope.modes);
        }
    }
    for mode in flow.file.tree.list("modes") {
        let own: Vec<&str> = mode.text("name").map(|(name, _)| name).into_iter().collect();
        for way in mode.list("to") {
            add(way.get("when"), Role::Condition, &own);
        }
    }
    let tree = &flow.file.tree;
    for rule in tree.get("handoff").map_or(&[][..], |handoff| handoff.list("returns")) {
        add(rule.get("when"), Role::Condition, &flow.scope.modes);
    }
    for (key, role) in [("minimum_when", Role::Condition), ("known", Role::Value)] {
        let entries = tree.get("collect").and_then(|collect| collect.get(key));
        for entry in entries.map_or(&[][..], Node::entries) {
            add(Some(&entry.node), role, &flow.scope.modes);
        }
    }
    for timer in flow.file.tree.list("timers") {
        let modes: Vec<&str> = crate::look::texts(timer, "in").map(|(name, _)| name).collect();
        add(timer.get("when"), Role::Condition, &modes);
    }
    all
}

/// Checks one expression; what it is, unless it names what is not there.
pub(in crate::check) fn expression(
    file: &File<'_>,
    site: &Site<'_>,
    scope: &Scope<'_>,
    report: &mut Report,
) -> Option<Expression> {
    let Value::Text(text) = &site.node.value else { return None };
    phrases::needless_null(file, text, &site.node.at, report);
    let place = |offset: usize| site.node.at.within(file.text, text, offset);
    let parsed = match Expression::parse(text) {
        Ok(parsed) => parsed,
        Err(error) => {
            report.error(file.name, &place(error.offset), error.message);
            return None;
        }
    };
    let wrong = unknown_names(&parsed, scope);
    for (offset, message) in &wrong {
        report.error(file.name, &place(*offset), message.clone());
    }
    if !wrong.is_empty() {
        return None;
    }
    let modes = if site.modes.is_empty() { &scope.modes } else { &site.modes };
    let outcomes = Outcomes::of(&parsed, &Worlds::of(&[&parsed], scope, modes), site.role);
    judge(file, site, &outcomes, scope, &site.node.at, report);
    Some(parsed)
}

/// Reports a fact, or a key of one, that this release does not know: a condition that asks for it would
/// never hold again. Names of the pack's own were checked when it was written.
pub(in crate::check) fn still_known(
    file: &File<'_>,
    site: &Site<'_>,
    scope: &Scope<'_>,
    report: &mut Report,
) {
    let Value::Text(text) = &site.node.value else { return };
    // An expression that does not parse is an error of whoever compiles it.
    let Ok(parsed) = Expression::parse(text) else { return };
    let names = scope.names();
    let gone = parsed.names().iter().filter(|name| !names.contains(&name.name.as_str()));
    let gone = gone.map(|name| (name.offset, &name.name));
    let keys = parsed.paths().iter().filter(|path| !facts::has_key(&path.group, &path.key));
    for (offset, name) in gone.chain(keys.map(|path| (path.offset, &path.key))) {
        let at = site.node.at.within(file.text, text, offset);
        report.error(file.name, &at, format!("this release knows no value `{name}`"));
    }
}

/// Facts, keys and texts that are not there, each with its place in the expression.
fn unknown_names(parsed: &Expression, scope: &Scope<'_>) -> Vec<(usize, String)> {
    let mut wrong = Vec::new();
    let names = scope.names();
    for name in parsed.names() {
        if !names.contains(&name.name.as_str()) {
            let hint = suggestion(&name.name, names.iter().copied())
                .unwrap_or_else(|| "; conditions know what docs/packs.md lists".to_owned());
            wrong.push((name.offset, format!("unknown value `{}`{hint}", name.name)));
        }
    }
    let mut missing = |what: &str, word: &str, known: &[&str], offset| {
        if !known.contains(&word) && !word.is_empty() {
            let hint = suggestion(word, known.iter().copied()).unwrap_or_default();
            wrong.push((offset, format!("no {what} is called `{word}`{hint}")));
        }
    };
    for path in parsed.paths() {
        if let Some((what, known)) = scope.keys(&path.group) {
            missing(&what, &path.key, &known, path.offset);
        }
    }
    for compared in parsed.compared() {
        if let Some((what, known)) = scope.texts(&compared.name) {
            missing(&what, &compared.text, &known, compared.offset);
        }
    }
    wrong
}

/// The results of an expression in all situations.
#[derive(Default)]
pub(super) struct Outcomes {
    holds: bool,
    fails: bool,
    /// A text that it comes to, or several.
    texts: Vec<String>,
    /// Something that is neither true nor false.
    other: Option<Json>,
    error: Option<String>,
    /// Whether what it never comes to, it can never be.
    sure: bool,
}

impl Outcomes {
    fn of(parsed: &Expression, worlds: &Worlds, role: Role<'_>) -> Self {
        let mut outcomes = Self { sure: worlds.sure, ..Self::default() };
        for facts in worlds.iter() {
            match parsed.value(&facts) {
                Ok(Json::Bool(true)) => outcomes.holds = true,
                Ok(Json::Bool(false)) => outcomes.fails = true,
                Ok(Json::String(text)) if role != Role::Condition => {
                    if !outcomes.texts.contains(&text) {
                        outcomes.texts.push(text);
                    }
                }
                Ok(other) => outcomes.other = Some(other),
                Err(error) => {
                    outcomes.error.get_or_insert(error);
                }
            }
            let decided = match role {
                Role::Condition => outcomes.holds && outcomes.fails,
                Role::Value => outcomes.computes(),
                Role::Choice(_) | Role::Template => false,
            };
            if decided {
                break;
            }
        }
        outcomes
    }

    fn computes(&self) -> bool {
        self.holds || self.fails || self.other.is_some() || !self.texts.is_empty()
    }
}

fn judge(
    file: &File<'_>,
    site: &Site<'_>,
    outcomes: &Outcomes,
    scope: &Scope<'_>,
    at: &Place,
    report: &mut Report,
) {
    if let (false, Some(error)) = (outcomes.computes(), &outcomes.error) {
        return report.error(file.name, at, format!("this cannot be computed: {error}"));
    }
    match site.role {
        Role::Condition => condition(file, outcomes, at, report),
        Role::Value => {}
        Role::Choice(name) => {
            if let Some((what, known)) = scope.texts(name) {
                one_of(&what, file, outcomes, &known, at, report);
            }
        }
        Role::Template => {
            if let Some(known) = &scope.templates {
                one_of("template", file, outcomes, known, at, report);
            }
        }
    }
}

fn condition(file: &File<'_>, outcomes: &Outcomes, at: &Place, report: &mut Report) {
    if let Some(other) = &outcomes.other {
        let message = format!("a condition is true or false, and this comes to {other}");
        return report.error(file.name, at, message);
    }
    if !outcomes.sure {
        return;
    }
    if !outcomes.holds {
        report.error(file.name, at, "this can never hold");
    } else if !outcomes.fails && outcomes.error.is_none() {
        report.warning(file.name, at, "this always holds: it can be left out");
    }
}

/// A name that is computed has to be one there is, at least sometimes.
fn one_of(
    what: &str,
    file: &File<'_>,
    outcomes: &Outcomes,
    known: &[&str],
    at: &Place,
    report: &mut Report,
) {
    let fits =
        |text: &String| known.contains(&text.as_str()) || (what == "option" && text.is_empty());
    if outcomes.texts.iter().any(fits) {
        return;
    }
    let message = match outcomes.texts.first() {
        Some(text) => {
            let hint = suggestion(text, known.iter().copied()).unwrap_or_default();
            format!("no {what} is called `{text}`{hint}")
        }
        None => format!("this is to name the {what}, as text"),
    };
    report.error(file.name, at, message);
}

/// The templates that an expression may name.
fn templates<'a>(flow: &Checked<'a>, parsed: &Expression, site: &Site<'_>) -> Vec<&'a str> {
    let worlds = Worlds::of(&[parsed], &flow.scope, &site.modes);
    let outcomes = Outcomes::of(parsed, &worlds, site.role);
    let known = flow.scope.templates.iter().flatten().copied();
    known.filter(|key| outcomes.texts.iter().any(|text| text == key)).collect()
}
