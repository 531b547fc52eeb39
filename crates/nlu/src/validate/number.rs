//! Number: digits with either custom of marks, or words, as one canonical decimal.

use super::Invalid;
use crate::Normalized;
use crate::extract::{Country, whole_number};

pub(super) fn canonical(text: &str, country: Country) -> Result<String, Invalid> {
    let text = Normalized::new(text.trim());
    let number = whole_number(text.folded(), country).ok_or(Invalid::NumberUnreadable)?;
    Ok(number.normalize().to_string())
}
