//! All that is checked before a tool does anything, in one place for the engine and rehearsals.

use std::sync::Arc;
use std::time::Duration;

use domain::Timestamp;
use serde_json::{Value, json};
use store::Deed;
use thiserror::Error;

use crate::consent::{Exactly, Nothing, ReadTerms, UnderConsent};
use crate::{Caller, Class, NeedsYes, Offered, OutsideCall, Registry, Tool};

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
                let mut deed = tool.deed(caller, input).map_err(Refusal::BadInput)?;
                if spec.needs_yes {
                    let (needs, tool) = (needs(&offered, caller, input)?, name.to_owned());
                    deed = Arc::new(UnderConsent { caller: *caller, tool, needs, deed });
                }
                Ok(Prepared::Local { deed, reads: tool.spec().class == Class::Safe })
            }
            Tool::Outside(tool) => {
                let consent = spec.needs_yes.then(|| {
                    let needs = Exactly { tool: name.to_owned(), input: input.clone() };
                    let (needs, tool) = (Arc::new(needs), name.to_owned());
                    let deed: Arc<dyn Deed> = Arc::new(Nothing);
                    Arc::new(UnderConsent { caller: *caller, tool, needs, deed }) as Arc<dyn Deed>
                });
                let (tool, spec) = (Arc::clone(tool), Arc::clone(spec));
                let idempotent = offered.idempotent();
                let caller = *caller;
                Ok(Prepared::Outside(OutsideCall { tool, spec, idempotent, caller, consent }))
            }
            Tool::Reply(_) => Err(Refusal::IsAReply(name.to_owned())),
        }
    }

    /// Checks a call that is only shown and asked about, and says how to read what it comes to.
    pub fn propose(
        &self,
        caller: &Caller,
        name: &str,
        input: &Value,
    ) -> Result<Arc<dyn Deed>, Refusal> {
        let Some(offered) = self.get(name) else {
            return Err(Refusal::NoSuchTool(name.to_owned()));
        };
        offered.check(input).map_err(Refusal::BadInput)?;
        Ok(Arc::new(ReadTerms(needs(&offered, caller, input)?)))
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

/// The terms of a yes to this call: as the tool says, or its input as it stands.
fn needs(offered: &Offered, caller: &Caller, input: &Value) -> Result<Arc<dyn NeedsYes>, Refusal> {
    let own = match &offered.tool {
        Tool::Local(tool) => tool.needs(caller, input).map_err(Refusal::BadInput)?,
        Tool::Outside(_) | Tool::Reply(_) => None,
    };
    let tool = || offered.spec().name.clone();
    Ok(own.unwrap_or_else(|| Arc::new(Exactly { tool: tool(), input: input.clone() })))
}
