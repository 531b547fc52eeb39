//! Reads whether a message, as a whole, is a yes to what was shown.
//!
//! The reader denies by default: every word, sign and emoji of the message has to be accounted for
//! by a yes, by what may stand beside one (courtesy, emphasis, satisfaction), or by repeating what
//! was shown. A condition, a delay, a doubt, a change or another wish leaves words that are not
//! accounted for.

mod aside;
mod asked;
mod emoji;
mod pattern;
mod phrases;
mod read;
mod repeat;
mod shown;
mod size;
mod spelling;
mod state;
mod token;
mod words;

use std::ops::Range;

/// A message as an answer to what was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    Yes,
    /// No yes, with the reason and, if a span of the message is the reason, that span.
    No {
        because: Objection,
        at: Option<Range<usize>>,
    },
}

/// The reason why a message is no yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objection {
    /// The message says nothing.
    Empty,
    /// The message is longer than anybody's yes, so the rest is not read.
    TooLong,
    /// The message asks something.
    Question,
    /// The message has words that neither agree, nor accompany a yes, nor repeat what was shown.
    Unaccounted,
    /// Every word may accompany a yes, and no word is a yes.
    NoYes,
}

impl Objection {
    /// A stable code for traces.
    pub fn code(self) -> &'static str {
        match self {
            Objection::Empty => "empty",
            Objection::TooLong => "too_long",
            Objection::Question => "question",
            Objection::Unaccounted => "unaccounted",
            Objection::NoYes => "no_yes",
        }
    }
}

/// Whether a message, as a whole, is a yes to what was shown.
pub fn agrees(message: &str, shown: &str) -> bool {
    reads_agreement(message, shown) == Agreement::Yes
}

/// Reads a message as an answer to what was shown, with the reason if it is no yes.
pub fn reads_agreement(message: &str, shown: &str) -> Agreement {
    read::read(message, shown)
}
