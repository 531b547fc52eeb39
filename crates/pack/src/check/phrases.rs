//! Checks phrases and the lists of words they are written with.

use std::collections::BTreeSet;

use document::{Node, Place};

use super::pattern;
use crate::finding::Report;
use crate::look::{File, Files, texts};
use crate::phrases::{Extent, Words, lists_in};

/// The phrases of an intent or an option.
pub(super) fn check(file: &File<'_>, node: &Node, words: &Words<'_>, report: &mut Report) {
    for (key, extent) in [("phrases", Extent::Anywhere), ("whole", Extent::Whole)] {
        for (phrase, at) in texts(node, key) {
            let fault = match words.pattern(phrase, extent) {
                Ok(pattern) => pattern::unusable(&pattern),
                Err(message) => Some(message),
            };
            if let Some(message) = fault {
                report.error(file.name, at, message);
            }
        }
    }
}

/// The phrases of a choice, each with the number of every option that has one.
pub(super) fn of_choice(file: &File<'_>, choice: &Node, words: &Words<'_>, report: &mut Report) {
    let numbers = choice.list("options").iter().filter_map(|option| option.whole("number"));
    let numbers: Vec<u32> = numbers.filter_map(|number| u32::try_from(number).ok()).collect();
    for key in ["phrases", "asked"] {
        if numbers.is_empty()
            && let Some(entry) = choice.entry(key)
        {
            let message = format!("`{key}` choose an option by its `number`, and none has one");
            report.error(file.name, &entry.at, message);
        }
    }
    let Some(number) = numbers.first() else { return };
    let words = words.with_number(Some(*number));
    check(file, choice, &words, report);
    let without = |phrase: &str| (!phrase.contains('#')).then(|| NO_NUMBER.to_owned());
    for (phrase, at) in texts(choice, "phrases").chain(texts(choice, "asked")) {
        if let Some(message) = without(phrase) {
            report.error(file.name, at, message);
        }
    }
    for (asked, at) in texts(choice, "asked") {
        if let Err(message) = words.spoken(asked) {
            report.error(file.name, at, message);
        }
    }
}

const NO_NUMBER: &str =
    "`#` has to stand for the number; what chooses one option only is written there";

/// Lists that nothing is written with.
pub(super) fn unused_lists(files: &Files<'_>, report: &mut Report) {
    let Some(file) = files.intents.file() else { return };
    let mut used: BTreeSet<&str> = BTreeSet::new();
    let add = |node: &'_ Node, all: &mut Vec<String>| {
        for key in ["phrases", "whole", "asked"] {
            all.extend(texts(node, key).flat_map(|(text, _)| lists_in(text)).map(str::to_owned));
        }
    };
    let mut named = Vec::new();
    for intent in file.tree.list("intents") {
        add(intent, &mut named);
    }
    for choice in files.flows().flat_map(|flow| flow.tree.list("choices")) {
        add(choice, &mut named);
        for option in choice.list("options") {
            add(option, &mut named);
        }
    }
    let words = files.words();
    let listed = words.lists.values().flatten().flat_map(|word| lists_in(word));
    used.extend(named.iter().map(String::as_str).chain(listed));
    for entry in file.tree.get("words").map_or(&[][..], Node::entries) {
        if !used.contains(entry.key.as_str()) {
            let message = format!("no phrase is written with `{{{}}}`", entry.key);
            report.warning(file.name, &entry.at, message);
        }
    }
}

/// Where a value asks for a field and says that it is null without it, which it is anyway.
pub(super) fn or_null(text: &str) -> Option<&str> {
    let (asked, rest) = text.strip_prefix("has(")?.split_once(')')?;
    let (given, otherwise) = rest.trim().strip_prefix('?')?.split_once(':')?;
    (given.trim() == asked && otherwise.trim() == "null").then_some(asked)
}

/// Reports such a value.
pub(super) fn needless_null(file: &File<'_>, text: &str, at: &Place, report: &mut Report) {
    if let Some(asked) = or_null(text) {
        let message = format!("`{asked}` is null where it is not given: write only `{asked}`");
        report.error(file.name, at, message);
    }
}
