//! Holds a file's tree against the JSON Schema of its type and reports every difference.
//!
//! The check knows the keywords that `schemars` writes for the types in [`crate::files`], and two
//! more: `patternErrorMessage`, which editors know too, says what a `pattern` means, and the
//! `format` `length-of-time` is a [`crate::files::Duration`].

use document::{Node, Value, suggestion};
use regex::Regex;
use serde_json::{Map, Value as Json};

use crate::files::Duration;
use crate::finding::Report;
use crate::look::listed;

pub(crate) fn check(file: &str, tree: &Node, schema: &Json, report: &mut Report) {
    Shape { file, root: schema, report }.node(tree, schema, "the file");
}

struct Shape<'a> {
    file: &'a str,
    root: &'a Json,
    report: &'a mut Report,
}

impl<'a> Shape<'a> {
    /// `label` is how a message calls the value: `` `fields` `` or the like.
    fn node(&mut self, node: &Node, schema: &'a Json, label: &str) {
        // The schema `true` takes anything.
        let Some(schema) = self.resolve(schema).as_object() else {
            return;
        };
        if let Some(Json::Array(alternatives)) = schema.get("oneOf").or(schema.get("anyOf")) {
            return self.alternatives(node, alternatives, label);
        }
        if let Some(words) = words(schema) {
            return self.choice(node, &words, schema, label);
        }
        if !fits(node, schema) {
            return self.wrong_type(node, &names(schema), label);
        }
        match &node.value {
            Value::Text(text) => self.text(node, text, schema, label),
            Value::Whole(number) => self.number(node, *number as f64, schema, label),
            Value::Fraction(number) => self.number(node, *number, schema, label),
            Value::List(items) => self.list(node, items, schema, label),
            Value::Group(_) => self.group(node, schema),
            Value::Null | Value::Flag(_) | Value::Wrong => {}
        }
    }

    fn resolve(&self, mut schema: &'a Json) -> &'a Json {
        while let Some(Json::String(reference)) = schema.get("$ref") {
            match reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) {
                Some(target) => schema = target,
                None => break,
            }
        }
        schema
    }

    fn alternatives(&mut self, node: &Node, alternatives: &'a [Json], label: &str) {
        let mut choices = Vec::new();
        let mut others = Vec::new();
        for alternative in alternatives {
            let Some(schema) = self.resolve(alternative).as_object() else {
                return;
            };
            match (words(schema), schema.get("oneOf").or(schema.get("anyOf"))) {
                (Some(words), _) => choices.extend(words),
                // An alternative that has alternatives, such as an optional enum.
                (None, Some(Json::Array(nested))) => {
                    for nested in
                        nested.iter().filter_map(|nested| self.resolve(nested).as_object())
                    {
                        match words(nested) {
                            Some(words) => choices.extend(words),
                            None => others.push(nested),
                        }
                    }
                }
                (None, _) => others.push(schema),
            }
        }
        if let Value::Text(text) = &node.value
            && choices.contains(&text.as_str())
        {
            return;
        }
        let fitting: Vec<_> = others.iter().filter(|schema| fits(node, schema)).collect();
        match fitting.as_slice() {
            [] if matches!(node.value, Value::Text(_)) && !choices.is_empty() => {
                self.unknown_word(node, &choices, label);
            }
            [] => {
                let mut expected: Vec<_> = others.iter().flat_map(|schema| names(schema)).collect();
                expected.dedup();
                if !choices.is_empty() {
                    expected.insert(0, format!("one of {}", listed(&choices)));
                }
                self.wrong_type(node, &expected, label);
            }
            [schema] => self.matching(node, schema, label),
            several => {
                // Which one was meant is not certain: the one with the fewest mistakes, if any.
                let mistakes = |schema: &Map<String, Json>| {
                    let mut report = Report::default();
                    let mut trial = Shape { file: self.file, root: self.root, report: &mut report };
                    trial.matching(node, schema, label);
                    report.errors()
                };
                if let Some(nearest) = several.iter().min_by_key(|schema| mistakes(schema)) {
                    self.matching(node, nearest, label);
                }
            }
        }
    }

