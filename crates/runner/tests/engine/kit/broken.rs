//! A deed that panics whenever it is run.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Caller, ToolError};
use serde_json::{Map, Value};
use store::{Deed, DeedError, Records};
use tools::{Class, LocalTool, Spec};

pub(crate) struct Broken(Spec);

impl Broken {
    pub(crate) const NAME: &str = "romperse";

    pub(crate) fn new(class: Class) -> Self {
        Self(Spec { class, ..Spec::of::<Map<String, Value>>(Self::NAME, "breaks") })
    }
}

impl LocalTool for Broken {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn deed(&self, _: &Caller, _: &Value) -> Result<Arc<dyn Deed>, ToolError> {
        Ok(Arc::new(Panic))
    }
}

struct Panic;

#[async_trait]
impl Deed for Panic {
    async fn run(&self, _: &mut dyn Records) -> Result<Value, DeedError> {
        panic!("the deed broke")
    }
}
