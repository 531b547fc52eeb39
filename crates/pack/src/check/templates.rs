//! Checks `templates.yaml`: that each text can be written, with values that exist, and is used.

use std::collections::BTreeSet;

use document::{Node, Place, Value, suggestion};
use minijinja::Environment;
use minijinja::value::Serde;
use serde_json::{Map, Value as Json};

use crate::finding::Report;
use crate::look::{File, Files};
use crate::render::{VARIABLES, environment, explain};

pub(super) fn check(files: &Files<'_>, used: &[&str], report: &mut Report) {
    let Some(file) = files.templates.file() else {
        return;
    };
    let fields = files.fields();
    let locale = files.manifest.file().and_then(|manifest| manifest.tree.text("locale"));
    let environment = environment(locale.map_or("", |(locale, _)| locale), &fields);
    let numbers = files
        .forms()
        .flat_map(|form| form.tree.list("fields"))
        .filter(|field| field.text("type").is_some_and(|(kind, _)| kind == "number"))
        .filter_map(|field| Some(field.text("name")?.0))
        .collect();
    let fields_are_known = files.fields_are_known();
    let texts = Texts { file, environment, fields, numbers, fields_are_known };
    for entry in file.tree.entries() {
        match &entry.node.value {
            Value::List(items) => {
                for item in items {
                    texts.check(item, report);
                }
            }
            _ => texts.check(&entry.node, report),
        }
    }
    // Where a file that uses templates has mistakes, what it uses is not certain.
    let certain = files.fields_are_known()
        && files.intent_names().is_some()
        && files.forms().chain(files.intents.file()).all(|file| !report.has_error(file.name));
    for entry in file.tree.entries().iter().filter(|_| certain) {
        if !used.contains(&entry.key.as_str()) {
            report.warning(file.name, &entry.at, format!("nothing uses `{}`", entry.key));
        }
    }
}

struct Texts<'a> {
    file: &'a File<'a>,
    environment: Environment<'static>,
    fields: Vec<&'a str>,
    /// Those of the fields that are numbers.
    numbers: Vec<&'a str>,
    /// Whether `fields` are all there are.
    fields_are_known: bool,
}

impl Texts<'_> {
    fn check(&self, node: &Node, report: &mut Report) {
        let Value::Text(text) = &node.value else {
            return;
        };
        let template = match self.environment.template_from_str(text) {
            Ok(template) => template,
            Err(error) => {
                let at = self.place(node, text, error_offset(&error, text));
                return report.error(self.file.name, &at, explain(&error));
            }
        };
        let mut is_known = true;
        let names: BTreeSet<String> = template.undeclared_variables(false).into_iter().collect();
        for name in names {
            let known = || self.fields.iter().copied().chain(VARIABLES);
            if known().any(|known| known == name) {
                continue;
            }
            is_known = false;
            if self.fields_are_known {
                let hint = suggestion(&name, known())
                    .unwrap_or_else(|| "; templates know fields and a few more".to_owned());
                let at = self.place(node, text, use_of(&name, text));
                report.error(self.file.name, &at, format!("unknown value `{name}`{hint}"));
            }
        }
        // Filters are looked up when a text is written, so it is written once.
        if is_known && let Err(error) = template.render(Serde(self.sample())) {
            let at = self.place(node, text, error_offset(&error, text));
            report.error(self.file.name, &at, explain(&error));
        }
    }

    fn place(&self, node: &Node, value: &str, offset: Option<usize>) -> Place {
        match offset {
            Some(offset) => node.at.within(self.file.text, value, offset),
            None => node.at,
        }
    }

    /// Values such as a conversation might have.
    fn sample(&self) -> Map<String, Json> {
        let names = self.fields.iter().copied().chain(VARIABLES);
        let value = |name| if self.numbers.contains(&name) { Json::from(1) } else { "1".into() };
        names.map(|name| (name.to_owned(), value(name))).collect()
    }
}

/// Where in the text an error is: exactly if that is known, else at the beginning of its line.
fn error_offset(error: &minijinja::Error, text: &str) -> Option<usize> {
    if let Some(range) = error.range() {
        return Some(range.start);
    }
    let line = error.line()?;
    Some(text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum())
}

/// Where a name is first used inside `{{ … }}` or `{% … %}`.
fn use_of(name: &str, text: &str) -> Option<usize> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(name).map(|(offset, _)| offset).find(|offset| {
        let (before, after) = (&text[..*offset], &text[offset + name.len()..]);
        let opened = before.rfind("{{").max(before.rfind("{%"));
        let closed = before.rfind("}}").max(before.rfind("%}"));
        opened > closed && !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}
