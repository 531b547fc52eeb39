//! Writes values as YAML: lists and groups in brackets, text plain, quoted or as a block.

use serde_json::Value as Json;

use crate::{Value, parse};

/// The value on one line, as it may stand anywhere.
pub(crate) fn inline(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(_) | Json::Number(_) => value.to_string(),
        Json::String(text) if is_plain(text) => text.clone(),
        Json::String(text) => quoted(text),
        Json::Array(items) => {
            format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        Json::Object(entries) if entries.is_empty() => "{}".to_owned(),
        Json::Object(entries) => {
            let entry =
                |(name, value): (&String, &Json)| format!("{}: {}", key(name), inline(value));
            format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

pub(crate) fn key(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { quoted(name) }
}

/// The header and the lines of a block, for text of several lines that a block can hold.
pub(crate) fn block(text: &str) -> Option<(&'static str, Vec<&str>)> {
    let (header, body) = match text.strip_suffix('\n') {
        Some(body) => ("|", body),
        None => ("|-", text),
    };
    let fits = text.contains('\n')
        && !body.ends_with('\n')
        && !body.starts_with([' ', '\n'])
        && body.chars().all(|letter| letter == '\n' || is_printable(letter))
        && body.lines().all(|line| line.is_empty() || !line.trim().is_empty());
    fits.then(|| (header, body.split('\n').collect()))
}

/// Whether text may stand without quotes, also between brackets, and parses to the same text.
fn is_plain(text: &str) -> bool {
    let first = text.chars().next().is_some_and(|letter| {
        letter.is_alphanumeric() || matches!(letter, '¡' | '¿' | '_' | '(' | '$' | '/')
    });
    let risky = |letter: char| {
        matches!(letter, ',' | '[' | ']' | '{' | '}' | '#' | ':' | '"' | '\\')
            || !is_printable(letter)
    };
    first
        && !text.contains(risky)
        && !text.ends_with(char::is_whitespace)
        && matches!(parse(text), Ok(node) if matches!(&node.value, Value::Text(read) if read == text))
}

fn is_printable(letter: char) -> bool {
    !letter.is_control()
        && !matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            letter if is_printable(letter) => quoted.push(letter),
            letter => quoted.push_str(&format!("\\u{:04x}", u32::from(letter))),
        }
    }
    quoted.push('"');
    quoted
}
