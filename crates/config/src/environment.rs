//! The environment as a value: read once, here, and passed to the code that needs it.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// The variables of a process, by name. The names are listed and not only looked up, because a
/// `RECADO_` variable that nobody reads is a mistake to report.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, OsString>);

/// The content of a variable.
pub(crate) enum Variable<'a> {
    Unset,
    Set(&'a str),
    NotText,
}

impl Environment {
    /// The environment of this process. No other code reads it.
    pub fn of_process() -> Self {
        // A name that is not text can neither be ours nor be written in a `${…}`.
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .collect()
    }

    pub(crate) fn get(&self, name: &str) -> Variable<'_> {
        match self.0.get(name) {
            None => Variable::Unset,
            Some(value) => value.to_str().map_or(Variable::NotText, Variable::Set),
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl<K: Into<String>, V: Into<OsString>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}
