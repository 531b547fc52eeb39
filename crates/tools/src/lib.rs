//! Tools: the actions a turn may ask for, on our own database or outside.

mod builtin;
mod notify;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use store::Effect;
use thiserror::Error;

pub use builtin::{TakeNumber, UpdateContact};
pub use notify::Notify;

/// Acts on our own database: its effect is committed together with its step.
pub trait LocalTool: Send + Sync {
    fn name(&self) -> &'static str;

    /// Checks the input and says what to do; an error did nothing.
    fn effect(&self, input: &Value) -> Result<Effect, String>;
}

/// How a call to the outside ended badly.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CallError {
    /// It certainly did nothing.
    #[error("{0}")]
    Refused(String),
    /// It may have acted.
    #[error("{0}")]
    Unknown(String),
}

/// Acts outside: the intent is committed before the call, the outcome after it.
#[async_trait]
pub trait OutsideTool: Send + Sync {
    fn name(&self) -> &'static str;

    /// Whether a call repeated under the same key acts only once.
    fn idempotent(&self) -> bool;

    async fn call(&self, input: &Value, key: &str) -> Result<Value, CallError>;
}

#[derive(Clone)]
pub enum Tool {
    Local(Arc<dyn LocalTool>),
    Outside(Arc<dyn OutsideTool>),
}

/// The tools a node offers, by name.
#[derive(Clone, Default)]
pub struct Registry(BTreeMap<&'static str, Tool>);

impl Registry {
    /// The tools on our own database.
    pub fn builtin() -> Self {
        let mut registry = Self::default();
        registry.add_local(Arc::new(TakeNumber));
        registry.add_local(Arc::new(UpdateContact));
        registry
    }

    pub fn add_local(&mut self, tool: Arc<dyn LocalTool>) {
        self.0.insert(tool.name(), Tool::Local(tool));
    }

    pub fn add_outside(&mut self, tool: Arc<dyn OutsideTool>) {
        self.0.insert(tool.name(), Tool::Outside(tool));
    }

    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.0.get(name)
    }
}
