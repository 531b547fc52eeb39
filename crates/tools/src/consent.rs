//! The customer's yes to a call: the check that exactly what it comes to was agreed to, inside the
//! transaction of the call.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Authority, Caller, Consent, Proposal, Standing, Terms};
use serde_json::{Value, json};
use shop::{NeedsYes, digest};
use store::{Deed, DeedError, Records};

/// Terms of a call that are its input and nothing else.
pub(crate) fn exactly(tool: &str, input: &Value) -> Terms {
    Terms { digest: digest(&json!([tool, input])), ..Terms::default() }
}

/// Terms that are the input itself, whatever the records say.
pub(crate) struct Exactly {
    pub(crate) tool: String,
    pub(crate) input: Value,
}

#[async_trait]
impl NeedsYes for Exactly {
    async fn terms(&self, _records: &mut dyn Records) -> Result<Option<Terms>, DeedError> {
        Ok(Some(exactly(&self.tool, &self.input)))
    }
}

/// A deed that does nothing by itself: only the yes it stands under is used up.
pub(crate) struct Nothing;

#[async_trait]
impl Deed for Nothing {
    async fn run(&self, _records: &mut dyn Records) -> Result<Value, DeedError> {
        Ok(Value::Null)
    }
}

/// Reads what a call would come to; the answer is the terms, or null if no yes is needed.
pub(crate) struct ReadTerms(pub(crate) Arc<dyn NeedsYes>);

#[async_trait]
impl Deed for ReadTerms {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        Ok(json!(self.0.terms(records).await?))
    }
}

/// A deed that is done only if the customer agreed to exactly what it comes to, and once.
pub(crate) struct UnderConsent {
    pub(crate) caller: Caller,
    pub(crate) tool: String,
    pub(crate) needs: Arc<dyn NeedsYes>,
    pub(crate) deed: Arc<dyn Deed>,
}

#[async_trait]
impl Deed for UnderConsent {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        if self.caller.authority == Authority::Person {
            return self.deed.run(records).await;
        }
        let Some(terms) = self.needs.terms(records).await? else {
            return self.deed.run(records).await;
        };
        let (consent, mut proposal) = agreed(self.caller, &self.tool, &terms, records).await?;
        let answer = self.deed.run(records).await?;
        proposal.standing = Standing::Used(consent.given_in);
        records.put_proposal(self.caller.session, &proposal).await?;
        Ok(answer)
    }
}

/// The yes to these terms of this tool, and what it was said to; refused if there is none.
async fn agreed(
    caller: Caller,
    tool: &str,
    terms: &Terms,
    records: &mut dyn Records,
) -> Result<(Consent, Proposal), DeedError> {
    let Authority::Agreed(consent) = caller.authority else {
        return DeedError::refused(format!(
            "needs_yes: `{tool}` is done only after the customer's yes to its summary"
        ));
    };
    let shown = records.proposal(caller.session).await?;
    let Some(proposal) = shown.filter(|shown| shown.turn == consent.shown_in && shown.is_open())
    else {
        return DeedError::refused("needs_yes: that yes was used, or what it was to is gone");
    };
    if proposal.tool != tool || proposal.terms.digest != terms.digest {
        return DeedError::refused(format!(
            "needs_yes: the customer's yes was to something else than this `{tool}`"
        ));
    }
    if !records.have_reached(&proposal.messages).await? {
        return DeedError::refused("needs_yes: the summary has not reached the customer");
    }
    Ok((consent, proposal))
}
