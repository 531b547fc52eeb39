//! The conversations under `tests/`, each step with the place where it was written.

use document::Node;

use crate::Source;
use crate::actions::actions;
use crate::check::{NOT_UNDERSTOOD, OWN_INTENTS, tool_names};
use crate::files::{Case, CaseFile};
use crate::finding::{Findings, Report};
use crate::look::{File, Files, Opened, Rules, Seen, listed, open, slipped, texts, unknown};
use crate::read::typed;
use crate::schemas::CASES;
use crate::script;

/// A file of tests.
#[derive(Clone)]
pub struct Cases {
    /// Such as `tests/registro.yaml`.
    pub file: String,
    pub cases: CaseFile,
    pub tree: Node,
}

impl Cases {
    /// The file's conversations, each with the file and its place there.
    pub fn listed(&self) -> impl Iterator<Item = (&str, usize, &Case)> {
        let one = |(index, case)| (self.file.as_str(), index, case);
        self.cases.0.iter().enumerate().map(one)
    }

    /// The line of a case's name.
    pub fn case_line(&self, case: usize) -> u64 {
        self.line(&format!("/{case}"))
    }

    /// The line a step begins on.
    pub fn step_line(&self, case: usize, step: usize) -> u64 {
        self.line(&format!("/{case}/steps/{step}"))
    }

    /// The line of a key under a step's `expect`, or else the step's.
    pub fn expect_line(&self, case: usize, step: usize, key: &str) -> u64 {
        let step_pointer = format!("/{case}/steps/{step}");
        match self.tree.entry_at(&format!("{step_pointer}/expect/{key}")) {
            Some(entry) => entry.at.line,
            None => self.line(&step_pointer),
        }
    }

    fn line(&self, pointer: &str) -> u64 {
        self.tree.at(pointer).map_or(0, |node| node.at.line)
    }
}

/// Reads the tests of a pack and checks the names in them. `nodes` are those a path may have; if
/// there are none, paths are not checked. The pack itself is checked by [`crate::read`].
pub fn load_cases(source: &Source, nodes: &[&str]) -> Result<Vec<Cases>, Findings> {
    let files = Files::open(source, Rules::Writing, &mut Report::default());
    let names = Names {
        fields: files.fields_are_known().then(|| files.fields()),
        templates: files.template_keys(),
        intents: files.intent_names().map(|mut names| {
            names.extend(OWN_INTENTS.into_iter().chain([NOT_UNDERSTOOD]));
            names
        }),
        modes: declared(&files, "modes"),
        choices: declared(&files, "choices"),
        stamps: stamps(&files),
        tools: tool_names(&files),
        nodes: (!nodes.is_empty()).then(|| nodes.to_vec()),
    };
    let mut report = Report::default();
    let mut all = Vec::new();
    for (path, _) in source.iter().filter(|(path, _)| is_cases(path)) {
        if let Opened::File(file) = open(source, path, &CASES, &mut report) {
            names.check(&file, &mut report);
            if !report.has_error(path)
                && let Some(cases) = typed(&file, &mut report)
            {
                all.push(Cases { file: path.to_owned(), cases, tree: file.tree });
            }
        }
    }
    report.settle().map(|_| all)
}

fn is_cases(path: &str) -> bool {
    path.starts_with("tests/") && path.ends_with(".yaml")
}

/// The names that a test may use; `None` where they are not known.
struct Names<'a> {
    fields: Option<Vec<&'a str>>,
    templates: Option<Vec<&'a str>>,
    intents: Option<Vec<&'a str>>,
    nodes: Option<Vec<&'a str>>,
    modes: Option<Vec<&'a str>>,
    choices: Option<Vec<&'a str>>,
    stamps: Option<Vec<&'a str>>,
    tools: Option<Vec<String>>,
}

/// The names that the flows of a pack declare; `None` if it has no flow, or one that cannot be
/// read.
fn declared<'a>(files: &'a Files<'_>, key: &str) -> Option<Vec<&'a str>> {
    if !flows_are_known(files) {
        return None;
    }
    let nodes = files.flows().flat_map(|flow| flow.tree.list(key));
    Some(nodes.filter_map(|node| Some(node.text("name")?.0)).collect())
}

fn flows_are_known(files: &Files<'_>) -> bool {
    !files.flows.is_empty() && files.flows.iter().all(|flow| flow.file().is_some())
}

