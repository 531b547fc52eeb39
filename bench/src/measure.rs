//! One figure, under the name by which its target and its peers are found.

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

/// The figures of one part of the run, all under the same conditions.
pub(crate) struct Measures {
    under: Conditions,
    all: Vec<Measure>,
}

impl Measures {
    pub(crate) fn new(under: Conditions) -> Self {
        Self { under, all: Vec::new() }
    }

    pub(crate) fn add(&mut self, id: impl Into<String>, value: f64) {
        self.all.push(Measure { id: id.into(), under: self.under, value });
    }

    /// One line, for the process that started this one.
    pub(crate) fn print(&self) -> Result<()> {
        println!("{}", serde_json::to_string(&self.all)?);
        Ok(())
    }
}
