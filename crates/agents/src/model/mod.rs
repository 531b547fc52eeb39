//! Questions to language models: prompts, history, judgements, and the limits on free words.

mod history;
mod judge;
mod own_words;
mod settings;

pub(crate) use history::{Memory, inert, inert_value, messages, shown};
pub(crate) use judge::{Question, judge};
pub(crate) use own_words::{Allowed, Moment, Vocabulary, preview, strays};
pub(crate) use settings::{ask, served};
