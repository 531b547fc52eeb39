//! A proposal: an exact call of a tool that a customer was shown in words and asked to agree to.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Currency, OutboundId, Pii, Timestamp, TurnId};

/// The terms of a call, as the tool itself reckons them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    pub items: Vec<TermsItem>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Decimal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// A hash over everything that must still hold when the call is made: items with their prices,
    /// total, recipient and destination.
    pub digest: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermsItem {
    pub code: String,
    pub title: String,
    pub quantity: u32,
}

/// The standing of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// A yes would answer the proposal.
    Open,
    /// A fact in the proposal has changed, or something else was said since.
    Fallen,
    /// The yes was acted on in that turn; a yes is good once.
    Used(TurnId),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The turn that showed the proposal.
    pub turn: TurnId,
    /// When that turn was committed: a message from before is no answer.
    pub shown_at: Timestamp,
    /// The epoch of the conversation then: a yes after a person had the conversation in between is
    /// to the person.
    pub epoch: i64,
    pub tool: String,
    pub input: Value,
    pub terms: Terms,
    /// The words of the proposal as shown.
    pub said: Pii,
    /// The messages of that turn: until all of them have left in these very words, the customer may
    /// not have seen the proposal.
    #[serde(default)]
    pub messages: Vec<OutboundId>,
    pub standing: Standing,
}

impl Proposal {
    pub fn is_open(&self) -> bool {
        self.standing == Standing::Open
    }

    /// Whether a message of that time, in a conversation of that epoch, may answer the proposal in
    /// this turn.
    pub fn awaits(&self, turn: TurnId, epoch: i64, at: Timestamp) -> bool {
        let unanswered = match self.standing {
            Standing::Open => true,
            // A turn that is run again after a crash finds its own yes.
            Standing::Used(by) => by == turn,
            Standing::Fallen => false,
        };
        unanswered && self.turn != turn && self.epoch == epoch && at >= self.shown_at
    }
}

/// A customer's yes, as the engine has read it: the turn of the proposal, and the turn of the yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consent {
    /// The turn that showed the proposal.
    pub shown_in: TurnId,
    pub given_in: TurnId,
}
