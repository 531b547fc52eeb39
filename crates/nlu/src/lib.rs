//! Text to understanding without I/O: normalise, rules, classify, extract, validate, signals.

mod agreement;
mod classify;
mod code;
mod extract;
pub mod goods;
mod normalize;
mod rules;
mod signals;
mod validate;

pub use agreement::{Agreement, Objection, agrees, reads_agreement};
pub use classify::*;
pub use code::{is_code, without_links};
pub use extract::*;
pub use normalize::*;
pub use rules::*;
pub use signals::*;
pub use validate::*;
