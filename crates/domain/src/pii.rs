//! Personal data that cannot be printed by accident: its `Debug` and `Display` are masked.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Wraps data that identifies a customer or was written by one. Logs see its length, code sees the
/// value.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pii<T = String>(T);

impl<T> Pii<T> {
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// The value itself; every use is a place where personal data leaves its wrapper.
    pub fn reveal(&self) -> &T {
        &self.0
    }

    pub fn into_revealed(self) -> T {
        self.0
    }
}

impl<T: AsRef<str>> fmt::Debug for Pii<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "«{} chars»", self.0.as_ref().chars().count())
    }
}

impl<T: AsRef<str>> fmt::Display for Pii<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl From<&str> for Pii {
    fn from(value: &str) -> Self {
        Self(value.to_owned())
    }
}

impl From<String> for Pii {
    fn from(value: String) -> Self {
        Self(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_debug_nor_display_shows_the_value() {
        let phone = Pii::from("573001234567");
        assert_eq!(format!("{phone} {phone:?}"), "«12 chars» «12 chars»");
        assert_eq!(phone.reveal(), "573001234567");
    }
}
