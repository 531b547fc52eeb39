//! Checks a form: its fields, the templates it names, its timers.

use document::{Node, Place, Value, suggestion};

use super::{SESSION, normal, pattern, template};
use crate::facts;
use crate::files::{Duration, Timeout};
use crate::finding::Report;
use crate::look::{File, Files, INTENTS_FILE, Seen, texts};

pub(super) fn check<'a>(
    file: &'a File<'_>,
    files: &Files<'_>,
    used: &mut Vec<&'a str>,
    report: &mut Report,
) {
    let tree = &file.tree;
    if let Some(messages) = tree.get("messages") {
        for entry in messages.entries() {
            template(file, messages, &entry.key, files, used, report);
        }
    }
    if let Some(confirm) = tree.get("confirm") {
        for key in ["ask", "unclear", "change"] {
            template(file, confirm, key, files, used, report);
        }
    }
    if let Some(reminder) = tree.get("reminder") {
        template(file, reminder, "template", files, used, report);
    }
    fields(file, files, used, report);
    timers(file, report);
    off_topic(file, files, report);
}

fn fields<'a>(file: &'a File<'_>, files: &Files<'_>, used: &mut Vec<&'a str>, report: &mut Report) {
    let mut names = Seen::default();
    let mut aliases: Vec<(String, usize, Place)> = Vec::new();
    for (index, field) in file.tree.list("fields").iter().enumerate() {
        if let Some((name, at)) = field.text("name") {
            if let Some(first) = names.before(name, at) {
                let message = format!("the field `{name}` is already on line {}", first.line);
                report.error(file.name, at, message);
            }
            if facts::in_texts().any(|known| known == name) {
                let message = format!("templates use `{name}` for a value of their own");
                report.error(file.name, at, message);
            }
        }
        for (alias, at) in texts(field, "aliases") {
            let alias_normal = normal(alias);
            match aliases.iter().find(|(known, ..)| *known == alias_normal) {
                Some((_, owner, first)) if *owner != index => {
                    let line = first.line;
                    let message = format!("the alias `{alias}` is another field's, on line {line}");
                    report.error(file.name, at, message);
                }
                _ => aliases.push((alias_normal, index, *at)),
            }
        }
        for key in ["ask", "taken", "invalid"] {
            template(file, field, key, files, used, report);
        }
        values(file, field, report);
        city(file, field, files, report);
    }
}

/// A field for a city can be filled only from a list.
fn city(file: &File<'_>, field: &Node, files: &Files<'_>, report: &mut Report) {
    let Some(("city", at)) = field.text("type") else { return };
    let none = |manifest: &File<'_>| manifest.tree.list("cities").is_empty();
    if files.manifest.file().is_some_and(none) {
        let message = "a field of type `city` needs the list `cities` in pack.yaml";
        report.error(file.name, at, message);
    }
}

/// Checks a field's rules for its values.
fn values(file: &File<'_>, field: &Node, report: &mut Report) {
    if let Some((pattern, at)) = field.text("pattern")
        && let Some(message) = pattern::fault(pattern)
    {
        report.error(file.name, at, message);
    }
    let bound = |key| {
        let node = field.get(key)?;
        match node.value {
            Value::Whole(number) => Some((number as f64, &node.at)),
            Value::Fraction(number) => Some((number, &node.at)),
            _ => None,
        }
    };
    if let (Some((min, at)), Some((max, _))) = (bound("min"), bound("max"))
        && min > max
    {
        report.error(file.name, at, format!("`min` is {min} and `max` is {max}: nothing fits"));
    }
    if let Some((kind, _)) = field.text("type")
        && kind != "number"
    {
        for key in ["min", "max", "currency"] {
            if let Some(entry) = field.entry(key) {
                let message = format!("`{key}` is for fields of type `number`, not `{kind}`");
                report.error(file.name, &entry.at, message);
            }
        }
    }
}

fn timers(file: &File<'_>, report: &mut Report) {
    let duration = |pointer: &str| {
        let node = file.tree.at(pointer)?;
        match &node.value {
            Value::Text(text) => Some((text.parse::<Duration>().ok()?, &node.at)),
            _ => None,
        }
    };
    let Some((reminder, at)) = duration("/reminder/after") else {
        return;
    };
    if reminder >= SESSION {
        let message = format!(
            "the reminder comes after {reminder}, but a session ends after 24h of silence: \
             it is never sent"
        );
        report.warning(file.name, at, message);
    }
    let Some(timeout) = file.tree.at("/escalation/timeout") else {
        return;
    };
    let (after, at) =
        duration("/escalation/timeout/after").unwrap_or((Timeout::default().after, &timeout.at));
    if timeout.flag("enabled") == Some(true) && after < reminder {
        let message = format!(
            "a person takes over after {after}, before the reminder that comes after {reminder}"
        );
        report.warning(file.name, at, message);
    }
}

fn off_topic(file: &File<'_>, files: &Files<'_>, report: &mut Report) {
    let (Some(off_topic), Some(known)) = (file.tree.get("off_topic"), files.intent_names()) else {
        return;
    };
    for (name, at) in texts(off_topic, "intents") {
        if !known.contains(&name) {
            let hint = suggestion(name, known.iter().copied())
                .unwrap_or_else(|| format!("; declare it in {INTENTS_FILE}"));
            report.error(file.name, at, format!("no intent is called `{name}`{hint}"));
        }
    }
}