    /// A node whose type is known to fit.
    fn matching(&mut self, node: &Node, schema: &'a Map<String, Json>, label: &str) {
        match &node.value {
            Value::Text(text) => self.text(node, text, schema, label),
            Value::List(items) => self.list(node, items, schema, label),
            Value::Group(_) => self.group(node, schema),
            Value::Whole(number) => self.number(node, *number as f64, schema, label),
            Value::Fraction(number) => self.number(node, *number, schema, label),
            Value::Null | Value::Flag(_) | Value::Wrong => {}
        }
    }

    fn choice(&mut self, node: &Node, words: &[&str], schema: &Map<String, Json>, label: &str) {
        match &node.value {
            Value::Text(text) if words.contains(&text.as_str()) => {}
            Value::Text(_) => self.unknown_word(node, words, label),
            Value::Null if takes_null(schema) => {}
            _ => self.wrong_type(node, &[format!("one of {}", listed(words))], label),
        }
    }

    fn unknown_word(&mut self, node: &Node, words: &[&str], label: &str) {
        let Value::Text(text) = &node.value else { return };
        let hint = suggestion(text, words.iter().copied())
            .unwrap_or_else(|| format!("; it can be {}", listed(words)));
        self.error(node, format!("{label} cannot be `{text}`{hint}"));
    }

    fn wrong_type(&mut self, node: &Node, expected: &[String], label: &str) {
        let wants = |name: &str| expected.iter().any(|expected| expected == name);
        let found = match &node.value {
            Value::Fraction(number) if wants("a whole number") => number.to_string(),
            value => value.describe().to_owned(),
        };
        let hint = match &node.value {
            Value::Flag(_) | Value::Whole(_) | Value::Fraction(_) if wants("text") => {
                "; put it in quotes if it is meant as text"
            }
            Value::Text(text)
                if (wants("a number") || wants("a whole number"))
                    && text.parse::<f64>().is_ok() =>
            {
                "; write it without quotes"
            }
            Value::Text(_) if wants("a list") => "; begin each item with `- `",
            _ => "",
        };
        let expected = expected.join(" or ");
        self.error(node, format!("{label}: expected {expected}, found {found}{hint}"));
    }

    fn text(&mut self, node: &Node, text: &str, schema: &Map<String, Json>, label: &str) {
        let bound = |keyword| schema.get(keyword).and_then(Json::as_u64);
        let length = text.chars().count() as u64;
        match (bound("minLength"), bound("maxLength")) {
            (Some(min), _) if length < min && text.is_empty() => {
                return self.error(node, format!("{label} is empty"));
            }
            (Some(min), _) if length < min => {
                return self.error(node, format!("{label} is shorter than {min} letters"));
            }
            (_, Some(max)) if length > max => {
                return self.error(node, format!("{label} is longer than {max} letters"));
            }
            _ => {}
        }
        if schema.get("format").and_then(Json::as_str) == Some("length-of-time") {
            if let Err(message) = text.parse::<Duration>() {
                self.error(node, format!("{label}: {message}"));
            }
            return;
        }
        let Some(pattern) = schema.get("pattern").and_then(Json::as_str) else {
            return;
        };
        if Regex::new(pattern).is_ok_and(|pattern| !pattern.is_match(text)) {
            let meaning = schema.get("patternErrorMessage").and_then(Json::as_str);
            let meaning = meaning.map_or_else(|| format!("text like {pattern}"), str::to_owned);
            self.error(node, format!("{label}: expected {meaning}, found `{text}`"));
        }
    }

    fn number(&mut self, node: &Node, number: f64, schema: &Map<String, Json>, label: &str) {
        let bound = |keyword| schema.get(keyword).and_then(Json::as_f64);
        let message = match (bound("minimum"), bound("maximum")) {
            (Some(min), Some(max)) if !(min..=max).contains(&number) => {
                format!("{label} lies between {min} and {max}, not at {number}")
            }
            (Some(min), None) if number < min => {
                format!("{label} is at least {min}, not {number}")
            }
            (None, Some(max)) if number > max => {
                format!("{label} is at most {max}, not {number}")
            }
            _ => return,
        };
        self.error(node, message);
    }

