//! A figure, under the name by which its target and its peers are found.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::plan::Conditions;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measure {
    pub(crate) id: String,
    #[serde(flatten)]
    pub(crate) under: Conditions,
    pub(crate) value: f64,
}

/// Figures, and the reasons why some that were asked for are missing.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Taken {
    pub(crate) figures: Vec<Measure>,
    pub(crate) failures: Vec<String>,
}

impl Taken {
    pub(crate) fn join(&mut self, other: Self) {
        self.figures.extend(other.figures);
        self.failures.extend(other.failures);
    }
}

/// The figures of one part of the run, all under the same conditions.
pub(crate) struct Measures {
    under: Conditions,
    taken: Taken,
}

impl Measures {
    pub(crate) fn new(under: Conditions) -> Self {
        Self { under, taken: Taken::default() }
    }

    pub(crate) fn add(&mut self, id: impl Into<String>, value: f64) {
        self.taken.figures.push(Measure { id: id.into(), under: self.under, value });
    }

    /// Notes that a question was not asked to its end: the run goes on, and fails when all is printed.
    pub(crate) fn fail(&mut self, reason: String) {
        eprintln!("  {reason}");
        self.taken.failures.push(reason);
    }

    /// Prints a line for the process that started this one.
    pub(crate) fn print(&self) -> Result<()> {
        println!("{}", serde_json::to_string(&self.taken)?);
        Ok(())
    }
}
