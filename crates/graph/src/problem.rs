//! The problems that a graph can have, each with the node it is about.

use std::fmt;

use thiserror::Error;

use crate::{END, START};

/// All that is wrong with a graph: whoever mends it should not have to build once per problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    pub problems: Vec<Problem>,
}

impl std::error::Error for BuildError {}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the graph cannot be built:")?;
        self.problems.iter().try_for_each(|problem| write!(f, "\n- {problem}"))
    }
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Problem {
    #[error("no start is set")]
    NoStart,

    #[error("{node:?} is no name for a node: it is empty or reserved")]
    BadName { node: String },

    #[error("node {node} is added twice")]
    DuplicateNode { node: String },

    #[error("{node} leads to {target}, which does not exist{}", meant(nearest))]
    UnknownTarget { node: String, target: String, nearest: Option<String> },

    #[error("a way leaves {node}, which does not exist{}", meant(nearest))]
    UnknownSource { node: String, nearest: Option<String> },

    #[error("router {router} of node {node} has no targets")]
    NoTargets { node: String, router: String },

    #[error("router {router} of node {node} names target {target} twice")]
    RepeatedTarget { node: String, router: String, target: String },

    #[error("node {node} has no way on: give it an edge, a route or an end")]
    NoWayOn { node: String },

    #[error("{node} has more than one way on: only a route may choose between targets")]
    SecondWayOn { node: String },

    #[error("node {node} cannot be reached from the start")]
    Unreachable { node: String },

    #[error("node {node} has no way to the end")]
    NoWayToEnd { node: String },
}

fn meant(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

/// Whether a node may have this name.
pub(crate) fn nameable(name: &str) -> bool {
    !name.is_empty() && name != START && name != END
}
