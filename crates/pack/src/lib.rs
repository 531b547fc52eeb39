//! A folder read into a checked pack, with every mistake at its file, line and column.
//!
//! [`Source`] is the text of the folder; `shape` holds each file against the schema of its type in
//! [`files`], `check` holds the files against each other, and `read` builds the [`Pack`] when
//! neither found an error. Each goes on after a mistake, so that a person corrects a pack once. A pack that was
//! kept is only built, not checked again.

mod actions;
mod cases;
mod check;
mod expand;
mod expression;
pub mod facts;
pub mod files;
mod finding;
mod look;
mod mermaid;
mod number;
mod page;
mod phrases;
pub mod program;
mod prompt;
mod quote;
mod read;
mod render;
mod sayings;
mod schemas;
mod script;
mod shape;
mod source;
mod tools;

pub use cases::{Cases, load_cases};
pub use document::{Edit, EditError, rewrite};
pub use expression::{Expression, ExpressionError, Facts, Known};
pub use finding::{Finding, Findings, Severity};
pub use mermaid::flow_mermaid;
pub use number::Marks;
pub use page::page;
pub use quote::{cited, quoted};
pub use read::{Agent, AgentSpec, FlowSpec, Loaded, Pack, load, read, revive};
pub use render::{Approved, RenderError, Texts};
pub use schemas::schemas;
pub use script::{load_script, read_script};
pub use source::{Source, Stamp};
pub use tools::{ENGINE_TOOLS, EngineTool, engine_tool, need_yes};
