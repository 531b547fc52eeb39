//! Orders as people write them: the terms by which goods are found, and the parts of a message that
//! ask for goods.

mod account;
mod amend;
mod amount;
mod ask;
mod change;
mod chatter;
mod ellipsis;
mod item;
mod lexicon;
mod parse;
mod phrase;
mod question;
mod size;
mod terms;
mod verbs;
mod word;

pub use account::{Account, account};
pub use ask::{Act, Ask, Heard, Quantity, Question, Unit};
pub use ellipsis::{Shown, orders};
pub use parse::{asked_about, asks, hear};
pub use size::{Relative, Size};
pub use terms::{Term, says_plain, shapes, sizes, terms, without_how};