    fn list(&mut self, node: &Node, items: &[Node], schema: &'a Map<String, Json>, label: &str) {
        let bound = |keyword| {
            schema.get(keyword).and_then(Json::as_u64).and_then(|bound| usize::try_from(bound).ok())
        };
        match (bound("minItems"), bound("maxItems")) {
            (Some(min), _) if items.len() < min && items.is_empty() => {
                self.error(node, format!("{label} is empty"));
            }
            (Some(min), _) if items.len() < min => {
                self.error(node, format!("{label} needs at least {min} items"));
            }
            (_, Some(max)) if items.len() > max => {
                self.error(node, format!("{label} takes at most {max} items"));
            }
            _ => {}
        }
        if let Some(schema) = schema.get("items") {
            let label = match label {
                "the file" => "an item".to_owned(),
                label => format!("an item of {label}"),
            };
            for item in items {
                self.node(item, schema, &label);
            }
        }
    }

    fn group(&mut self, node: &Node, schema: &'a Map<String, Json>) {
        let known = schema.get("properties").and_then(Json::as_object);
        let mut meant = Vec::new();
        for entry in node.entries() {
            let label = format!("`{}`", entry.key);
            if let Some(schema) = known.and_then(|known| known.get(&entry.key)) {
                self.node(&entry.node, schema, &label);
                continue;
            }
            match schema.get("additionalProperties") {
                Some(Json::Bool(false)) => {
                    let keys = known.into_iter().flat_map(Map::keys).map(String::as_str);
                    let keys: Vec<&str> = keys.collect();
                    let nearest = document::nearest(&entry.key, keys.iter().copied());
                    meant.extend(nearest);
                    let hint = suggestion(&entry.key, keys.iter().copied())
                        .unwrap_or_else(|| format!("; here there can be {}", listed(&keys)));
                    let message = format!("unknown key {label}{hint}");
                    self.report.error(self.file, &entry.at, message);
                }
                Some(schema) => self.node(&entry.node, schema, &label),
                None => {}
            }
        }
        let required = schema.get("required").and_then(Json::as_array);
        for key in required.into_iter().flatten().filter_map(Json::as_str) {
            // A key that is there under a misspelt name is one mistake, not two.
            if node.entry(key).is_none() && !meant.contains(&key) {
                self.error(node, format!("`{key}` is missing"));
            }
        }
    }

    fn error(&mut self, node: &Node, message: String) {
        self.report.error(self.file, &node.at, message);
    }
}

/// The words a schema takes, if it takes only certain ones.
fn words(schema: &Map<String, Json>) -> Option<Vec<&str>> {
    if let Some(word) = schema.get("const") {
        return word.as_str().map(|word| vec![word]);
    }
    let words = schema.get("enum")?.as_array()?;
    Some(words.iter().filter_map(Json::as_str).collect())
}

fn takes_null(schema: &Map<String, Json>) -> bool {
    let list = schema.get("enum").and_then(Json::as_array);
    list.is_some_and(|words| words.contains(&Json::Null))
}

fn types(schema: &Map<String, Json>) -> Vec<&str> {
    match schema.get("type") {
        Some(Json::String(name)) => vec![name],
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Whether a value is of a type that the schema takes.
fn fits(node: &Node, schema: &Map<String, Json>) -> bool {
    let types = types(schema);
    types.is_empty()
        || types.into_iter().any(|name| match name {
            "null" => matches!(node.value, Value::Null),
            "boolean" => matches!(node.value, Value::Flag(_)),
            "integer" => matches!(node.value, Value::Whole(_)),
            "number" => matches!(node.value, Value::Whole(_) | Value::Fraction(_)),
            "string" => matches!(node.value, Value::Text(_)),
            "array" => matches!(node.value, Value::List(_)),
            "object" => matches!(node.value, Value::Group(_)),
            _ => true,
        })
}

/// The words of a person for the types that a schema takes; nothing is not worth a mention.
fn names(schema: &Map<String, Json>) -> Vec<String> {
    let name = |name: &str| match name {
        "boolean" => "true or false",
        "integer" => "a whole number",
        "number" => "a number",
        "array" => "a list",
        "object" => "a group of keys",
        _ => "text",
    };
    let types = types(schema).into_iter().filter(|name| *name != "null");
    types.map(|word| name(word).to_owned()).collect()
}
