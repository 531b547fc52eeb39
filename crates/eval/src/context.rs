//! The context of a rehearsal: a clock that is told, and tools that act in memory.

use std::collections::BTreeMap;

use agents::{Context, ToolError};
use async_trait::async_trait;
use domain::{Pii, Timestamp, ToolUse};
use serde_json::{Value, json};
use store::Effect;
use tools::{Registry, Tool};

/// What local tools have done so far.
#[derive(Clone, Default)]
pub(crate) struct World {
    pub(crate) counters: BTreeMap<String, u64>,
    pub(crate) contact_name: Option<Pii>,
}

pub(crate) struct RehearsedContext<'a> {
    pub(crate) now: Timestamp,
    pub(crate) tools: &'a Registry,
    pub(crate) world: &'a mut World,
    pub(crate) used: Vec<ToolUse>,
}

impl RehearsedContext<'_> {
    fn act(&mut self, tool: &str, input: &Value) -> Result<Value, ToolError> {
        match self.tools.get(tool) {
            Some(Tool::Local(local)) => match local.effect(input).map_err(ToolError::Refused)? {
                Effect::TakeNumber { counter } => {
                    let number = self.world.counters.entry(counter).or_default();
                    *number += 1;
                    Ok(json!({ "number": *number }))
                }
                Effect::NameContact { name, .. } => {
                    self.world.contact_name = Some(name.into());
                    Ok(json!({}))
                }
            },
            // Nothing outside is called in a rehearsal.
            Some(Tool::Outside(_)) | None => Err(ToolError::NoSuchTool(tool.to_owned())),
        }
    }
}

#[async_trait]
impl Context for RehearsedContext<'_> {
    fn now(&self) -> Timestamp {
        self.now
    }

    async fn call(&mut self, tool: &str, input: Value) -> Result<Value, ToolError> {
        let result = self.act(tool, &input);
        let output = match &result {
            Ok(output) => output.clone(),
            Err(error) => json!(error.to_string()),
        };
        self.used.push(ToolUse { name: tool.to_owned(), input, ok: result.is_ok(), output });
        result
    }
}
