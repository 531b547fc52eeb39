//! A proposal: one exact call of a tool that a customer was shown in words and asked to agree to.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Currency, OutboundId, Pii, Timestamp, TurnId};

/// The terms a call would come to, as the tool itself reckons them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    pub items: Vec<TermsItem>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Decimal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// A hash over all that must still be so when the call is made: items with their prices, total,
    /// whom and where it is for.
    pub digest: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermsItem {
    pub code: String,
    pub title: String,
    pub quantity: u32,
}

/// How a proposal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// A yes would be to it.
    Open,
    /// Something it said has changed, or something else was said since.
    Fallen,
    /// The yes to it was acted on in that turn; a yes is good once.
    Used(TurnId),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The turn that showed it.
    pub turn: TurnId,
    /// When that turn was committed: a message from before is no answer to it.
    pub shown_at: Timestamp,
    /// Whose conversation it was then: a yes after a person had it in between is to the person.
    pub epoch: i64,
    pub tool: String,
    pub input: Value,
    pub terms: Terms,
    /// The words it was shown in.
    pub said: Pii,
    /// The messages of that turn: until all of them have left in these very words, the customer may
    /// not have seen what the proposal says.
    #[serde(default)]
    pub messages: Vec<OutboundId>,
    pub standing: Standing,
}

impl Proposal {
    pub fn is_open(&self) -> bool {
        self.standing == Standing::Open
    }

    /// Whether a message that came then, in a conversation of that epoch, may answer it in this turn.
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

/// A customer's yes, as the engine has read it: to which proposal, in which turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consent {
    /// The turn that showed what was agreed to.
    pub shown_in: TurnId,
    pub given_in: TurnId,
}
