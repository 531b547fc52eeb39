//! All that is checked before a tool does anything, in one place for the engine and rehearsals.

use std::sync::Arc;

use domain::{Caller, Timestamp, ToolError};
use serde_json::{Value, json};
use shop::NeedsYes;
use store::Deed;

use crate::consent::{Exactly, Nothing, ReadTerms, UnderConsent};
use crate::{Class, Offered, OutsideCall, Registry, Tool};

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

impl Registry {
    /// Checks a call: the tool is there, its class may act here, the input fits.
    pub fn prepare(
        &self,
        caller: &Caller,
        name: &str,
        input: &Value,
    ) -> Result<Prepared, ToolError> {
        let Some(offered) = self.get(name) else {
            return Err(ToolError::NoSuchTool(name.to_owned()));
        };
        let spec = offered.spec();
        if spec.class == Class::Bulk {
            return Err(ToolError::NeedsApproval(name.to_owned()));
        }
        offered.check(input)?;
        if spec.class == Class::Suggest {
            return Ok(Prepared::Suggested(json!({ "suggested": input })));
        }
        match &offered.tool {
            Tool::Local(tool) => {
                let mut deed = tool.deed(caller, input)?;
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
            Tool::Reply(_) => Err(ToolError::IsAReply(name.to_owned())),
        }
    }

    /// Checks a call that is only shown and asked about, and says how to read what it comes to.
    pub fn propose(
        &self,
        caller: &Caller,
        name: &str,
        input: &Value,
    ) -> Result<Arc<dyn Deed>, ToolError> {
        let Some(offered) = self.get(name) else {
            return Err(ToolError::NoSuchTool(name.to_owned()));
        };
        offered.check(input)?;
        Ok(Arc::new(ReadTerms(needs(&offered, caller, input)?)))
    }

    /// Counts a call against the tool's limit. A call that an earlier run began is not counted
    /// again.
    pub fn admit(&self, caller: &Caller, name: &str, now: Timestamp) -> Result<(), ToolError> {
        let Some(offered) = self.get(name) else {
            return Err(ToolError::NoSuchTool(name.to_owned()));
        };
        let taken = self.limits().take(caller.conversation, offered.spec(), now);
        taken.map_err(|wait| ToolError::TooOften { tool: name.to_owned(), wait })
    }
}

/// The terms of a yes to this call: as the tool says, or its input as it stands.
fn needs(
    offered: &Offered,
    caller: &Caller,
    input: &Value,
) -> Result<Arc<dyn NeedsYes>, ToolError> {
    let own = match &offered.tool {
        Tool::Local(tool) => tool.needs(caller, input)?,
        Tool::Outside(_) | Tool::Reply(_) => None,
    };
    let tool = || offered.spec().name.clone();
    Ok(own.unwrap_or_else(|| Arc::new(Exactly { tool: tool(), input: input.clone() })))
}
