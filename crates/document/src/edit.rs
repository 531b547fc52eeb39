//! Changes single values of a YAML text and leaves every other byte as it was.

use std::fmt;

use serde_json::{Map, Value as Json};

use crate::extent::{after_colon, end_of_entry, is_flow};
use crate::tree::steps;
use crate::write::{block, inline, key};
use crate::{Entry, Node, Value, parse};

/// A value to be written, and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// A JSON pointer, such as `/0/steps/2/expect/reply`. Missing groups and keys are added.
    pub path: String,
    pub value: Json,
}

/// The reason why a text was left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditError {
    /// The text is no YAML document.
    NotADocument,
    /// There is no such place, or the value there cannot be changed alone, such as one written
    /// through an anchor.
    Place(String),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotADocument => f.write_str("the text is not a YAML document"),
            Self::Place(path) => write!(f, "`{path}` cannot be changed on its own; do it by hand"),
        }
    }
}

impl std::error::Error for EditError {}

/// Writes values into a YAML text. Only the lines of those values change: comments, order and the
/// rest stay. The result is parsed again: it has exactly the edited values, or this is an error.
pub fn rewrite(text: &str, edits: &[Edit]) -> Result<String, EditError> {
    let mut text = text.to_owned();
    for edit in edits {
        let tree = parse(&text).map_err(|_| EditError::NotADocument)?;
        let refused = || EditError::Place(edit.path.clone());
        let mut wanted = tree.to_json();
        let path: Vec<String> = steps(&edit.path).collect();
        if tree.at(&edit.path).is_some_and(|node| node.to_json() == edit.value) {
            continue;
        }
        set(&mut wanted, &path, &edit.value).ok_or_else(refused)?;
        let written = Writer { text: &text, wanted: &wanted, path: &path }.apply(&tree);
        text = written
            .filter(|text| parse(text).is_ok_and(|tree| tree.to_json() == wanted))
            .ok_or_else(refused)?;
    }
    Ok(text)
}

/// Sets a value in JSON, making the groups on the way.
fn set(json: &mut Json, path: &[String], value: &Json) -> Option<()> {
    let Some((step, rest)) = path.split_first() else {
        *json = value.clone();
        return Some(());
    };
    if json.is_null() {
        *json = Json::Object(Map::new());
    }
    let inner = match json {
        Json::Object(entries) => entries.entry(step.clone()).or_insert(Json::Null),
        Json::Array(items) => {
            let index = step.parse::<usize>().ok()?;
            if index == items.len() {
                items.push(Json::Null);
            }
            items.get_mut(index)?
        }
        _ => return None,
    };
    set(inner, rest, value)
}

struct Writer<'a> {
    text: &'a str,
    /// The wanted content of the whole document.
    wanted: &'a Json,
    path: &'a [String],
}

