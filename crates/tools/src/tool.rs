//! The kinds of tool: on our own database, outside, and the turn's own replies.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{Caller, Rate, ToolError};
use serde_json::Value;
use shop::NeedsYes;
use store::Deed;

use crate::schema::Schema;
use crate::{Class, RegistryError, Spec};

/// A tool that acts on our own database: its changes are committed together with its step. A tool
/// of the class safe only reads.
pub trait LocalTool: Send + Sync {
    fn spec(&self) -> &Spec;

    /// Says what to do; an error did nothing. The input fits the tool's schema.
    fn deed(&self, caller: &Caller, input: &Value) -> Result<Arc<dyn Deed>, ToolError>;

    /// The terms that the customer agrees to by a yes to this call, where the tool itself knows
    /// them better than its input says them.
    fn needs(
        &self,
        _caller: &Caller,
        _input: &Value,
    ) -> Result<Option<Arc<dyn NeedsYes>>, ToolError> {
        Ok(None)
    }
}

/// Acts outside: the intent is committed before the call, the outcome after it.
#[async_trait]
pub trait OutsideTool: Send + Sync {
    fn spec(&self) -> &Spec;

    /// Whether a call repeated under the same key acts only once.
    fn idempotent(&self) -> bool;

    /// Fails as `Unknown` if it may have acted.
    async fn call(&self, caller: &Caller, input: &Value, key: &str) -> Result<Value, ToolError>;
}

#[derive(Clone)]
pub enum Tool {
    Local(Arc<dyn LocalTool>),
    Outside(Arc<dyn OutsideTool>),
    /// The text of a turn: the agent makes a reply of it, and the outbox sends that.
    Reply(Arc<Spec>),
}

impl Tool {
    pub fn spec(&self) -> &Spec {
        match self {
            Self::Local(tool) => tool.spec(),
            Self::Outside(tool) => tool.spec(),
            Self::Reply(spec) => spec,
        }
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tool").field(&self.spec().name).finish()
    }
}

/// A tool as it is offered: under its own spec, a tighter one, or one that the operator answers for;
/// with its schema compiled.
#[derive(Clone, Debug)]
pub struct Offered {
    pub tool: Tool,
    spec: Arc<Spec>,
    schema: Arc<Schema>,
    /// Whether a call to the outside may be repeated under its key.
    idempotent: bool,
}

/// The promises an operator answers for in a tool of somebody else's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vouched {
    /// The tool reads and changes nothing.
    pub safe: bool,
    /// A repeated call acts only once.
    pub idempotent: bool,
}

impl Offered {
    pub fn new(tool: Tool) -> Result<Self, RegistryError> {
        let Spec { name, input, .. } = tool.spec();
        if !is_name(name) {
            return Err(RegistryError::BadName(name.clone()));
        }
        let schema = Schema::compile(input)
            .map_err(|reason| RegistryError::BadSchema { name: name.clone(), reason })?;
        let spec = Arc::new(tool.spec().clone());
        let idempotent = matches!(&tool, Tool::Outside(tool) if tool.idempotent());
        Ok(Self { tool, spec, schema: Arc::new(schema), idempotent })
    }

    /// Takes the operator's word for what nobody else can be believed about.
    pub fn vouch(&mut self, vouched: Vouched) {
        if vouched.safe {
            Arc::make_mut(&mut self.spec).class = Class::Safe;
        }
        self.idempotent |= vouched.idempotent;
    }

    pub(crate) fn idempotent(&self) -> bool {
        self.idempotent
    }

    pub fn spec(&self) -> &Arc<Spec> {
        &self.spec
    }

    /// Holds the tool tighter than it is; a looser class changes nothing.
    pub fn hold(&mut self, class: Option<Class>, limit: Option<Rate>, needs_yes: bool) {
        let spec = Arc::make_mut(&mut self.spec);
        spec.needs_yes |= needs_yes;
        spec.class = class.map_or(spec.class, |class| spec.class.tighter(class));
        spec.limit = limit.or(spec.limit);
    }

    /// Says in one sentence what does not fit, fit to be shown to a model.
    pub fn check(&self, input: &Value) -> Result<(), ToolError> {
        self.schema.check(input).map_err(ToolError::BadInput)
    }
}

/// Whether models take a text for a name once its dots are underscores.
fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=64).contains(&name.len()) && name.bytes().all(allowed)
}
