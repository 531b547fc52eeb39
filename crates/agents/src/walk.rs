//! The work of every agent that walks a graph, before and after the walk.

use std::collections::BTreeMap;

use domain::PathStep;
use graph::{Visit, WalkError};
use pack::Source;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::AgentError;

/// The files that make an agent behave as it does, path to text.
pub(crate) fn source(source: &Source) -> BTreeMap<String, String> {
    let owned = |(path, text): (&str, &str)| (path.to_owned(), text.to_owned());
    source.behaviour().iter().map(owned).collect()
}

/// The nodes passed, with the time spent in each.
pub(crate) fn path<'g>(visits: impl Iterator<Item = Visit<'g>>) -> Vec<PathStep> {
    let step = |node: &str, nanos: u64| PathStep {
        node: node.to_owned(),
        us: u32::try_from(nanos / 1000).unwrap_or(u32::MAX),
    };
    visits.map(|visit| step(visit.node, visit.nanos)).collect()
}

/// The memory of a session, as it is stored. A turn whose memory cannot be stored fails,
/// because a session that had forgotten would go on as if nothing had been said.
pub(crate) fn stored(memory: &impl Serialize) -> Result<Map<String, Value>, AgentError> {
    let failed = |why: String| AgentError { reason: format!("a session's memory: {why}") };
    match serde_json::to_value(memory) {
        Ok(Value::Object(memory)) => Ok(memory),
        Ok(other) => Err(failed(format!("{other} is no object"))),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// A memory as it was stored, and what is told of the parts of it that cannot be read, which are
/// forgotten: the rest is kept, since a session that had forgotten its cart would go on as if nothing
/// had been ordered. A part of a group, such as `shop.cart`, is one of its own.
pub(crate) fn recalled<M: DeserializeOwned + Default>(
    stored: &Map<String, Value>,
) -> (M, Vec<String>) {
    if let Ok(whole) = read(Value::Object(stored.clone())) {
        return (whole, Vec::new());
    }
    let reads = |name: &str, part: Value| read::<M>(json!({ name: part })).is_ok();
    let (mut kept, mut lost) = (Map::new(), Vec::new());
    for (name, part) in stored {
        if reads(name, part.clone()) {
            kept.insert(name.clone(), part.clone());
            continue;
        }
        let mut group = Map::new();
        for (own, value) in part.as_object().into_iter().flatten() {
            match reads(name, json!({ own: value })) {
                true => {
                    group.insert(own.clone(), value.clone());
                }
                false => lost.push(forgotten(&format!("{name}.{own}"))),
            }
        }
        match group.is_empty() {
            true => lost.push(forgotten(name)),
            false => {
                kept.insert(name.clone(), Value::Object(group));
            }
        }
    }
    // Parts that read alone read together.
    (read(Value::Object(kept)).unwrap_or_default(), lost)
}

fn read<M: DeserializeOwned>(memory: Value) -> Result<M, serde_json::Error> {
    serde_json::from_value(memory)
}

/// Without the part itself, which may hold what is a customer's alone.
fn forgotten(part: &str) -> String {
    format!("memory: `{part}` cannot be read and is forgotten")
}

impl From<WalkError> for AgentError {
    fn from(error: WalkError) -> Self {
        Self { reason: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_memory_that_cannot_be_stored_is_an_error_and_not_an_empty_one() {
        let whole = stored(&BTreeMap::from([("a", 1)])).unwrap();
        assert_eq!(Value::Object(whole), serde_json::json!({ "a": 1 }));
        let told = |memory: Result<Map<String, Value>, AgentError>| memory.unwrap_err().reason;
        assert!(told(stored(&BTreeMap::from([((1, 2), 1)]))).starts_with("a session's memory: "));
        assert_eq!(told(stored(&7)), "a session's memory: 7 is no object");
    }
}
