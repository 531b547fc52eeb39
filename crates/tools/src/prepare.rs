//! All that is checked before a tool does anything, in one place for the engine and rehearsals.

use std::sync::Arc;
use std::time::Duration;

use domain::Timestamp;
use serde_json::{Value, json};
use store::Deed;
use thiserror::Error;

use crate::{Caller, Class, OutsideCall, Registry, Tool};

/// A call that passed every check.
pub enum Prepared {
    /// To be committed with its step; one that only reads need not be committed at all.
    Local {
        deed: Arc<dyn Deed>,
        reads: bool,
    },
    Outside(OutsideCall),
    /// Nothing is done: this is the answer.
    Suggested(Value),
}

/// Why a tool did nothing.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    #[error("there is no tool `{0}`")]
    NoSuchTool(String),
    /// In one sentence, fit to be shown to a model.
    #[error("{0}")]
    BadInput(String),
    #[error("`{0}` needs an approval")]
    NeedsApproval(String),
    #[error("`{0}` is sent by the agent, as its reply")]
    IsAReply(String),
    #[error("`{tool}` was called too often: wait {} s", wait.as_millis().div_ceil(1000))]
    TooOften { tool: String, wait: Duration },
}

impl Registry {
    /// Checks a call: the tool is there, its class may act here, the input fits.
    pub fn prepare(&self, caller: &Caller, name: &str, input: &Value) -> Result<Prepared, Refusal> {
        let Some(offered) = self.get(name) else {
            return Err(Refusal::NoSuchTool(name.to_owned()));
        };
        let spec = offered.spec();
        if spec.class == Class::Bulk {
            return Err(Refusal::NeedsApproval(name.to_owned()));
        }
        offered.check(input).map_err(Refusal::BadInput)?;
        if spec.class == Class::Suggest {
            return Ok(Prepared::Suggested(json!({ "suggested": input })));
        }
        match &offered.tool {
            Tool::Local(tool) => {
                let deed = tool.deed(caller, input).map_err(Refusal::BadInput)?;
                Ok(Prepared::Local { deed, reads: tool.spec().class == Class::Safe })
            }
            Tool::Outside(tool) => {
                let (tool, spec) = (Arc::clone(tool), Arc::clone(spec));
                let idempotent = offered.idempotent();
                Ok(Prepared::Outside(OutsideCall { tool, spec, idempotent, caller: *caller }))
            }
            Tool::Reply(_) => Err(Refusal::IsAReply(name.to_owned())),
        }
    }

    /// Counts a call against the tool's limit. One that an earlier run began is not counted again.
    pub fn admit(&self, caller: &Caller, name: &str, now: Timestamp) -> Result<(), Refusal> {
        let Some(offered) = self.get(name) else {
            return Err(Refusal::NoSuchTool(name.to_owned()));
        };
        let taken = self.limits().take(caller.conversation, offered.spec(), now);
        taken.map_err(|wait| Refusal::TooOften { tool: name.to_owned(), wait })
    }
}
