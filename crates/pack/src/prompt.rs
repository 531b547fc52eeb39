//! The prompts of a pack, filled with values.

use std::collections::HashSet;

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde_json::{Map, Value};

use crate::{Pack, RenderError};

/// The computing steps that a prompt may take, so that a loop that runs away ends.
const FUEL: u64 = 100_000;

impl Pack {
    /// The values that `prompts/<name>.md` asks for; none if the pack has no such prompt.
    pub fn prompt_asks_for(&self, name: &str) -> HashSet<String> {
        let Some(text) = self.prompts.get(name) else { return HashSet::new() };
        let environment = Environment::new();
        let asked =
            environment.template_from_str(text).map(|read| read.undeclared_variables(false));
        asked.unwrap_or_default()
    }

    /// `prompts/<name>.md` with `values`; none if the pack has no such prompt. A value that is not
    /// given is empty.
    pub fn prompt(
        &self,
        name: &str,
        values: &Map<String, Value>,
    ) -> Option<Result<String, RenderError>> {
        let text = self.prompts.get(name)?;
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_undefined_behavior(UndefinedBehavior::Chainable);
        environment.set_fuel(Some(FUEL));
        let rendered = environment.render_str(text, Serde(values));
        Some(rendered.map_err(|error| RenderError::Failed {
            key: format!("prompts/{name}.md"),
            message: error.to_string(),
        }))
    }
}
