//! A tool that only reads: what the sign at the door says, which anybody may change meanwhile.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Caller, ToolError};
use serde_json::{Map, Value, json};
use store::{Deed, DeedError, Records};
use tools::{Class, LocalTool, Spec};

use super::World;

pub(crate) struct Sign(Spec);

impl Sign {
    pub(crate) const NAME: &str = "cartel";

    pub(crate) fn new() -> Self {
        let spec = Spec::of::<Map<String, Value>>(Self::NAME, "what the sign says");
        Self(Spec { class: Class::Safe, ..spec })
    }

    /// Somebody writes a number on the sign, or takes it down.
    pub(crate) async fn say(world: &World, number: Option<u32>) {
        let (workspace, now) = (world.channel.workspace, world.now());
        let write = Arc::new(Write(number.map(|number| json!({ "number": number }))));
        let done =
            world.store.perform(workspace, "marta", "sign", "", world.id(), write, now).await;
        done.expect("written");
    }
}

impl LocalTool for Sign {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn deed(&self, _: &Caller, _: &Value) -> Result<Arc<dyn Deed>, ToolError> {
        Ok(Arc::new(Look))
    }
}

struct Look;

#[async_trait]
impl Deed for Look {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        match records.document("sign", "door").await? {
            Some(sign) => Ok(sign),
            None => DeedError::refused("there is no sign"),
        }
    }
}

struct Write(Option<Value>);

#[async_trait]
impl Deed for Write {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        records.put_document("sign", "door", self.0.as_ref()).await?;
        Ok(Value::Null)
    }
}
