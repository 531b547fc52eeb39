//! A mistake in a pack: where it was written, and what to do about it.

use std::fmt;

use document::Place;
use serde::{Deserialize, Serialize};

/// Whether a pack can be used all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Error,
    Warning,
}

/// A mistake. Ordered as they are printed: by file, from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// Relative to the pack's folder.
    pub file: String,
    /// From 1; 0 is the file as a whole.
    pub line: u64,
    pub column: u64,
    pub severity: Severity,
    /// With a suggestion where there is one; always a single line.
    pub message: String,
}

impl Finding {
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, .. } = self;
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        match line {
            0 => write!(f, "{file}: {severity}: {message}"),
            line => write!(f, "{file}:{line}:{column}: {severity}: {message}"),
        }
    }
}

/// Everything that was found, one finding a line; at least one of them is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(Finding::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Findings(Vec<Finding>);

impl Findings {
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.0.iter()
    }

    pub fn into_vec(self) -> Vec<Finding> {
        self.0
    }
}

/// Collects findings while the rest is still being read.
#[derive(Default)]
pub(crate) struct Report(Vec<Finding>);

impl Report {
    pub(crate) fn error(&mut self, file: &str, at: &Place, message: impl Into<String>) {
        self.add(Severity::Error, file, at, message.into());
    }

    pub(crate) fn warning(&mut self, file: &str, at: &Place, message: impl Into<String>) {
        self.add(Severity::Warning, file, at, message.into());
    }

    fn add(&mut self, severity: Severity, file: &str, at: &Place, message: String) {
        // A message may quote what was written, and each is to stay on its line.
        let mut line = String::new();
        for letter in message.chars() {
            if letter.is_control() {
                line.extend(letter.escape_default());
            } else {
                line.push(letter);
            }
        }
        let Place { line: row, column, .. } = *at;
        self.0.push(Finding { severity, file: file.to_owned(), line: row, column, message: line });
    }

    pub(crate) fn has_error(&self, file: &str) -> bool {
        self.0.iter().any(|finding| finding.file == file && finding.is_error())
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.errors() > 0
    }

    pub(crate) fn errors(&self) -> usize {
        self.0.iter().filter(|finding| finding.is_error()).count()
    }

    /// Every finding if one is an error; else the warnings.
    pub(crate) fn settle(mut self) -> Result<Vec<Finding>, Findings> {
        self.0.sort();
        self.0.dedup();
        if self.has_errors() { Err(Findings(self.0)) } else { Ok(self.0) }
    }
}