/// The milestones that the agents of a pack note, themselves or by an action.
fn stamps<'a>(files: &'a Files<'_>) -> Option<Vec<&'a str>> {
    let mut names = OWN_STAMPS.to_vec();
    if flows_are_known(files) {
        let actions = files.flows().flat_map(|flow| actions(&flow.tree));
        names.extend(actions.filter_map(|stands| Some(stands.action.text("stamp")?.0)));
    } else if !files.flows.is_empty() {
        return None;
    }
    Some(names)
}

/// Milestones that agents note without an action of the pack.
const OWN_STAMPS: [&str; 2] = ["first_data_at", "min_data_at"];
/// The components that may be asked, as `models` names them.
const COMPONENTS: [&str; 4] = ["detector", "orchestrator", "writer", "judge"];
/// The moves that may be refused to a model; the first three with the move's target.
const MOVES: [&str; 7] = ["go", "say", "call", "reply", "save", "choose", "paraphrase"];

impl Names<'_> {
    fn check(&self, file: &File<'_>, report: &mut Report) {
        let mut names = Seen::default();
        let document::Value::List(cases) = &file.tree.value else {
            return;
        };
        for case in cases {
            if let Some((name, at)) = case.text("name")
                && let Some(first) = names.before(name, at)
            {
                let message = format!("a test of this name is already on line {}", first.line);
                report.error(file.name, at, message);
            }
            self.fields_of(file, case, "given", report);
            if let Some(model) = case.get("model") {
                script::lines(file, model, report);
            }
            for step in case.list("steps") {
                self.step(file, step, report);
            }
        }
    }

    fn step(&self, file: &File<'_>, step: &Node, report: &mut Report) {
        const ACTS: [&str; 4] = ["say", "wait", "operator", "shop"];
        let acts: Vec<&str> = ACTS.into_iter().filter(|act| step.get(act).is_some()).collect();
        let is_group = matches!(step.value, document::Value::Group(_));
        match acts.as_slice() {
            [] if is_group && !slipped(step, &ACTS) => {
                let message = format!("in this step nothing happens: write {}", one_of(&ACTS));
                report.error(file.name, &step.at, message);
            }
            [] | [_] => {}
            several => {
                let message =
                    format!("a step is one thing, not {}: make a step of each", listed(several));
                report.error(file.name, &step.at, message);
            }
        }
        let tools: Option<Vec<&str>> =
            self.tools.as_ref().map(|tools| tools.iter().map(String::as_str).collect());
        let fails = step.get("shop").and_then(|shop| shop.get("fails"));
        for entry in fails.map_or(&[][..], Node::entries) {
            unknown(file, "tool", &entry.key, &entry.at, tools.as_deref(), report);
        }
        let Some(expect) = step.get("expect") else {
            return;
        };
        self.fields_of(file, expect, "fields", report);
        for (name, at) in texts(expect, "templates") {
            // A text sent in the template's place is told after its name, as `precio#respaldo1`.
            let name = name.split('#').next().unwrap_or(name);
            unknown(file, "template", name, at, self.templates.as_deref(), report);
        }
        for (name, at) in texts(expect, "path") {
            unknown(file, "node", name, at, self.nodes.as_deref(), report);
        }
        for (name, at) in texts(expect, "tools") {
            unknown(file, "tool", name, at, tools.as_deref(), report);
        }
        for (name, at) in texts(expect, "models") {
            unknown(file, "use of a model", name, at, Some(&COMPONENTS), report);
        }
        for (text, at) in texts(expect, "refused") {
            let word = text.split(' ').next().unwrap_or_default();
            unknown(file, "move", word, at, Some(&MOVES), report);
        }
        for entry in expect.get("choices").map_or(&[][..], Node::entries) {
            unknown(file, "choice", &entry.key, &entry.at, self.choices.as_deref(), report);
        }
        for (name, at) in texts(expect, "stamps") {
            unknown(file, "stamp", name, at, self.stamps.as_deref(), report);
        }
        if let Some((name, at)) = expect.text("mode") {
            unknown(file, "mode", name, at, self.modes.as_deref(), report);
        }
        if let Some((name, at)) = expect.text("intent") {
            unknown(file, "intent", name, at, self.intents.as_deref(), report);
        }
    }

    fn fields_of(&self, file: &File<'_>, node: &Node, key: &str, report: &mut Report) {
        for entry in node.get(key).map_or(&[][..], Node::entries) {
            unknown(file, "field", &entry.key, &entry.at, self.fields.as_deref(), report);
        }
    }
}

fn one_of(names: &[&str]) -> String {
    match names {
        [first @ .., last] => format!("{} or `{last}`", listed(first)),
        [] => String::new(),
    }
}
