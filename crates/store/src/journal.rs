//! The step journal: what a turn has already done to the world.

use async_trait::async_trait;
use domain::{ContactId, Step, StepKey, StepStatus, Timestamp};
use serde_json::Value;

use crate::{Lease, OpenTurn, StoreResult};

/// A step about to be taken, with the turn it belongs to.
#[derive(Clone, Debug)]
pub struct Intent {
    pub lease: Lease,
    pub turn: OpenTurn,
    pub key: StepKey,
    pub tool: String,
    pub input: Value,
}

/// What a tool may do to our own database. The effect and its step are one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Takes the next number of a counter, such as the queue at a counter of a shop.
    TakeNumber { counter: String },
    /// Writes down what a contact is called.
    NameContact { contact: ContactId, name: String },
}

#[async_trait]
pub trait Journal {
    /// Commits that a call to the outside is about to be made; an intent already on record stays
    /// as it is.
    async fn intend(&self, intent: &Intent, now: Timestamp) -> StoreResult<()>;

    /// Applies an effect and records its step, once; a recorded step returns its first output.
    async fn record_local(
        &self,
        intent: &Intent,
        effect: Effect,
        now: Timestamp,
    ) -> StoreResult<Step>;

    /// Records the outcome of an intended call.
    async fn record_outcome(
        &self,
        intent: &Intent,
        status: StepStatus,
        output: &Value,
        now: Timestamp,
    ) -> StoreResult<()>;
}
