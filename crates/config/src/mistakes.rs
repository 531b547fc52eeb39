//! The mistakes of a configuration: the place and the fault of each, all of them together.

use std::fmt;

use crate::tree::Origin;

/// A mistake, ready to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// `recado.yaml:3:7`, or the name of an environment variable.
    pub place: String,
    pub message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Every mistake found: those of the file from top to bottom, then the environment's.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.iter().map(Mistake::to_string).collect::<Vec<_>>().join("\n"))]
pub struct ConfigErrors(Vec<Mistake>);

impl ConfigErrors {
    pub fn mistakes(&self) -> &[Mistake] {
        &self.0
    }
}

/// Collects mistakes while the rest is still being read.
#[derive(Default)]
pub(crate) struct Mistakes(Vec<(Origin, String)>);

impl Mistakes {
    pub(crate) fn add(&mut self, at: &Origin, message: impl Into<String>) {
        // Control characters are escaped, because a message may quote the file and must stay on one
        // line.
        let mut line = String::new();
        for c in message.into().chars() {
            if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
        }
        self.0.push((at.clone(), line));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All mistakes, for printing; `file` is the file's name in their places.
    pub(crate) fn into_errors(mut self, file: &str) -> ConfigErrors {
        self.0.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mistakes = self.0.into_iter().map(|(at, message)| {
            let place = match at {
                Origin::WholeFile => file.to_owned(),
                Origin::File { line, column } => format!("{file}:{line}:{column}"),
                Origin::Variable(name) => name,
                Origin::Default => "the defaults".to_owned(),
            };
            Mistake { place, message }
        });
        ConfigErrors(mistakes.collect())
    }
}
