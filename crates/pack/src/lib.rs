//! A folder read into a checked pack, with every mistake at its file, line and column.
//!
//! [`Source`] is the text of the folder; `shape` holds each file against the schema of its type in
//! [`files`], `check` holds the files against each other, and `read` builds the [`Pack`] when
//! neither found an error. Each goes on after a mistake, so that a person corrects a pack once.

mod cases;
mod check;
pub mod files;
mod finding;
mod look;
mod number;
mod read;
mod render;
mod schemas;
mod shape;
mod source;

pub use cases::{Cases, load_cases};
pub use document::{Edit, EditError, rewrite};
pub use finding::{Finding, Findings, Severity};
pub use number::Marks;
pub use read::{Agent, AgentSpec, Loaded, Pack, load, read};
pub use render::{RenderError, Texts};
pub use schemas::schemas;
pub use source::{Source, Stamp};
