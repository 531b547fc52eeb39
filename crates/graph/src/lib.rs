//! Graphs of named nodes: built once, checked, drawn, and walked with a recorded path.
//!
//! A graph holds what its nodes do and how its routers choose as values of types that its user picks,
//! and never calls them: the user takes the next node of a [`Walk`], does its work, and goes on. So a
//! node may wait or not, and may borrow what it likes. Adding a node is a function, a line and its edges:
//!
//! ```
//! use graph::{END, Graph};
//!
//! #[derive(Default)]
//! struct Order {
//!     item: Option<String>,
//!     reply: String,
//! }
//!
//! fn look_up(order: &mut Order) {
//!     order.item = Some("café".to_owned());
//! }
//!
//! fn confirm(order: &mut Order) {
//!     order.reply = format!("¿{}?", order.item.as_deref().unwrap_or_default());
//! }
//!
//! fn after_look_up(order: &Order) -> &'static str {
//!     if order.item.is_some() { "confirm" } else { END }
//! }
//!
//! let graph = Graph::<fn(&mut Order), fn(&Order) -> &'static str>::builder()
//!     .node("look_up", look_up)
//!     .node("confirm", confirm)
//!     .start("look_up")
//!     .route("look_up", "after_look_up", &["confirm", END], after_look_up)
//!     .end("confirm")
//!     .build()?;
//!
//! let mut order = Order::default();
//! let mut walk = graph.walk();
//! while let Some(work) = walk.next(|choose| choose(&order))? {
//!     work(&mut order);
//! }
//! assert_eq!(order.reply, "¿café?");
//! assert!(walk.path().eq(["look_up", "confirm"]));
//! assert!(graph.mermaid().contains("look_up -.->|\"after_look_up\"| confirm"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod builder;
mod graph;
mod mermaid;
mod nearest;
mod plan;
mod problem;
mod walk;

pub use builder::Builder;
pub use graph::{END, Graph, START};
pub use problem::{BuildError, Problem};
pub use walk::{Ticks, Visit, Walk, WalkError};
