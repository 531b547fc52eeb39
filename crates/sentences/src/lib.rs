//! The engine's own words: what customers read that no pack wrote, and the frames that models are shown.
//!
//! Each group is a table of rows; its texts are checked files, one per locale, of which a pack may replace
//! some by their names.

mod customers;
mod explanations;
mod fill;
mod hours;
mod models;
mod table;

pub use customers::{ReplacedSentences, Sentences};
pub use explanations::{Explanations, ReplacedExplanations};
pub use hours::{Hours, ReplacedHours};
pub use models::{Frames, ReplacedFrames};
