//! The cells of a row: what a file says, before it means anything.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::column::Column;
use super::{Place, RowError};

/// The most of a value that an error repeats.
const SHOWN: usize = 60;

/// A variant as it was written, with what its product says of itself.
pub(super) struct Row {
    pub(super) place: Place,
    /// Without blanks around them; a blank cell is not there.
    pub(super) cells: BTreeMap<Column, String>,
    /// Amounts are written by machines: a dot is always a decimal one.
    pub(super) plain: bool,
    pub(super) data: Option<Map<String, Value>>,
}

impl Row {
    pub(super) fn get(&self, column: Column) -> Option<&str> {
        self.cells.get(&column).map(String::as_str)
    }

    pub(super) fn error(&self, column: Column, problem: impl Into<String>) -> RowError {
        error(self.place, column.name(), self.get(column).unwrap_or_default(), problem)
    }
}

pub(super) fn error(
    place: Place,
    column: &str,
    value: &str,
    problem: impl Into<String>,
) -> RowError {
    let value = match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    };
    RowError { place, column: column.to_owned(), value, problem: problem.into() }
}

/// The text of a file, without the mark that some programs put before it.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, RowError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|wrong| {
        let before = &bytes[..wrong.valid_up_to()];
        let breaks = before.iter().filter(|byte| **byte == b'\n').count();
        let line = Place::Line(breaks as u64 + 1);
        let problem = "the file is not UTF-8: save it as `CSV UTF-8`, or as JSON";
        error(line, "", "", problem)
    })
}
