//! The engine's own words: what customers read that no pack wrote, and the frames that models are shown.
//!
//! Each group is a table of rows; its texts are checked files, one per locale, of which a pack may replace
//! some by their names.

mod customers;
mod fill;
mod models;
mod table;

pub use customers::{ReplacedSentences, Sentences};
pub use models::{Frames, ReplacedFrames};
