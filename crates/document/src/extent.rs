//! The end of a value in the text, which for lists and groups follows from their content.

use crate::{Entry, Node, Value};

/// Whether a list or group is written with brackets.
pub(crate) fn is_flow(node: &Node, text: &str) -> bool {
    matches!(node.value, Value::List(_) | Value::Group(_))
        && text[node.at.start..].starts_with(['[', '{'])
        && node.at.end > node.at.start
}

/// The byte after an entry's value, without white space behind it.
pub(crate) fn end_of_entry(entry: &Entry, text: &str) -> usize {
    let begin = after_colon(entry, text).unwrap_or(entry.at.end);
    match end_of_node(&entry.node, text) {
        Some(end) if end > begin => begin + text[begin..end].trim_end().len(),
        _ => begin,
    }
}

/// The byte after a node; `None` for a value that is not written at all.
fn end_of_node(node: &Node, text: &str) -> Option<usize> {
    let at = &node.at;
    if is_flow(node, text) {
        let inner = match &node.value {
            Value::List(items) => items.iter().filter_map(|item| end_of_node(item, text)).max(),
            Value::Group(entries) => entries.iter().map(|entry| end_of_entry(entry, text)).max(),
            _ => None,
        };
        return Some(closing(text, inner.unwrap_or(at.end).max(at.end)));
    }
    // A value under an alias was written elsewhere.
    if at.end > at.start {
        return Some(at.end);
    }
    match &node.value {
        Value::List(items) => items.iter().filter_map(|item| end_of_node(item, text)).max(),
        Value::Group(entries) => entries.iter().map(|entry| end_of_entry(entry, text)).max(),
        Value::Null => None,
        _ => Some(at.end),
    }
}

/// The byte after the next closing bracket that is not in a comment.
fn closing(text: &str, from: usize) -> usize {
    let mut before = ' ';
    let mut in_comment = false;
    for (offset, letter) in text[from..].char_indices() {
        match letter {
            '\n' => in_comment = false,
            '#' if before.is_whitespace() => in_comment = true,
            ']' | '}' if !in_comment => return from + offset + 1,
            _ => {}
        }
        before = letter;
    }
    text.len()
}

/// The byte after the colon behind a key.
pub(crate) fn after_colon(entry: &Entry, text: &str) -> Option<usize> {
    let rest = text.get(entry.at.end..)?;
    let blank = rest.len() - rest.trim_start().len();
    rest[blank..].starts_with(':').then_some(entry.at.end + blank + 1)
}
