//! The step journal: what a turn has already done to the world.

use async_trait::async_trait;
use domain::{
    ContactId, ConversationId, Currency, ModelCall, OrderId, OrderLine, OrderStatus, SessionId,
    Step, StepKey, StepStatus, Timestamp,
};
use rust_decimal::Decimal;
use serde_json::{Map, Value};

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
    /// Writes down somebody new, with whom nobody has spoken yet.
    CreateContact { name: Option<String>, phone: Option<String>, data: Map<String, Value> },
    /// Changes what is given of a contact; what is none, and other keys of its data, stay.
    UpdateContact {
        contact: ContactId,
        name: Option<String>,
        phone: Option<String>,
        data: Map<String, Value>,
    },
    CreateOrder {
        contact: ContactId,
        conversation: ConversationId,
        status: OrderStatus,
        lines: Vec<OrderLine>,
        currency: Currency,
        total: Decimal,
        data: Map<String, Value>,
    },
    /// Confirms or cancels an order of that contact's; anything else fails and changes nothing.
    SetOrderStatus { order: OrderId, contact: ContactId, status: OrderStatus },
}

/// What an answer of a model cost, and on whose account it goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Charged {
    pub session: SessionId,
    pub contact: ContactId,
    /// Every attempt, also those that failed.
    pub calls: Vec<ModelCall>,
}

#[async_trait]
pub trait Journal {
    /// Commits that a call to the outside is about to be made; an intent already on record stays
    /// as it is.
    async fn intend(&self, intent: &Intent, now: Timestamp) -> StoreResult<()>;

    /// Applies an effect and records its step, once; a recorded step is returned as it is. An
    /// effect that may not be fails its step with the reason and changes nothing.
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

    /// Records what a model answered together with what it cost, once; an answer on record is
    /// returned as it is, and nothing is charged again.
    async fn record_answer(
        &self,
        intent: &Intent,
        status: StepStatus,
        output: &Value,
        charged: &Charged,
        now: Timestamp,
    ) -> StoreResult<Step>;
}
