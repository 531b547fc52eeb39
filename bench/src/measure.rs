//! One figure, under the name by which its target and its peers are found.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::database::Kind;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measure {
    pub(crate) id: String,
    /// None for what does not depend on the store.
    pub(crate) store: Option<Kind>,
    /// Conversations that were stored beforehand.
    pub(crate) stored: u64,
    pub(crate) nodes: u32,
    pub(crate) value: f64,
}

/// The figures of one part of the run, all under the same conditions.
pub(crate) struct Measures {
    store: Option<Kind>,
    stored: u64,
    nodes: u32,
    all: Vec<Measure>,
}

impl Measures {
    pub(crate) fn new(store: Option<Kind>, stored: u64, nodes: u32) -> Self {
        Self { store, stored, nodes, all: Vec::new() }
    }

    pub(crate) fn add(&mut self, id: impl Into<String>, value: f64) {
        let Self { store, stored, nodes, .. } = *self;
        self.all.push(Measure { id: id.into(), store, stored, nodes, value });
    }

    /// One line, for the process that started this one.
    pub(crate) fn print(&self) -> Result<()> {
        println!("{}", serde_json::to_string(&self.all)?);
        Ok(())
    }
}
