//! Checks the ways between modes: that each leads somewhere, and none into a corner.

use std::collections::{BTreeMap, BTreeSet};

use document::{Node, Value};

use super::Checked;
use crate::actions::{At, Stands};
use crate::finding::Report;

pub(super) fn check(flow: &Checked<'_>, report: &mut Report) {
    let ways = Ways::of(flow);
    for stands in &flow.stands {
        ways.go(flow, stands, report);
    }
    ways.unreachable(flow, report);
    ways.corners(flow, report);
    ends(flow, report);
}

/// Where each mode leads.
struct Ways<'a> {
    /// The modes that each mode's `to` lists.
    listed: BTreeMap<&'a str, Vec<&'a str>>,
    /// The listed modes to which an action goes.
    taken: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Ways<'a> {
    fn of(flow: &Checked<'a>) -> Self {
        let tree = &flow.file.tree;
        let mut listed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for mode in tree.list("modes") {
            let Some((name, _)) = mode.text("name") else { continue };
            let to = mode.list("to").iter().filter_map(|way| Some(way.text("mode")?.0));
            listed.entry(name).or_default().extend(to);
        }
        let (person, returns) = by_person(tree);
        // A model may take any way that is listed.
        let manifest = flow.files.manifest.file();
        let model = manifest.is_none_or(|file| file.tree.at("/models/orchestrator").is_some());
        let goes = |from: &str, to: &str| {
            flow.stands.iter().any(|stands| {
                let here = stands.moved || stands.modes.contains(&from);
                here && stands.action.text("go").is_some_and(|(mode, _)| mode == to)
            })
        };
        let taken = listed
            .iter()
            .map(|(from, to)| {
                let to = to.iter().copied().filter(|to| model || goes(from, to));
                // Anybody may be given to a person, who gives back where the flow says.
                let given = if Some(*from) == person { returns.clone() } else { Vec::new() };
                (*from, to.chain(person).chain(given).collect())
            })
            .collect();
        Self { listed, taken }
    }

    fn lists(&self, from: &str, to: &str) -> bool {
        self.listed.get(from).is_some_and(|ways| ways.contains(&to))
    }

    /// Reports a `go` that no way allows.
    fn go(&self, flow: &Checked<'_>, stands: &Stands<'_>, report: &mut Report) {
        let Some((to, at)) = stands.action.text("go") else { return };
        let modes = if stands.moved { &flow.scope.modes } else { &stands.modes };
        let closed: Vec<&str> =
            modes.iter().copied().filter(|from| !self.lists(from, to)).collect();
        let some = closed.len() < modes.len();
        if closed.is_empty() || (some && (stands.moved || stands.at == At::Flow)) {
            return;
        }
        for from in closed.iter().filter(|_| !stands.moved && stands.at != At::Flow) {
            let message = format!("no way leads from `{from}` to `{to}`: list it under its `to`");
            report.error(flow.file.name, at, message);
        }
        if stands.moved || stands.at == At::Flow {
            let message = format!("no way leads to `{to}` from where this is done");
            report.error(flow.file.name, at, message);
        }
    }

    fn unreachable(&self, flow: &Checked<'_>, report: &mut Report) {
        let Some((initial, _)) = flow.file.tree.text("initial") else { return };
        let mut reached = BTreeSet::from([initial]);
        let mut open = vec![initial];
        while let Some(mode) = open.pop() {
            for to in self.taken.get(mode).into_iter().flatten() {
                if reached.insert(to) {
                    open.push(to);
                }
            }
        }
        for (name, at) in modes(flow).filter_map(|mode| mode.text("name")) {
            if !reached.contains(name) {
                let message = format!("nothing leads from `{initial}` to `{name}`");
                report.error(flow.file.name, at, message);
            }
        }
    }

    /// Modes that lead nowhere, and those from which nothing ends the conversation.
    fn corners(&self, flow: &Checked<'_>, report: &mut Report) {
        let finishes = |mode: &str, keys: &[&str]| {
            flow.stands.iter().any(|stands| {
                (stands.moved || stands.modes.contains(&mode))
                    && keys.iter().any(|key| stands.action.get(key).is_some())
            })
        };
        let mut good: BTreeSet<&str> = modes(flow)
            .filter_map(|mode| {
                let (name, _) = mode.text("name")?;
                let end = mode.flag("end") == Some(true);
                (end || finishes(name, &["hand_off", "close"])).then_some(name)
            })
            .collect();
        for mode in modes(flow) {
            let Some((name, at)) = mode.text("name") else { continue };
            let by_hand = by_person(&flow.file.tree).0 == Some(name);
            if mode.list("to").is_empty() && !good.contains(name) && !by_hand {
                let message = format!("from `{name}` no way leads on, and it is no `end`");
                report.warning(flow.file.name, at, message);
            }
        }
        if has_person(&flow.file.tree) {
            return;
        }
        let mut before = usize::MAX;
        while before != good.len() {
            before = good.len();
            let leads = |(from, to): (&&'a str, &BTreeSet<&str>)| {
                to.iter().any(|to| good.contains(to)).then_some(*from)
            };
            let more: Vec<&str> = self.taken.iter().filter_map(leads).collect();
            good.extend(more);
        }
        for (name, at) in modes(flow).filter_map(|mode| mode.text("name")) {
            if !good.contains(name) {
                let message = format!("from `{name}` neither an end nor a person is reached");
                report.error(flow.file.name, at, message);
            }
        }
    }
}

/// The mode in which a person has the conversation, and those in which the flow goes on.
fn by_person(tree: &Node) -> (Option<&str>, Vec<&str>) {
    let Some(handoff) = tree.get("handoff") else { return (None, Vec::new()) };
    let returns = handoff.list("returns").iter().filter_map(|to| Some(to.text("mode")?.0));
    (handoff.text("mode").map(|(mode, _)| mode), returns.collect())
}

fn modes<'a>(flow: &Checked<'a>) -> impl Iterator<Item = &'a Node> {
    flow.file.tree.list("modes").iter()
}

/// Whether a customer reaches a person in every mode: by asking, by being unhappy, by taking long
/// or by not being understood.
fn has_person(tree: &Node) -> bool {
    let enabled = |policy: &str, default: bool| {
        let policy = tree.at(&format!("/escalation/{policy}"));
        policy.and_then(|policy| policy.flag("enabled")).unwrap_or(default)
    };
    let clarifies = match tree.at("/bands/clarify").map(|node| &node.value) {
        Some(Value::Whole(number)) => *number > 0,
        Some(Value::Fraction(number)) => *number > 0.0,
        _ => true,
    };
    enabled("keyword", true) || enabled("sentiment", true) || enabled("timeout", false) || clarifies
}

/// A mode that ends a conversation should have a condition.
fn ends(flow: &Checked<'_>, report: &mut Report) {
    let is_end = |name: &str| {
        modes(flow).any(|mode| {
            mode.flag("end") == Some(true) && mode.text("name").is_some_and(|(own, _)| own == name)
        })
    };
    for way in modes(flow).flat_map(|mode| mode.list("to")) {
        if let Some((name, at)) = way.text("mode")
            && way.get("when").is_none()
            && is_end(name)
        {
            let message = format!("`{name}` is an end, and this way to it has no `when`");
            report.warning(flow.file.name, at, message);
        }
    }
}
