//! The step journal: what a turn has already done to the world.

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
    /// As JSON, written out once: what a model is asked is long, and waits with its turn.
    pub input: Arc<str>,
    /// Texts that the input names by their digests, as far as it is not known that they are kept.
    pub texts: Vec<KeptText>,
    /// What the turn has read since its last step was committed. It is recorded together with this
    /// one: a turn that is run again after an effect reads what it read before it.
    pub reads: Vec<Read>,
}

/// A text that many questions to models share, kept once. In the input of a step `{"sha256": …}` stands
/// in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptText {
    /// SHA-256, in hexadecimal.
    pub digest: Arc<str>,
    pub text: Arc<str>,
}

/// A tool that only read, and what it found. It is worth no commit of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    pub step: Step,
    /// As JSON.
    pub input: Arc<str>,
}

/// What an answer of a model cost, and on whose account it goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Charged {
    pub session: SessionId,
    pub contact: ContactId,
    /// Every attempt, also those that failed.
    pub calls: Vec<ModelCall>,
}

/// A step is taken only under the ownership that its turn has read: after a takeover it is a
/// `VersionConflict`, and the turn must stop. What has happened by then is recorded all the same,
/// and only then is the turn told to stop: the outcome of a call that was intended before, and what
/// a model's answer cost.
#[async_trait]
pub trait Journal {
    /// Commits that a call to the outside is about to be made; an intent already on record stays
    /// as it is.
    async fn intend(&self, intent: &Intent, now: Timestamp) -> StoreResult<()>;

    /// Runs a deed and records its step, once; a step on record is returned as it is, and the deed
    /// is not run. One that is refused fails its step with the reason and has changed nothing.
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

    /// Records what a model answered together with what it cost, once; an answer on record is
    /// returned as it is, and nothing is charged again. Both are recorded whoever owns the
    /// conversation by now.
    async fn record_answer(
        &self,
        intent: &Intent,
        status: StepStatus,
        output: &Value,
        charged: &Charged,
        now: Timestamp,
    ) -> StoreResult<Step>;
}
