//! Regular expressions that people write, and texts as they are compared.

use nlu::Normalized;
use regex::RegexBuilder;

use crate::phrases::LONGEST;

/// The memory that a pattern may take when compiled; a larger one makes each message slow.
const MAX_BYTES: usize = 256 * 1024;

/// Why a regular expression cannot be used, if it cannot.
pub(super) fn fault(pattern: &str) -> Option<String> {
    let letters = pattern.chars().count();
    if letters > LONGEST {
        return Some(format!(
            "a regular expression of {letters} letters, where {LONGEST} are the most that people read: \
             write what customers say as `phrases`, with lists of words under `words` in intents.yaml"
        ));
    }
    unusable(pattern)
}

/// Why a regular expression that was made of a phrase cannot be used, if it cannot.
pub(super) fn unusable(pattern: &str) -> Option<String> {
    match RegexBuilder::new(pattern).size_limit(MAX_BYTES).build() {
        Ok(_) => None,
        Err(regex::Error::CompiledTooBig(_)) => {
            Some("the pattern is too large; write a shorter one".to_owned())
        }
        Err(error) => {
            // The library draws the pattern over several lines and says what is wrong at the end.
            let text = error.to_string();
            let reason = text.lines().last().unwrap_or_default();
            let reason = reason.trim().trim_start_matches("error: ");
            Some(format!("`{pattern}` is no regular expression: {reason}"))
        }
    }
}

/// A text without what customers do not care about: capitals, accents, punctuation.
pub(crate) fn normal(text: &str) -> String {
    Normalized::new(text).plain().to_owned()
}
