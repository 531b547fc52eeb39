//! Checks the tree against the schema: expands variables, reads secret files, checks types and
//! bounds. The result has only known keys, each with a value of its shape or marked as wrong.

use document::suggestion;

use crate::environment::Environment;
use crate::expand::expand;
use crate::mistakes::Mistakes;

use crate::schema::{Key, Shape, file_key, names};
use crate::tree::{Entry, Node, Origin, Value};

pub(crate) struct Validator<'a> {
    pub(crate) env: &'a Environment,
    pub(crate) mistakes: &'a mut Mistakes,
}

impl Validator<'_> {
    pub(crate) fn group(&mut self, entries: Vec<Entry>, keys: &[Key]) -> Value {
        let known = names(keys);
        let mut valid: Vec<Entry> = Vec::new();
        for Entry { key, at, node } in entries {
            let shape = keys.iter().find(|known| known.name == key).map(|known| &known.shape);
            let secret = keys
                .iter()
                .find(|known| matches!(known.shape, Shape::Secret) && file_key(known.name) == key);
            let (name, node) = match (shape, secret) {
                (Some(shape), _) => {
                    let node = self.node(&key, node, shape);
                    (key, node)
                }
                (None, Some(secret)) => (secret.name.to_owned(), self.secret_file(&key, node)),
                (None, None) => {
                    self.unknown(&key, &at, &known);
                    continue;
                }
            };
            // A secret and its file end up under one name, so a configuration that gives both shows
            // here.
            if valid.iter().any(|entry| entry.key == name) {
                let file = file_key(&name);
                self.mistakes.add(&at, format!("both `{name}` and `{file}` are given; keep one"));
            } else if !matches!(node.value, Value::Null) {
                valid.push(Entry { key: name, at, node });
            }
        }
        Value::Group(valid)
    }

    fn unknown(&mut self, key: &str, at: &Origin, known: &[String]) {
        let hint = suggestion(key, known.iter().map(String::as_str))
            .unwrap_or_else(|| format!("; here there can be {}", listed(known)));
        self.mistakes.add(at, format!("unknown key `{key}`{hint}"));
    }

    fn node(&mut self, name: &str, mut node: Node, shape: &Shape) -> Node {
        node = self.expanded(node);
        let at = node.at.clone();
        let value = match (shape, node.value) {
            (_, value @ (Value::Null | Value::Wrong)) => value,
            (Shape::Text | Shape::Secret, Value::Text(text)) if text.trim().is_empty() => {
                self.wrong(&at, format!("`{name}` is empty"))
            }
            (Shape::Text | Shape::Secret, text @ Value::Text(_)) => text,
            (
                Shape::Text | Shape::Secret,
                value @ (Value::Flag(_) | Value::Whole(_) | Value::Fraction(_)),
            ) => {
                let found = value.describe();
                self.wrong(
                    &at,
                    format!("`{name}` is text, not {found}: write it in quotes if it is meant"),
                )
            }
            (Shape::Flag, value) => self.flag(name, value, &at),
            (Shape::Whole { min, max, why }, value) => {
                self.whole(name, value, (*min, *max, why), &at)
            }
            (Shape::DecimalOr(word, ..), Value::Text(text)) if text == *word => Value::Text(text),
            (Shape::DecimalOr(_, min, max), value) => self.decimal(name, value, (*min, *max), &at),
            (Shape::Choice(words), Value::Text(text)) => self.choice(name, text, words, &at),
            (Shape::Texts, Value::Text(text)) => {
                let part = |part: &str| Value::Text(part.trim().to_owned());
                let parts = text.split(',').map(|text| Node { value: part(text), at: at.clone() });
                Value::List(parts.map(|part| self.text(name, part)).collect())
            }
            (Shape::Texts, Value::List(items)) => {
                let mut one = |item| {
                    let item = self.expanded(item);
                    self.text(name, item)
                };
                Value::List(items.into_iter().map(&mut one).collect())
            }
            (Shape::ChoiceOrGroup(words, _), Value::Text(text))
                if words.contains(&text.as_str()) =>
            {
                Value::Text(text)
            }
            (Shape::Group(keys) | Shape::ChoiceOrGroup(_, keys), Value::Group(entries)) => {
                self.group(entries, keys)
            }
            (Shape::Each(keys), Value::List(items)) => {
                Value::List(items.into_iter().map(|item| self.item(name, item, keys)).collect())
            }
            (shape, value) => {
                let (expected, found) = (expected(shape), value.describe());
                self.wrong(&at, format!("`{name}` is {expected}, not {found}"))
            }
        };
        Node { value, at }
    }

    fn item(&mut self, name: &str, item: Node, keys: &[Key]) -> Node {
        let at = item.at;
        let value = match item.value {
            Value::Group(entries) => self.group(entries, keys),
            value => {
                let found = value.describe();
                self.wrong(&at, format!("each of `{name}` is a group of keys, not {found}"))
            }
        };
        Node { value, at }
    }

    /// Expands values of the file only, because a variable's own value may hold any character.
    fn expanded(&mut self, node: Node) -> Node {
        let Node { value: Value::Text(text), at: at @ Origin::File { .. } } = node else {
            return node;
        };
        let value = match expand(&text, self.env) {
            Ok(text) => Value::Text(text),
            Err(message) => self.wrong(&at, message),
        };
        Node { value, at }
    }

    /// The secret in the file that `node` names.
    fn secret_file(&mut self, key: &str, node: Node) -> Node {
        let node = self.node(key, node, &Shape::Text);
        let Node { value: Value::Text(path), at } = node else {
            return node;
        };
        let value = match std::fs::read_to_string(&path) {
            Err(error) => self.wrong(&at, format!("`{key}`: cannot read `{path}`: {error}")),
            Ok(text) => match text.trim_end_matches(['\r', '\n']) {
                "" => self.wrong(&at, format!("`{key}`: `{path}` is empty")),
                secret => Value::Text(secret.to_owned()),
            },
        };
        Node { value, at }
    }

    // Text that spells a flag is accepted, because a variable and a `${…}` can only give text.
    fn flag(&mut self, name: &str, value: Value, at: &Origin) -> Value {
        match value {
            Value::Flag(flag) => Value::Flag(flag),
            Value::Text(text) if text == "true" || text == "false" => Value::Flag(text == "true"),
            Value::Text(text) => self.wrong(at, format!("`{name}` is true or false, not `{text}`")),
            value => self.wrong(at, format!("`{name}` is true or false, not {}", value.describe())),
        }
    }

    fn whole(
        &mut self,
        name: &str,
        value: Value,
        (min, max, why): (i64, i64, &str),
        at: &Origin,
    ) -> Value {
        let found = match value {
            Value::Whole(number) => Ok(number),
            Value::Text(text) => text.parse::<i128>().map_err(|_| format!("`{text}`")),
            Value::Fraction(number) => Err(number.to_string()),
            value => Err(value.describe().to_owned()),
        };
        match found {
            Err(found) => self.wrong(at, format!("`{name}` is a whole number, not {found}")),
            Ok(number) if number < min.into() && !why.is_empty() => {
                self.wrong(at, format!("`{name}` is at least {min}, not {number}: {why}"))
            }
            Ok(number) if number < min.into() || number > max.into() => {
                self.wrong(at, format!("`{name}` lies between {min} and {max}, not {number}"))
            }
            Ok(number) => Value::Whole(number),
        }
    }

    fn decimal(&mut self, name: &str, value: Value, (min, max): (f64, f64), at: &Origin) -> Value {
        let found = match value {
            Value::Whole(number) => Ok(number as f64),
            Value::Fraction(number) => Ok(number),
            Value::Text(text) => text.parse::<f64>().map_err(|_| format!("`{text}`")),
            value => Err(value.describe().to_owned()),
        };
        match found {
            Err(found) => self.wrong(at, format!("`{name}` is a number, not {found}")),
            Ok(number) if !(min..=max).contains(&number) => {
                self.wrong(at, format!("`{name}` lies between {min} and {max}, not {number}"))
            }
            Ok(number) => Value::Fraction(number),
        }
    }

    /// An item of a list of texts.
    fn text(&mut self, name: &str, Node { value, at }: Node) -> Node {
        let value = match value {
            Value::Text(text) if text.trim().is_empty() => {
                self.wrong(&at, format!("one of `{name}` is empty"))
            }
            value @ (Value::Text(_) | Value::Wrong) => value,
            value => {
                let found = value.describe();
                self.wrong(&at, format!("each of `{name}` is text, not {found}"))
            }
        };
        Node { value, at }
    }

    fn choice(&mut self, name: &str, text: String, words: &[&str], at: &Origin) -> Value {
        if words.contains(&text.as_str()) {
            return Value::Text(text);
        }
        let hint = suggestion(&text, words.iter().copied())
            .unwrap_or_else(|| format!("; it can be {}", listed(words)));
        self.wrong(at, format!("`{name}` is not `{text}`{hint}"))
    }

    fn wrong(&mut self, at: &Origin, message: String) -> Value {
        self.mistakes.add(at, message);
        Value::Wrong
    }
}

fn listed(names: &[impl AsRef<str>]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

fn expected(shape: &Shape) -> String {
    match shape {
        Shape::Text | Shape::Secret => "text".to_owned(),
        Shape::Flag => "true or false".to_owned(),
        Shape::Whole { .. } => "a whole number".to_owned(),
        Shape::DecimalOr(word, ..) => format!("a number, or `{word}`"),
        Shape::Texts => "a list of texts".to_owned(),
        Shape::Choice(words) => format!("one of {}", listed(words)),
        Shape::Group(keys) => format!("a group with {}", listed(&names(keys))),
        Shape::ChoiceOrGroup(words, keys) => {
            format!("{}, or a group with one of {}", listed(words), listed(&names(keys)))
        }
        Shape::Each(_) => "a list".to_owned(),
    }
}
