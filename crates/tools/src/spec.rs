//! The specification of a tool, by itself.

use std::time::Duration;

use domain::{Rate, ToolSpec};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How long a call may take where nothing else is said.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How much a tool may do without being asked twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Reads and changes nothing.
    Safe,
    /// Only says what could be done.
    Suggest,
    Execute,
    /// Acts on many at once; never without a person's approval.
    Bulk,
}

impl Class {
    /// The one of the two under which less is done unasked.
    pub fn tighter(self, other: Self) -> Self {
        let rank = |class| match class {
            Self::Safe => 0,
            Self::Execute => 1,
            Self::Bulk => 2,
            Self::Suggest => 3,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    pub name: String,
    /// The tool's effect, for the model that may choose it.
    pub description: String,
    /// The JSON Schema of its input, an object.
    pub input: Value,
    pub class: Class,
    pub timeout: Duration,
    /// How often one conversation may call it.
    pub limit: Option<Rate>,
    /// Whether it is done only after the customer's yes to exactly what it comes to.
    pub needs_yes: bool,
    /// The parts of its input that are never a model's to give: prices, totals, where an order goes.
    pub engine_given: &'static [&'static str],
}

impl Spec {
    /// A tool that acts, and takes what `T` is read from.
    pub fn of<T: JsonSchema>(name: &str, description: &str) -> Self {
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            input: schema_for!(T).into(),
            class: Class::Execute,
            timeout: TIMEOUT,
            limit: None,
            needs_yes: false,
            engine_given: &[],
        }
    }

    /// The tool as a model is told of it: without anything that the engine gives.
    pub fn for_model(&self) -> ToolSpec {
        let mut tool = ToolSpec {
            name: self.name.clone(),
            description: self.description.clone(),
            input: self.input.clone(),
        };
        tool.hide(|name| self.engine_given.contains(&name));
        tool
    }
}
