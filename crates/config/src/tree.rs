//! The tree of a configuration: the values of the file, of variables, and defaults.

use document::Place;

pub(crate) type Node = document::Node<Origin>;
pub(crate) type Value = document::Value<Origin>;
pub(crate) type Entry = document::Entry<Origin>;

/// The origin of a value, ordered as mistakes are printed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    WholeFile,
    File { line: u64, column: u64 },
    Default,
    Variable(String),
}

impl From<Place> for Origin {
    fn from(place: Place) -> Self {
        match place.line {
            0 => Self::WholeFile,
            line => Self::File { line, column: place.column },
        }
    }
}

/// Reads a document, or gives its first fault.
pub(crate) fn parse(text: &str) -> Result<Node, (Origin, String)> {
    match document::parse(text) {
        Ok(node) => Ok(node.map(&Origin::from)),
        Err(fault) => Err((fault.at.into(), fault.message)),
    }
}

/// Whether a mistake in the value under `key` was already reported.
pub(crate) fn has_wrong(node: &Node, key: &str) -> bool {
    matches!(node.get(key), Some(Node { value: Value::Wrong, .. }))
}
