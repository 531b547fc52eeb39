//! Whether a message, as a whole, is a yes to what was shown.
//!
//! The reader denies by default: every word, sign and emoji of the message has to be accounted for
//! by a yes, by what may stand beside one (courtesy, emphasis, satisfaction), or by repeating what
//! was shown. A condition, a delay, a doubt, a change or another wish leaves something over.

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

/// How a message answers what was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    Yes,
    /// No yes, and the span of the message that made it none where there is one.
    No {
        because: Objection,
        at: Option<Range<usize>>,
    },
}

/// Why a message is no yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objection {
    /// Nothing was said.
    Empty,
    /// Nobody agrees at such length, and reading on would only cost time.
    TooLong,
    /// Something was asked.
    Question,
    /// Something was said that neither agrees, nor accompanies a yes, nor repeats what was shown.
    Unaccounted,
    /// All of it may accompany a yes, and none of it is one.
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

/// Whether a message is, as a whole, a yes to what was shown.
pub fn agrees(message: &str, shown: &str) -> bool {
    reads_agreement(message, shown) == Agreement::Yes
}

/// Reads a message as an answer to what was shown, with the reason where it is no yes.
pub fn reads_agreement(message: &str, shown: &str) -> Agreement {
    read::read(message, shown)
}
