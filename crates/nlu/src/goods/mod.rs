//! What people write when they order: the terms goods are found by, and what is asked of them.

mod account;
mod amount;
mod ask;
mod change;
mod cue;
mod hear;
mod item;
mod later;
mod lean;
mod lexicon;
mod phrase;
mod question;
mod size;
mod talk;
mod terms;
mod word;

pub use account::{Account, account};
pub use ask::{Act, Ask, Heard, Quantity, Question, Unit};
pub use hear::{asked_about, asks, hear};
pub use lean::{Shown, orders};
pub use size::{Relative, Size};
pub use terms::{Term, says_plain, shapes, sizes, terms, without_manner};
