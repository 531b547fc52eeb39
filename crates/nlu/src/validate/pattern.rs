//! A field's own pattern: a regular expression that the whole value must match, compiled once.

use std::str::FromStr;

use regex::{Regex, RegexBuilder};
use thiserror::Error;

use super::Invalid;

/// The memory that a compiled pattern may take; packs are written by hand and need far less.
const SIZE_LIMIT: usize = 1 << 20;

#[derive(Clone, Debug)]
pub struct Pattern {
    written: String,
    regex: Regex,
}

#[derive(Debug, Error)]
#[error("`{pattern}` is not a pattern: {reason}")]
pub struct PatternError {
    pattern: String,
    reason: String,
}

impl Pattern {
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether the whole value has the form.
    pub fn check(&self, value: &str) -> Result<(), Invalid> {
        if self.regex.is_match(value) { Ok(()) } else { Err(Invalid::PatternMismatch) }
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(pattern: &str) -> Result<Self, PatternError> {
        let error = |reason: regex::Error| PatternError {
            pattern: pattern.to_owned(),
            reason: reason.to_string(),
        };
        // The pattern is compiled alone first, because `a)|(b` would slip out of the group that
        // anchors it.
        let build = |pattern: &str| RegexBuilder::new(pattern).size_limit(SIZE_LIMIT).build();
        build(pattern).map_err(error)?;
        let regex = build(&format!(r"\A(?:{pattern})\z")).map_err(error)?;
        Ok(Self { written: pattern.to_owned(), regex })
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for Pattern {}
