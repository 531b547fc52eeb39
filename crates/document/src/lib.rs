//! YAML documents as trees whose values know where they were written, and edits that keep the rest.

mod edit;
mod extent;
mod json;
mod nearest;
mod parse;
mod place;
mod tree;
mod write;

pub use edit::{Edit, EditError, rewrite};
pub use nearest::{nearest, suggestion};
pub use parse::{Fault, parse};
pub use place::Place;
pub use tree::{Entry, Node, Value};
