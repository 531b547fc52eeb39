//! Reads YAML text into a tree, or tells its first fault.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::options::NonFiniteFloatPolicy;
use serde_saphyr::{Error, MessageFormatter, Spanned, UserMessageFormatter};

use crate::{Entry, Node, Place, Value};

/// The depth limit: far above the depth of any file, far below the depth that exhausts the stack.
const MAX_DEPTH: usize = 32;

/// The reason why a text is no document. Only the first fault is given, because after it the rest
/// has no certain meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub at: Place,
    pub message: String,
}

/// Reads a document.
pub fn parse(text: &str) -> Result<Node, Fault> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH + 1,
            max_nodes: 100_000,
        },
        // Strict booleans keep `password: on` a word.
        strict_booleans: true,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        // A snippet would print the lines around a mistake, and with them secrets.
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options::<Spanned<Value>>(text, options).map(Node::from).map_err(
        |error| Fault {
            at: error.location().map(Place::from).unwrap_or_default(),
            message: explain(&error),
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
        error => plain(UserMessageFormatter.format_message(error).into_owned()),
    }
}

/// The most common faults in words that give the remedy; others in the parser's words.
fn plain(message: String) -> String {
    const WORDS: [(&str, &str); 4] = [
        ("mapping values are not allowed", "text with `: ` in it has to be in quotes"),
        ("illegal placement of ':'", "a bracket or quote that is opened above is not closed"),
        ("found a tab", "there is a tab; indent with spaces"),
        ("tabs disallowed", "there is a tab; indent with spaces"),
    ];
    match WORDS.iter().find(|(said, _)| message.contains(said)) {
        Some((_, words)) => (*words).to_owned(),
        None => message,
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
