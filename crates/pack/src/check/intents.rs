//! Checks `intents.yaml`: that each intent can be recognised and told from the others.

use std::collections::BTreeMap;

use document::Place;

use super::{normal, pattern, phrases, template};
use crate::finding::Report;
use crate::look::{Files, Seen, slipped, texts};

/// The classifier learns little from fewer.
const FEW: usize = 5;

pub(super) fn check<'a>(files: &'a Files<'_>, used: &mut Vec<&'a str>, report: &mut Report) {
    let Some(file) = files.intents.file() else {
        return;
    };
    let words = files.words();
    let mut names = Seen::default();
    // Normalised example to the intent that has it.
    let mut examples: BTreeMap<String, (&str, Place)> = BTreeMap::new();
    for intent in file.tree.list("intents") {
        template(file, intent, "reply", files, used, report);
        phrases::check(file, intent, &words, report);
        for (pattern, at) in texts(intent, "patterns") {
            if let Some(message) = pattern::fault(pattern) {
                report.error(file.name, at, message);
            }
        }
        let Some((name, at)) = intent.text("name") else {
            continue;
        };
        if let Some(first) = names.before(name, at) {
            let message = format!("the intent `{name}` is already on line {}", first.line);
            report.error(file.name, at, message);
        }
        let count = intent.list("examples").len();
        let ways = ["examples", "keywords", "phrases", "whole", "patterns"];
        if !slipped(intent, &ways) && ways.iter().all(|way| intent.list(way).is_empty()) {
            let message =
                format!("`{name}` can never be recognised: give it examples, keywords or phrases");
            report.error(file.name, at, message);
        }
        if (1..FEW).contains(&count) {
            let message = format!("`{name}` has {count} examples; give it at least {FEW}");
            report.warning(file.name, at, message);
        }
        for (example, at) in texts(intent, "examples") {
            known(example, at, name, &mut examples, report, file.name);
        }
    }
    for (example, at) in texts(&file.tree, "out_of_scope") {
        known(example, at, "out_of_scope", &mut examples, report, file.name);
    }
}

/// Reports an example that another intent has.
fn known<'a>(
    example: &str,
    at: &Place,
    intent: &'a str,
    examples: &mut BTreeMap<String, (&'a str, Place)>,
    report: &mut Report,
    file: &str,
) {
    let (owner, first) = examples.entry(normal(example)).or_insert((intent, *at));
    if *owner != intent {
        let message = format!(
            "`{example}` is also an example of `{owner}`, on line {}: it cannot mean both",
            first.line
        );
        report.error(file, at, message);
    }
}
