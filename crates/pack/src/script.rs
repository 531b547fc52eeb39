//! Scripted models: a file of answers, and the checks of each line.

use std::path::Path;

use document::{Node, Place, Value};

use crate::Source;
use crate::files::Script;
use crate::finding::{Findings, Report};
use crate::look::{File, Opened, listed, open, slipped};
use crate::read::typed;
use crate::schemas::SCRIPT;

/// Of these a line has exactly one.
const ANSWERS: [&str; 4] = ["text", "json", "calls", "fail"];

/// Reads and checks a script.
pub fn load_script(path: &Path) -> Result<Script, Findings> {
    let name = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => read_script(&name, &text),
        Err(error) => {
            let mut report = Report::default();
            report.error(&name, &Place::default(), format!("cannot be read: {error}"));
            report.settle().map(|_| Script::default())
        }
    }
}

/// Checks a script's text; `name` is what its mistakes are told under.
pub fn read_script(name: &str, text: &str) -> Result<Script, Findings> {
    let source = Source::new([(name, text)]);
    let mut report = Report::default();
    let mut script = None;
    if let Opened::File(file) = open(&source, name, &SCRIPT, &mut report) {
        lines(&file, &file.tree, &mut report);
        if !report.has_errors() {
            script = typed(&file, &mut report);
        }
    }
    report.settle()?;
    script.ok_or_else(Findings::default)
}

/// Checks the lines of a script, which may be a part of another file.
pub(crate) fn lines(file: &File<'_>, script: &Node, report: &mut Report) {
    let Value::List(lines) = &script.value else {
        return;
    };
    for line in lines.iter().filter(|line| matches!(line.value, Value::Group(_))) {
        let given = |key: &&str| line.entry(key).is_some();
        let answers: Vec<&str> = ANSWERS.into_iter().filter(given).collect();
        match answers.as_slice() {
            [] if !slipped(line, &ANSWERS) => {
                let message =
                    format!("this line answers nothing: write one of {}", listed(&ANSWERS));
                report.error(file.name, &line.at, message);
            }
            [] | [_] => {}
            several => {
                let message = format!("a line is one answer, not {}", listed(several));
                report.error(file.name, &line.at, message);
            }
        }
        for call in line.list("calls") {
            if call.entries().len() != 1 && matches!(call.value, Value::Group(_)) {
                let message = "a call is one tool with its input, as `crm.order.create: {}`";
                report.error(file.name, &call.at, message);
            }
        }
    }
}
