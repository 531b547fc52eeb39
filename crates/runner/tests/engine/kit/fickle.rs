//! A deed that writes and then thinks better of it: all of it is undone, and that is recorded apart.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Caller, ToolError};
use serde_json::{Map, Value, json};
use store::{Deed, DeedError, Records};
use tools::{LocalTool, Spec};

pub(crate) struct Fickle(Spec);

impl Fickle {
    pub(crate) const NAME: &str = "arrepentirse";

    pub(crate) fn new() -> Self {
        Self(Spec::of::<Map<String, Value>>(Self::NAME, "begins and takes it back"))
    }
}

impl LocalTool for Fickle {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn deed(&self, _: &Caller, _: &Value) -> Result<Arc<dyn Deed>, ToolError> {
        Ok(Arc::new(TakeBack))
    }
}

struct TakeBack;

#[async_trait]
impl Deed for TakeBack {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        records.put_document("fickle", "begun", Some(&json!(true))).await?;
        DeedError::refused("on second thoughts, no")
    }
}
