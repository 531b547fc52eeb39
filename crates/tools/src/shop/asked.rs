//! How a tool of the shop is made: the type of its input is the tool, and its deed is that input
//! with the customer it was asked for.

use std::marker::PhantomData;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use store::Deed;

use crate::local::read;
use crate::{Caller, Class, LocalTool, NeedsYes, Spec, Tool};

/// What a customer's turn asks for.
pub(super) struct Asked<I> {
    pub(super) caller: Caller,
    pub(super) input: I,
}

struct ShopTool<I> {
    spec: Spec,
    input: PhantomData<fn() -> I>,
}

impl<I> LocalTool for ShopTool<I>
where
    I: DeserializeOwned + 'static,
    Asked<I>: Deed,
{
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn deed(&self, caller: &Caller, input: &Value) -> Result<Arc<dyn Deed>, String> {
        Ok(Arc::new(Asked::<I> { caller: *caller, input: read(input)? }))
    }
}

/// A tool that changes something.
pub(super) fn acts<I>(name: &str, description: &str) -> Tool
where
    I: DeserializeOwned + JsonSchema + 'static,
    Asked<I>: Deed,
{
    tool::<I>(Spec::of::<I>(name, description))
}

/// A tool that only reads.
pub(super) fn reads<I>(name: &str, description: &str) -> Tool
where
    I: DeserializeOwned + JsonSchema + 'static,
    Asked<I>: Deed,
{
    tool::<I>(Spec { class: Class::Safe, ..Spec::of::<I>(name, description) })
}

/// A tool that changes something only after the customer's yes to what it comes to; `engine_given`
/// are the parts of its input that are never a model's.
pub(super) fn acts_after_yes<I>(
    name: &str,
    description: &str,
    engine_given: &'static [&'static str],
) -> Tool
where
    I: DeserializeOwned + JsonSchema + 'static,
    Asked<I>: Deed + NeedsYes,
{
    let spec = Spec { needs_yes: true, engine_given, ..Spec::of::<I>(name, description) };
    Tool::Local(Arc::new(AfterYes::<I>(ShopTool { spec, input: PhantomData })))
}

struct AfterYes<I>(ShopTool<I>);

impl<I> LocalTool for AfterYes<I>
where
    I: DeserializeOwned + 'static,
    Asked<I>: Deed + NeedsYes,
{
    fn spec(&self) -> &Spec {
        &self.0.spec
    }

    fn deed(&self, caller: &Caller, input: &Value) -> Result<Arc<dyn Deed>, String> {
        self.0.deed(caller, input)
    }

    fn needs(&self, caller: &Caller, input: &Value) -> Result<Option<Arc<dyn NeedsYes>>, String> {
        Ok(Some(Arc::new(Asked::<I> { caller: *caller, input: read(input)? })))
    }
}

fn tool<I>(spec: Spec) -> Tool
where
    I: DeserializeOwned + 'static,
    Asked<I>: Deed,
{
    Tool::Local(Arc::new(ShopTool::<I> { spec, input: PhantomData }))
}
