//! The conversations under `tests/`, each step with the place where it was written.

use document::{Node, Place, suggestion};

use crate::Source;
use crate::files::CaseFile;
use crate::finding::{Findings, Report};
use crate::look::{File, Files, Opened, Seen, listed, open, slipped, texts};
use crate::read::typed;
use crate::schemas::CASES;

/// One file of tests.
#[derive(Clone)]
pub struct Cases {
    /// Such as `tests/registro.yaml`.
    pub file: String,
    pub cases: CaseFile,
    pub tree: Node,
}

impl Cases {
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
    let files = Files::open(source, &mut Report::default());
    let names = Names {
        fields: files.fields_are_known().then(|| files.fields()),
        templates: files.template_keys(),
        intents: files.intent_names(),
        nodes: (!nodes.is_empty()).then(|| nodes.to_vec()),
    };
    let mut report = Report::default();
    let mut all = Vec::new();
    for (path, _) in source.iter().filter(|(path, _)| path.starts_with("tests/")) {
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

/// What a test may name; none where that is not known.
struct Names<'a> {
    fields: Option<Vec<&'a str>>,
    templates: Option<Vec<&'a str>>,
    intents: Option<Vec<&'a str>>,
    nodes: Option<Vec<&'a str>>,
}

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
            for step in case.list("steps") {
                self.step(file, step, report);
            }
        }
    }

    fn step(&self, file: &File<'_>, step: &Node, report: &mut Report) {
        const ACTS: [&str; 3] = ["say", "wait", "operator"];
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
        let Some(expect) = step.get("expect") else {
            return;
        };
        self.fields_of(file, expect, "fields", report);
        for (key, what, known) in
            [("templates", "template", &self.templates), ("path", "node", &self.nodes)]
        {
            for (name, at) in texts(expect, key) {
                unknown(file, what, name, at, known.as_deref(), report);
            }
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

fn unknown(
    file: &File<'_>,
    what: &str,
    name: &str,
    at: &Place,
    known: Option<&[&str]>,
    report: &mut Report,
) {
    let Some(known) = known.filter(|known| !known.contains(&name)) else {
        return;
    };
    let hint = suggestion(name, known.iter().copied()).unwrap_or_default();
    report.error(file.name, at, format!("no {what} is called `{name}`{hint}"));
}

fn one_of(names: &[&str]) -> String {
    match names {
        [first @ .., last] => format!("{} or `{last}`", listed(first)),
        [] => String::new(),
    }
}
