//! The step journal: the intent before a call, the outcome after it, and with them a deed, the cost
//! of an answer and the reads since the last step.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Step, StepKind, StepStatus, Timestamp};
use serde_json::{Value, json};
use uuid::Uuid;

use super::lanes::lock_lane;
use super::records::{self, DeedContext, Run};
use super::{Driver, Param, Sql, SqlStore, Statement, Tx, ledger, load, work};
use crate::{
    Charged, Deed, DeedError, Intent, Journal, KeptText, Point, Read, StoreError, StoreResult,
    statement,
};

// Another turn found in `open_turn` is over, because its holder would have gone on with it; so it
// is overwritten.
const OPEN_TURN: Sql = Sql::each(
    "UPDATE lanes SET open_turn = ?3 WHERE workspace_id = ?1 AND conversation_id = ?2 \
            AND (open_turn IS NULL OR open_turn <> ?3)",
);

const ADD_STEP: Sql = Sql::each(
    "INSERT INTO agent_steps (workspace_id, turn_id, step_key, conversation_id, tool, kind, input, \
            status, output, created_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) \
     ON CONFLICT DO NOTHING",
);

const FIND_STEP: Sql = Sql::each(
    "SELECT step_key, tool, status, output, created_at FROM agent_steps \
     WHERE workspace_id = ?1 AND turn_id = ?2 AND step_key = ?3",
);

// The owner is checked by a statement of its own: PostgreSQL evaluates it once the lane's lock is
// held, and so sees a takeover that held the lock. Joined to the locking statement it would see the
// owner from before the wait.
const SAME_OWNER: Sql =
    Sql::each("SELECT 1 FROM conversations WHERE workspace_id = ?1 AND id = ?2 AND epoch = ?3");

const RECORD_STEP_OUTCOME: Sql = Sql::each(
    "UPDATE agent_steps SET status = ?4, output = ?5, settled_at = ?6 \
     WHERE workspace_id = ?1 AND turn_id = ?2 AND step_key = ?3 AND status = 'intended'",
);

const KEEP_TEXT: Sql = Sql::each(
    "INSERT INTO model_texts (workspace_id, digest, text) VALUES (?1, ?2, ?3) \
     ON CONFLICT (workspace_id, digest) DO NOTHING",
);

/// Statements that are run for many at once.
pub(super) const EACH: &[Sql] =
    &[KEEP_TEXT, OPEN_TURN, ADD_STEP, FIND_STEP, SAME_OWNER, RECORD_STEP_OUTCOME];

pub(super) const STATEMENTS: &[Sql] = &[FIND_STEP, SAME_OWNER];

#[async_trait]
impl<D: Driver> Journal for SqlStore<D> {
    async fn intend(&self, intent: &Intent, now: Timestamp) -> StoreResult<()> {
        let intent = intent.clone();
        let _turn = self.turn_to_write(intent.lease.workspace).await;
        self.driver
            .write(
                Point::StepIntent,
                work!(|tx, intent| {
                    lock_owned(tx, &intent);
                    let step = taken(&intent, StepStatus::Intended, Value::Null, now);
                    keep(tx, &intent, StepKind::Outside, &step);
                    Ok(())
                }),
            )
            .await
    }

    async fn record_local(
        &self,
        intent: &Intent,
        deed: Arc<dyn Deed>,
        now: Timestamp,
    ) -> StoreResult<Step> {
        match self.act(intent, deed, now).await {
            // A refused deed was undone as a whole, so the refusal is recorded in a transaction of
            // its own.
            Err(StoreError::Refused(reason)) => self.record_refusal(intent, reason, now).await,
            step => step,
        }
    }

    async fn record_outcome(
        &self,
        intent: &Intent,
        status: StepStatus,
        output: &Value,
        now: Timestamp,
    ) -> StoreResult<()> {
        let (intent, output) = (intent.clone(), output.clone());
        let _turn = self.turn_to_write(intent.lease.workspace).await;
        self.driver
            .write(
                Point::StepOutcome,
                work!(|tx, intent, output| {
                    lock_lane(tx, intent.lease);
                    let (workspace, turn) = (intent.lease.workspace, intent.turn.turn);
                    let settle = statement!(
                        RECORD_STEP_OUTCOME,
                        workspace,
                        turn,
                        &intent.key,
                        status.as_str(),
                        &*output,
                        now
                    );
                    tx.guard(settle, StoreError::NotFound("intended step"));
                    keep_reads(tx, &intent);
                    Ok(!tx.query(same_owner(&intent)).await?.is_empty())
                }),
            )
            .await
            .and_then(|owned| going_on(owned, ()))
    }

    async fn record_answer(
        &self,
        intent: &Intent,
        status: StepStatus,
        output: &Value,
        charged: &Charged,
        now: Timestamp,
    ) -> StoreResult<Step> {
        let (intent, output, charged) = (intent.clone(), output.clone(), charged.clone());
        let _turn = self.turn_to_write(intent.lease.workspace).await;
        self.driver
            .write(
                Point::StepAnswer,
                work!(|tx, intent, output, charged| {
                    let step = taken(&intent, status, (*output).clone(), now);
                    answer(tx, &intent, step, &charged).await
                }),
            )
            .await
            .and_then(|(owned, step)| going_on(owned, step))
    }
}

/// A recorded step is returned only while the owner is the one the turn read; else the turn gets a
/// `VersionConflict`, and the record stays.
fn going_on<R>(owned: bool, recorded: R) -> StoreResult<R> {
    if owned { Ok(recorded) } else { Err(StoreError::VersionConflict) }
}

