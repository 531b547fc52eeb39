//! The tree: values, groups and lists, each with its place, and looks into it.

use crate::Place;

// `Debug` is not derived here, because a tree may hold secrets.
/// A value and its place; `P` is more than a [`Place`] for callers with other origins than a file.
#[derive(Clone)]
pub struct Node<P = Place> {
    pub value: Value<P>,
    pub at: P,
}

#[derive(Clone)]
pub enum Value<P = Place> {
    Null,
    Flag(bool),
    Whole(i128),
    Fraction(f64),
    Text(String),
    List(Vec<Node<P>>),
    Group(Vec<Entry<P>>),
    /// A mistake that is already reported, so that no second mistake is made of it. No document
    /// parses to it.
    Wrong,
}

/// A key of a group, with its own place, and the node under it.
#[derive(Clone)]
pub struct Entry<P = Place> {
    pub key: String,
    pub at: P,
    pub node: Node<P>,
}

impl<P> Value<P> {
    /// The kind of value, in a person's words.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Null | Self::Wrong => "nothing",
            Self::Flag(_) => "true or false",
            Self::Whole(_) | Self::Fraction(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Group(_) => "a group of keys",
        }
    }
}

impl<P> Node<P> {
    pub fn group(entries: Vec<Entry<P>>, at: P) -> Self {
        Self { value: Value::Group(entries), at }
    }

    /// The keys of a group; empty for any other value.
    pub fn entries(&self) -> &[Entry<P>] {
        match &self.value {
            Value::Group(entries) => entries,
            _ => &[],
        }
    }

    pub fn entry(&self, key: &str) -> Option<&Entry<P>> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The value under `key`; an empty value counts as no value.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let node = &self.entry(key)?.node;
        (!matches!(node.value, Value::Null)).then_some(node)
    }

    /// The text under `key`, and its place.
    pub fn text(&self, key: &str) -> Option<(&str, &P)> {
        match self.get(key)? {
            Node { value: Value::Text(text), at } => Some((text, at)),
            _ => None,
        }
    }

    /// The items of a list; a node of another kind has none.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The text that it is, if it is one.
    pub fn value_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items of the list under `key`; empty if there is no list.
    pub fn list(&self, key: &str) -> &[Self] {
        match self.get(key) {
            Some(Node { value: Value::List(items), .. }) => items,
            _ => &[],
        }
    }

    /// The whole number under `key`.
    pub fn whole(&self, key: &str) -> Option<i64> {
        match self.get(key)?.value {
            Value::Whole(number) => i64::try_from(number).ok(),
            _ => None,
        }
    }

    /// The `true` or `false` under `key`.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.get(key)?.value {
            Value::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    /// The node at a JSON pointer such as `/fields/2/ask`.
    pub fn at(&self, pointer: &str) -> Option<&Self> {
        steps(pointer).try_fold(self, |node, step| match &node.value {
            Value::Group(_) => node.entry(&step).map(|entry| &entry.node),
            Value::List(items) => items.get(step.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// The entry at a JSON pointer: its last key, and the value under it; `None` for an item of a
    /// list.
    pub fn entry_at(&self, pointer: &str) -> Option<&Entry<P>> {
        let (parent, key) = pointer.rsplit_once('/')?;
        self.at(parent)?.entry(&unescaped(key))
    }

    /// The same tree with other origins.
    pub fn map<Q>(self, origin: &impl Fn(P) -> Q) -> Node<Q> {
        let value = match self.value {
            Value::Null => Value::Null,
            Value::Flag(flag) => Value::Flag(flag),
            Value::Whole(number) => Value::Whole(number),
            Value::Fraction(number) => Value::Fraction(number),
            Value::Text(text) => Value::Text(text),
            Value::List(items) => {
                Value::List(items.into_iter().map(|item| item.map(origin)).collect())
            }
            Value::Group(entries) => Value::Group(
                entries
                    .into_iter()
                    .map(|Entry { key, at, node }| Entry {
                        key,
                        at: origin(at),
                        node: node.map(origin),
                    })
                    .collect(),
            ),
            Value::Wrong => Value::Wrong,
        };
        Node { value, at: origin(self.at) }
    }
}

/// The steps of a JSON pointer; the empty pointer has none.
pub(crate) fn steps(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(unescaped)
}

pub(crate) fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use crate::parse;

    #[test]
    fn a_pointer_leads_to_a_value_or_to_its_key() {
        let tree = parse("fields:\n- name: a\n- name: b\n  ask: x\na/b: 1\n").ok().unwrap();
        let ask = tree.at("/fields/1/ask").unwrap();
        assert_eq!((ask.at.line, ask.at.column), (4, 8));
        let key = tree.entry_at("/fields/1/ask").unwrap();
        assert_eq!((key.at.line, key.at.column, key.key.as_str()), (4, 3, "ask"));
        assert!(tree.at("/a~1b").is_some());
        assert!(tree.at("").is_some());
        for absent in ["/fields/2", "/fields/x", "/nothing", "/fields/0/name/x"] {
            assert!(tree.at(absent).is_none(), "{absent}");
        }
        assert!(tree.entry_at("/fields/1").is_none());
    }
}
