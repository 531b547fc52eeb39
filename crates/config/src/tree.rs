//! The file as a tree of values, each of which knows where it was written.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::options::NonFiniteFloatPolicy;
use serde_saphyr::{Error, Location, MessageFormatter, Spanned, UserMessageFormatter};

/// Far above what a configuration needs, far below what exhausts the stack.
const MAX_DEPTH: usize = 32;

/// Where a value was written. Ordered as mistakes are printed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    WholeFile,
    File { line: u64, column: u64 },
    Default,
    Variable(String),
}

// None of these print: a tree holds secrets.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) at: Origin,
}

#[derive(Clone)]
pub(crate) enum Value {
    Null,
    Flag(bool),
    Whole(i128),
    Fraction(f64),
    Text(String),
    List(Vec<Node>),
    Group(Vec<Entry>),
    /// A mistake that is already reported, so that no second one is made of it.
    Wrong,
}

#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) at: Origin,
    pub(crate) node: Node,
}

impl Value {
    /// What a person would call it.
    pub(crate) fn describe(&self) -> &'static str {
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

impl Node {
    pub(crate) fn group(entries: Vec<Entry>, at: Origin) -> Self {
        Self { value: Value::Group(entries), at }
    }

    /// What is under `key`; an empty value counts as no value.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let Value::Group(entries) = &self.value else {
            return None;
        };
        let entry = entries.iter().find(|entry| entry.key == key)?;
        (!matches!(entry.node.value, Value::Null)).then_some(&entry.node)
    }
}

/// Reads a document. An error has the place and message of the first fault, since after one the
/// rest of a document has no certain meaning.
pub(crate) fn parse(text: &str) -> Result<Node, (Origin, String)> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH + 1,
            max_nodes: 100_000,
        },
        // `password: on` is a word.
        strict_booleans: true,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        // A snippet would print the lines around a mistake, and with them secrets.
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options::<Spanned<Value>>(text, options).map(Node::from).map_err(
        |error| {
            let at = error.location().map_or(Origin::WholeFile, Origin::from);
            (at, explain(&error))
        },
    )
}

fn explain(error: &Error) -> String {
    match error {
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the key `{key}` is written twice")
        }
        Error::MultipleDocuments { .. } => {
            "a second document begins; the file holds one".to_owned()
        }
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => {
            format!("nested more than {MAX_DEPTH} deep")
        }
        error => UserMessageFormatter.format_message(error).into_owned(),
    }
}

impl From<Location> for Origin {
    fn from(location: Location) -> Self {
        match location.line() {
            0 => Self::WholeFile,
            line => Self::File { line, column: location.column() },
        }
    }
}

impl From<Spanned<Value>> for Node {
    fn from(spanned: Spanned<Value>) -> Self {
        Self { value: spanned.value, at: spanned.referenced.into() }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Whole(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Whole(number.into()))
    }

    fn visit_i128<E>(self, number: i128) -> Result<Value, E> {
        Ok(Value::Whole(number))
    }

    fn visit_u128<E>(self, number: u128) -> Result<Value, E> {
        Ok(Value::Whole(i128::try_from(number).unwrap_or(i128::MAX)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Fraction(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut nodes = Vec::new();
        while let Some(item) = items.next_element::<Spanned<Value>>()? {
            nodes.push(item.into());
        }
        Ok(Value::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            let node = map.next_value::<Spanned<Value>>()?.into();
            entries.push(Entry { key: key.value, at: key.referenced.into(), node });
        }
        Ok(Value::Group(entries))
    }
}