impl<D: Driver> SqlStore<D> {
    async fn act(&self, intent: &Intent, deed: Arc<dyn Deed>, now: Timestamp) -> StoreResult<Step> {
        let intent = intent.clone();
        let _turn = self.turn_to_write(intent.lease.workspace).await;
        if deed.keeps_to_session() {
            return self
                .driver
                .write_together(
                    Point::StepLocal,
                    work!(|tx, intent, deed| act(tx, &intent, &**deed, now).await),
                )
                .await;
        }
        self.driver
            .write(Point::StepLocal, work!(|tx, intent, deed| act(tx, &intent, &**deed, now).await))
            .await
    }

    async fn record_refusal(
        &self,
        intent: &Intent,
        reason: String,
        now: Timestamp,
    ) -> StoreResult<Step> {
        let intent = intent.clone();
        let _turn = self.turn_to_write(intent.lease.workspace).await;
        self.driver
            .write(
                Point::StepLocal,
                work!(|tx, intent, reason| {
                    let step = taken(&intent, StepStatus::Failed, json!(*reason), now);
                    refuse(tx, &intent, step).await
                }),
            )
            .await
    }
}

/// Runs the deed in the transaction of its step. A deed that refuses after it has written must be
/// undone as a whole, its step with it; a refusal before any write is recorded at once.
async fn act<T: Tx>(
    tx: &mut T,
    intent: &Intent,
    deed: &dyn Deed,
    now: Timestamp,
) -> StoreResult<Step> {
    lock_owned(tx, intent);
    if let Some(step) = find_step(tx, intent).await? {
        return Ok(step);
    }
    let workspace = intent.lease.workspace;
    let context = DeedContext { workspace, id: made_by(intent), now, only_reads: false };
    let Run { result, has_written } = records::run(tx, context, deed).await;
    let (status, output) = match result {
        Ok(output) => (StepStatus::Done, output),
        Err(DeedError::Refused(reason)) if has_written => return Err(StoreError::Refused(reason)),
        Err(DeedError::Refused(reason)) => (StepStatus::Failed, Value::String(reason)),
        Err(DeedError::Store(error)) => return Err(error),
    };
    let step = taken(intent, status, output, now);
    keep(tx, intent, StepKind::Local, &step);
    Ok(step)
}

/// The seed of every id that a step creates, made of the turn and the step's key alone, so that a
/// repeated attempt makes the same rows and not a second set.
fn made_by(intent: &Intent) -> Uuid {
    Uuid::new_v5(&intent.turn.turn.0, intent.key.0.as_bytes())
}

/// Records that a deed was refused, once.
async fn refuse<T: Tx>(tx: &mut T, intent: &Intent, step: Step) -> StoreResult<Step> {
    lock_owned(tx, intent);
    if let Some(step) = find_step(tx, intent).await? {
        return Ok(step);
    }
    keep(tx, intent, StepKind::Local, &step);
    Ok(step)
}

/// Records an answer and its cost, once, and returns whether the owner is still the one the turn
/// read.
async fn answer<T: Tx>(
    tx: &mut T,
    intent: &Intent,
    step: Step,
    charged: &Charged,
) -> StoreResult<(bool, Step)> {
    lock_lane(tx, intent.lease);
    let answers = tx.query_all(vec![same_owner(intent), find(intent)]).await?;
    let [owner, found] = answers.as_slice() else { return Err(StoreError::LaneLost) };
    let owned = !owner.is_empty();
    if let Some(row) = found.first() {
        return Ok((owned, load::step(row)?));
    }
    keep(tx, intent, StepKind::Model, &step);
    ledger::charge(tx, intent, charged, step.at);
    Ok((owned, step))
}

/// Locks the lane, and fails unless the conversation's owner is the one the turn has read.
fn lock_owned<T: Tx>(tx: &mut T, intent: &Intent) {
    lock_lane(tx, intent.lease);
    tx.guard(same_owner(intent), StoreError::VersionConflict);
}

fn same_owner(intent: &Intent) -> Statement {
    statement!(SAME_OWNER, intent.lease.workspace, intent.lease.conversation, intent.read_epoch)
}

/// From its first step on, a turn keeps its id and its events until it commits.
fn keep<T: Tx>(tx: &mut T, intent: &Intent, kind: StepKind, step: &Step) {
    let (workspace, conversation) = (intent.lease.workspace, intent.lease.conversation);
    tx.write(statement!(OPEN_TURN, workspace, conversation, Param::json(&intent.turn)));
    keep_reads(tx, intent);
    for KeptText { digest, text } in &intent.texts {
        tx.write(statement!(KEEP_TEXT, workspace, &**digest, &**text));
    }
    add_step(tx, intent, kind, step, &intent.input);
}

fn keep_reads<T: Tx>(tx: &mut T, intent: &Intent) {
    for Read { step, input } in &intent.reads {
        add_step(tx, intent, StepKind::Local, step, input);
    }
}

fn add_step<T: Tx>(tx: &mut T, intent: &Intent, kind: StepKind, step: &Step, input: &str) {
    tx.write(statement!(
        ADD_STEP,
        intent.lease.workspace,
        intent.turn.turn,
        &step.key,
        intent.lease.conversation,
        &step.tool,
        kind.as_str(),
        Param::Json(input.to_owned()),
        step.status.as_str(),
        &step.output,
        step.at
    ));
}

async fn find_step<T: Tx>(tx: &mut T, intent: &Intent) -> StoreResult<Option<Step>> {
    tx.query(find(intent)).await?.first().map(load::step).transpose()
}

fn find(intent: &Intent) -> Statement {
    statement!(FIND_STEP, intent.lease.workspace, intent.turn.turn, &intent.key)
}

fn taken(intent: &Intent, status: StepStatus, output: Value, at: Timestamp) -> Step {
    Step { key: intent.key.clone(), tool: intent.tool.clone(), status, output, at }
}