impl Writer<'_> {
    /// Changes the nearest key on the way as a whole, or adds a key to the last group that exists.
    fn apply(&self, tree: &Node) -> Option<String> {
        let mut node = tree;
        let mut in_flow = false;
        let mut last: Option<(&Entry, usize, bool)> = None;
        for (depth, step) in self.path.iter().enumerate() {
            in_flow |= is_flow(node, self.text);
            match &node.value {
                Value::Group(_) => match node.entry(step) {
                    Some(entry) => {
                        last = Some((entry, depth + 1, in_flow));
                        node = &entry.node;
                    }
                    None => return self.insert(node, depth + 1, in_flow),
                },
                Value::List(items) => match step.parse::<usize>().ok().and_then(|i| items.get(i)) {
                    Some(item) => node = item,
                    None => break,
                },
                _ => break,
            }
        }
        let (entry, depth, in_flow) = last?;
        self.replace(entry, depth, in_flow)
    }

    fn value(&self, depth: usize) -> Option<&Json> {
        self.path[..depth].iter().try_fold(self.wanted, |json, step| match json {
            Json::Object(entries) => entries.get(step),
            Json::Array(items) => items.get(step.parse::<usize>().ok()?),
            _ => None,
        })
    }

    fn replace(&self, entry: &Entry, depth: usize, in_flow: bool) -> Option<String> {
        let value = self.value(depth)?;
        let begin = after_colon(entry, self.text)?;
        let end = end_of_entry(entry, self.text).max(begin);
        if in_flow {
            return Some(format!("{} {}{}", &self.text[..begin], inline(value), &self.text[end..]));
        }
        let indent = usize::try_from(entry.at.column).ok()?.saturating_sub(1);
        let between = &self.text[begin..entry.node.at.start.clamp(begin, end)];
        let (beside, below) = comments(between);
        let line_end = self.line_end(end);
        // The text behind the value on its line is a comment, which stays beside the key.
        let beside = format!("{beside}{}", self.text[end..line_end].trim_end());
        let below = below.iter().map(|comment| self.line(indent, comment));
        let written = self.lines(value, depth, indent, &beside);
        let head = &self.text[..begin];
        let tail = &self.text[line_end..];
        Some(format!("{head}{written}{}{tail}", below.collect::<String>()))
    }

    fn insert(&self, group: &Node, depth: usize, in_flow: bool) -> Option<String> {
        let value = self.value(depth)?;
        let name = key(&self.path[depth - 1]);
        let last = group.entries().iter().max_by_key(|entry| entry.at.start);
        if in_flow {
            let (at, new) = match last {
                Some(last) => {
                    let end = end_of_entry(last, self.text);
                    (end, format!(", {name}: {}", inline(value)))
                }
                None => (group.at.end, format!(" {name}: {} ", inline(value))),
            };
            return Some(format!("{}{new}{}", &self.text[..at], &self.text[at..]));
        }
        let last = last?;
        let indent = usize::try_from(last.at.column).ok()?.saturating_sub(1);
        let at = self.line_end(end_of_entry(last, self.text));
        let written = self.lines(value, depth, indent, "");
        let new = self.line(indent, &format!("{name}:{written}"));
        Some(format!("{}{new}{}", &self.text[..at], &self.text[at..]))
    }

    /// The text after the colon of a key at `indent`: groups that the path makes are written with a
    /// line for each key, the value itself in one line or as a block.
    fn lines(&self, value: &Json, depth: usize, indent: usize, comment: &str) -> String {
        if depth < self.path.len()
            && let Json::Object(entries) = value
        {
            let lines = entries.iter().map(|(name, value)| {
                let inner = depth + usize::from(*name == self.path[depth]);
                let depth = if inner > depth { inner } else { self.path.len() };
                let written = self.lines(value, depth, indent + 2, "");
                self.line(indent + 2, &format!("{}:{written}", key(name)))
            });
            return format!("{comment}{}", lines.collect::<String>());
        }
        match value.as_str().and_then(block) {
            Some((header, lines)) => {
                let lines = lines.iter().map(|line| self.line(indent + 2, line));
                format!(" {header}{comment}{}", lines.collect::<String>())
            }
            None => format!(" {}{comment}", inline(value)),
        }
    }

    /// A new line; an empty one has no spaces.
    fn line(&self, indent: usize, content: &str) -> String {
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let indent = if content.is_empty() { 0 } else { indent };
        format!("{newline}{:indent$}{content}", "")
    }

    fn line_end(&self, from: usize) -> usize {
        let end = self.text[from..].find('\n').map_or(self.text.len(), |offset| from + offset);
        from + self.text[from..end].trim_end_matches('\r').len()
    }
}

/// The comments between a key and its value: the comment on the key's line, with the space before
/// it, and those on lines of their own.
fn comments(between: &str) -> (String, Vec<&str>) {
    let mut lines = between.split('\n').map(comment);
    let beside = lines.next().flatten().map_or_else(String::new, |comment| format!(" {comment}"));
    (beside, lines.flatten().collect())
}

fn comment(line: &str) -> Option<&str> {
    let mut marks = line.match_indices('#').map(|(offset, _)| offset);
    let begin =
        marks.find(|offset| *offset == 0 || line[..*offset].ends_with(char::is_whitespace))?;
    Some(line[begin..].trim_end())
}
