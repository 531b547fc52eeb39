//! Typed graphs of named async nodes over a state: built once, checked, run, drawn and traced.
//!
//! Adding a node is a function, a registration and its edges:
//!
//! ```
//! use graph::{END, Graph, Owned, Trace};
//!
//! #[derive(Default)]
//! struct Order {
//!     item: Option<String>,
//!     reply: String,
//! }
//!
//! async fn look_up(order: &mut Order) {
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
//! let graph = Graph::<Owned<Order>>::builder()
//!     .node("look_up", look_up)
//!     .sync("confirm", confirm)
//!     .start("look_up")
//!     .route("look_up", "after_look_up", &["confirm", END], after_look_up)
//!     .end("confirm")
//!     .build()?;
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let mut order = Order::default();
//! let mut trace = Trace::new();
//! graph.run(&mut order, &mut trace).await?;
//! assert_eq!(order.reply, "¿café?");
//! assert!(trace.path().eq(["look_up", "confirm"]));
//! assert!(graph.mermaid().contains("look_up -.->|\"after_look_up\"| confirm"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A state that borrows, as one that holds a `&mut dyn Context`, has a [`Family`] of its own.

mod builder;
mod family;
mod fork;
mod graph;
mod mermaid;
mod nearest;
mod nested;
mod node;
mod outline;
mod plan;
mod problem;
mod run;
mod svg;
mod trace;

pub use builder::Builder;
pub use family::{Family, Owned};
pub use fork::{BranchFn, Fork, Join};
pub use graph::{END, Graph, START};
pub use nested::PartFn;
pub use node::{NodeFn, Outcome};
pub use problem::{BuildError, Problem};
pub use run::RunError;
pub use trace::{Ticks, Trace, Visit};
