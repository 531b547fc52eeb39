//! The step journal: the effects that a turn already had on the world.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{ContactId, ModelCall, SessionId, Step, StepKey, StepStatus, Timestamp};
use serde_json::Value;

use crate::{Deed, Lease, OpenTurn, StoreResult};

/// A step about to be taken, with the turn it belongs to.
#[derive(Clone, Debug)]
pub struct Intent {
    pub lease: Lease,
    pub turn: OpenTurn,
    /// The ownership epoch the turn read; a takeover since then makes the step a conflict.
    pub read_epoch: i64,
    pub key: StepKey,
    pub tool: String,
    /// JSON, serialised once, because a question to a model is long and is kept while the turn
    /// waits.
    pub input: Arc<str>,
    /// Texts that the input names by their digests and that are not known to be stored yet.
    pub texts: Vec<KeptText>,
    /// The turn's reads since its last committed step. They are recorded with this step, because a
    /// turn that is run again after an effect must read the same as before it.
    pub reads: Vec<Read>,
}

/// A text that many questions to models share, stored once. In the input of a step `{"sha256": …}`
/// stands in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptText {
    /// SHA-256, in hexadecimal.
    pub digest: Arc<str>,
    pub text: Arc<str>,
}

/// A call of a tool that only read, with its result; it is worth no commit of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    pub step: Step,
    /// JSON.
    pub input: Arc<str>,
}

/// The cost of a model's answer, and the session and contact it is charged to.
#[derive(Clone, Debug, PartialEq)]
pub struct Charged {
    pub session: SessionId,
    pub contact: ContactId,
    /// Every attempt, also the failed ones.
    pub calls: Vec<ModelCall>,
}

/// A step is taken only under the ownership that its turn has read: after a takeover it is a
/// `VersionConflict`, and the turn must stop. Facts are recorded before the turn is told to stop:
/// the outcome of a call that was intended earlier, and the cost of a model's answer.
#[async_trait]
pub trait Journal {
    /// Commits that a call to the outside is about to be made; an intent already on record stays as
    /// it is.
    async fn intend(&self, intent: &Intent, now: Timestamp) -> StoreResult<()>;

    /// Runs a deed and records its step, once; a recorded step is returned as it is, and the deed
    /// is not run. A refused deed fails its step with the reason and has changed nothing.
    async fn record_local(
        &self,
        intent: &Intent,
        deed: Arc<dyn Deed>,
        now: Timestamp,
    ) -> StoreResult<Step>;

    /// Records the outcome of an intended call, whoever owns the conversation by now.
    async fn record_outcome(
        &self,
        intent: &Intent,
        status: StepStatus,
        output: &Value,
        now: Timestamp,
    ) -> StoreResult<()>;

    /// Records a model's answer together with its cost, once; a recorded answer is returned as it
    /// is, and nothing is charged again. Both are recorded whoever owns the conversation by now.
    async fn record_answer(
        &self,
        intent: &Intent,
        status: StepStatus,
        output: &Value,
        charged: &Charged,
        now: Timestamp,
    ) -> StoreResult<Step>;
}
