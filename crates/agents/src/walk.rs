//! The work of every agent that walks a graph, before and after the walk.

use std::collections::BTreeMap;

use domain::PathStep;
use graph::{Visit, WalkError};
use pack::Source;
use serde::Serialize;
use serde_json::{Map, Value};

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
