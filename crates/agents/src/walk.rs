//! What every agent that walks a graph does before and after.

use std::collections::BTreeMap;

use domain::PathStep;
use graph::Trace;
use pack::Source;

/// The files that make an agent behave as it does, path to text.
pub(crate) fn source(source: &Source) -> BTreeMap<String, String> {
    let owned = |(path, text): (&str, &str)| (path.to_owned(), text.to_owned());
    source.behaviour().iter().map(owned).collect()
}

/// The nodes passed, with the time spent in each.
pub(crate) fn path(trace: &Trace<'_>) -> Vec<PathStep> {
    let step = |node: &str, nanos: u64| PathStep {
        node: node.to_owned(),
        us: u32::try_from(nanos / 1000).unwrap_or(u32::MAX),
    };
    trace.visits().map(|visit| step(visit.node, visit.nanos)).collect()
}
