//! Every action of a flow's tree, with the modes in which it may be done.

use document::{Node, Value};

use crate::look::texts;

/// An action, and the modes in which it may be done.
#[derive(Clone)]
pub(crate) struct Stands<'a> {
    pub(crate) action: &'a Node,
    pub(crate) modes: Vec<&'a str>,
    pub(crate) at: At,
    /// Whether an action before it may have gone to another mode, so that it may be any.
    pub(crate) moved: bool,
    /// Whether it is done only if something else holds, or does not.
    pub(crate) guarded: bool,
}

/// The part of a flow that an action belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// An intent in every mode that says nothing of it, or what completes the data.
    Flow,
    Intent,
    Enter,
    Timer,
}

/// All actions, those under `otherwise` after the one they belong to.
pub(crate) fn actions(flow: &Node) -> Vec<Stands<'_>> {
    let mut all = Vec::new();
    let modes = flow.list("modes");
    let named = |wanted: &dyn Fn(&Node) -> bool| {
        let modes = modes.iter().filter(|mode| wanted(mode));
        modes.filter_map(|mode| Some(mode.text("name")?.0)).collect::<Vec<_>>()
    };
    let mut add = |list, modes, at, guarded| {
        Gather { modes, at, moved: false, all: &mut all }.list(list, guarded);
    };
    if let Some(collect) = flow.get("collect") {
        let collecting = named(&|mode| mode.flag("collects") == Some(true));
        add(collect.list("complete"), collecting, At::Flow, true);
    }
    add(
        flow.list("begin"),
        flow.text("initial").map(|(name, _)| name).into_iter().collect(),
        At::Flow,
        true,
    );
    for summary in flow.list("summaries") {
        add(summary.list("then"), named(&|_| true), At::Flow, false);
    }
    for (intent, actions) in by_intent(flow) {
        let silent = named(&|mode| !by_intent(mode).any(|(own, _)| own == intent));
        add(actions, silent, At::Flow, false);
    }
    for mode in modes {
        let own: Vec<&str> = mode.text("name").map(|(name, _)| name).into_iter().collect();
        add(mode.list("enter"), own.clone(), At::Enter, false);
        add(mode.list("bridge"), own.clone(), At::Intent, true);
        for (_, actions) in lists_of(mode, "after") {
            add(actions, own.clone(), At::Intent, true);
        }
        for (_, actions) in by_intent(mode) {
            add(actions, own.clone(), At::Intent, false);
        }
    }
    for timer in flow.list("timers") {
        let modes: Vec<&str> = texts(timer, "in").map(|(name, _)| name).collect();
        add(timer.list("do"), modes, At::Timer, timer.get("when").is_some());
    }
    all
}

/// The actions for each intent, of a mode or of the flow.
fn by_intent(node: &Node) -> impl Iterator<Item = (&str, &[Node])> {
    lists_of(node, "intents")
}

/// The lists of actions under a key, by the name of each.
fn lists_of<'a>(node: &'a Node, key: &str) -> impl Iterator<Item = (&'a str, &'a [Node])> {
    let named = node.get(key).map_or(&[][..], Node::entries);
    named.iter().filter_map(|entry| match &entry.node.value {
        Value::List(actions) => Some((entry.key.as_str(), actions.as_slice())),
        _ => None,
    })
}

struct Gather<'a, 'l> {
    modes: Vec<&'a str>,
    at: At,
    moved: bool,
    all: &'l mut Vec<Stands<'a>>,
}

impl<'a> Gather<'a, '_> {
    fn list(&mut self, actions: &'a [Node], guarded: bool) {
        for action in actions {
            let (modes, at, moved) = (self.modes.clone(), self.at, self.moved);
            self.all.push(Stands { action, modes, at, moved, guarded });
            self.list(action.list("otherwise"), guarded || action.get("when").is_some());
            self.moved |= action.get("go").is_some();
        }
    }
}
