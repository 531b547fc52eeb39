//! Checks `templates.yaml`: that each text can be written, with values that exist, and is used.

use std::collections::BTreeSet;

use document::{Node, Place, Value, suggestion};
use minijinja::Environment;
use minijinja::value::Serde;
use serde_json::{Map, Value as Json};

use super::Scope;
use crate::facts;
use crate::finding::Report;
use crate::look::{File, Files};
use crate::render::{environment, explain};

pub(super) fn check<'a>(files: &'a Files<'a>, used: &[&str], report: &mut Report) {
    let Some(file) = files.templates.file() else {
        return;
    };
    let locale = files.manifest.file().and_then(|manifest| manifest.tree.text("locale"));
    let values = files.values();
    let environment = environment(locale.map_or("", |(locale, _)| locale), &values);
    let scope = Scope::of(files.flows(), files);
    let certain = files.fields_are_known();
    let texts = Texts { file, environment, sample: sample(files, &scope), values, scope, certain };
    for entry in file.tree.entries() {
        for node in parts(&entry.node) {
            texts.check(node, report);
        }
    }
    // Where a file that uses templates has mistakes, what it uses is not certain.
    let certain = files.fields_are_known()
        && files.intent_names().is_some()
        && files
            .forms()
            .chain(files.flows())
            .chain(files.intents.file())
            .all(|file| !report.has_error(file.name));
    for entry in file.tree.entries().iter().filter(|_| certain) {
        if !used.contains(&entry.key.as_str()) {
            report.warning(file.name, &entry.at, format!("nothing uses `{}`", entry.key));
        }
    }
}

/// Every text of a template: as it stands, as a list, or with what stands for it.
fn parts(node: &Node) -> Vec<&Node> {
    match &node.value {
        Value::List(items) => items.iter().collect(),
        Value::Group(_) => {
            let whole = ["text", "short"].into_iter().filter_map(|key| node.get(key));
            let filled = node.get("approved").map_or(&[][..], |approved| approved.list("values"));
            whole.chain(node.list("backup")).chain(filled).collect()
        }
        _ => vec![node],
    }
}

struct Texts<'a> {
    file: &'a File<'a>,
    environment: Environment<'static>,
    /// Names of fields, and of what flows declare.
    values: Vec<&'a str>,
    scope: Scope<'a>,
    /// Values such as a conversation might have.
    sample: Map<String, Json>,
    /// Whether `values` are all there are.
    certain: bool,
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
        let names: BTreeSet<String> = template.undeclared_variables(true).into_iter().collect();
        for name in names {
            let Some(message) = self.unknown(&name) else { continue };
            is_known = false;
            if self.certain {
                let at = self.place(node, text, use_of(&name, text));
                report.error(self.file.name, &at, message);
            }
        }
        // Filters are looked up when a text is written, so it is written once; but what a tool will
        // have answered is not known.
        let top = template.undeclared_variables(false);
        let guessed = self.scope.saves().iter().any(|save| top.contains(*save));
        if is_known
            && !guessed
            && let Err(error) = template.render(Serde(&self.sample))
        {
            let at = self.place(node, text, error_offset(&error, text));
            report.error(self.file.name, &at, explain(&error));
        }
    }

    /// The mistake in a name, or in the key of one.
    fn unknown(&self, name: &str) -> Option<String> {
        let (name, key) = name.split_once('.').unwrap_or((name, ""));
        let known = || self.values.iter().copied().chain(facts::in_texts());
        if !known().any(|known| known == name) {
            let hint = suggestion(name, known())
                .unwrap_or_else(|| "; templates know fields and a few more".to_owned());
            return Some(format!("unknown value `{name}`{hint}"));
        }
        let (what, keys) = self.scope.keys(name)?;
        let key = key.split('.').next().unwrap_or_default();
        if key.is_empty() || keys.contains(&key) {
            return None;
        }
        let hint = suggestion(key, keys.iter().copied()).unwrap_or_default();
        Some(format!("no {what} is called `{key}`{hint}"))
    }

    fn place(&self, node: &Node, value: &str, offset: Option<usize>) -> Place {
        match offset {
            Some(offset) => node.at.within(self.file.text, value, offset),
            None => node.at,
        }
    }
}

/// Values such as a conversation might have.
fn sample(files: &Files<'_>, scope: &Scope<'_>) -> Map<String, Json> {
    let names = files.values().into_iter().chain(facts::in_texts());
    let mut sample: Map<String, Json> =
        names.map(|name| (name.to_owned(), Json::from("1"))).collect();
    let fields = files.forms().flat_map(|form| form.tree.list("fields"));
    for field in fields {
        if let (Some((name, _)), Some(("number", _))) = (field.text("name"), field.text("type")) {
            sample.insert(name.to_owned(), 1.into());
        }
    }
    sample.extend(scope.sample());
    sample
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
