//! Lines from standard input, whatever bytes come.

use std::io::BufRead;

use anyhow::{Context, Result};

/// The next line; what is not UTF-8 in it is marked, as a channel would, and loses nothing else.
pub(crate) fn line() -> Result<Option<String>> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_until(b'\n', &mut bytes);
    if read.context("cannot read standard input")? == 0 {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}
