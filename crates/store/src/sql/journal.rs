//! Recording steps: the intent before a call, its outcome after it, an own effect or what an
//! answer cost with it.

use async_trait::async_trait;
use domain::{Step, StepKind, StepStatus, Timestamp};
use serde_json::Value;

use super::lanes::lock_lane;
use super::{Driver, Param, Sql, SqlStore, Tx, effects, ledger, load, work};
use crate::{Charged, Effect, Intent, Journal, Point, StoreError, StoreResult, statement};

// Another turn found here is over: its holder would have gone on with it.
const OPEN_TURN: Sql = Sql::both(
    "UPDATE lanes SET open_turn = ?3 WHERE workspace_id = ?1 AND conversation_id = ?2 \
            AND (open_turn IS NULL OR open_turn <> ?3)",
);

const ADD_STEP: Sql = Sql::both(
    "INSERT INTO agent_steps (workspace_id, turn_id, step_key, conversation_id, tool, kind, input, \
            status, output, created_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) \
     ON CONFLICT (workspace_id, turn_id, step_key) DO NOTHING",
);

const FIND_STEP: Sql = Sql::both(
    "SELECT step_key, tool, status, output, created_at FROM agent_steps \
     WHERE workspace_id = ?1 AND turn_id = ?2 AND step_key = ?3",
);

const SETTLE_STEP: Sql = Sql::both(
    "UPDATE agent_steps SET status = ?4, output = ?5, settled_at = ?6 \
     WHERE workspace_id = ?1 AND turn_id = ?2 AND step_key = ?3 AND status = 'intended'",
);

#[async_trait]
impl<D: Driver> Journal for SqlStore<D> {
    async fn intend(&self, intent: &Intent, now: Timestamp) -> StoreResult<()> {
        let intent = intent.clone();
        self.driver
            .write(
                Point::StepIntent,
                work!(|tx, intent| {
                    open_turn(tx, &intent);
                    add_step(
                        tx,
                        &intent,
                        StepKind::Outside,
                        StepStatus::Intended,
                        &Value::Null,
                        now,
                    );
                    Ok(())
                }),
            )
            .await
    }

    async fn record_local(
        &self,
        intent: &Intent,
        effect: Effect,
        now: Timestamp,
    ) -> StoreResult<Step> {
        let intent = intent.clone();
        self.driver
            .write(
                Point::StepLocal,
                work!(|tx, intent, effect| record_local(tx, &intent, &effect, now).await),
            )
            .await
    }

    async fn record_outcome(
        &self,
        intent: &Intent,
        status: StepStatus,
        output: &Value,
        now: Timestamp,
    ) -> StoreResult<()> {
        let (intent, output) = (intent.clone(), output.clone());
        self.driver
            .write(
                Point::StepOutcome,
                work!(|tx, intent, output| {
                    lock_lane(tx, intent.lease);
                    let (workspace, turn) = (intent.lease.workspace, intent.turn.turn);
                    let settle = statement!(
                        SETTLE_STEP,
                        workspace,
                        turn,
                        &intent.key,
                        status.as_str(),
                        &*output,
                        now
                    );
                    tx.guard(settle, StoreError::NotFound("intended step"));
                    Ok(())
                }),
            )
            .await
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
        self.driver
            .write(
                Point::StepAnswer,
                work!(|tx, intent, output, charged| {
                    record_answer(tx, &intent, status, &output, &charged, now).await
                }),
            )
            .await
    }
}

/// From its first step on, a turn keeps its id and its events until it commits.
fn open_turn<T: Tx>(tx: &mut T, intent: &Intent) {
    lock_lane(tx, intent.lease);
    let (workspace, conversation) = (intent.lease.workspace, intent.lease.conversation);
    tx.write(statement!(OPEN_TURN, workspace, conversation, Param::json(&intent.turn)));
}

fn add_step<T: Tx>(
    tx: &mut T,
    intent: &Intent,
    kind: StepKind,
    status: StepStatus,
    output: &Value,
    now: Timestamp,
) {
    tx.write(statement!(
        ADD_STEP,
        intent.lease.workspace,
        intent.turn.turn,
        &intent.key,
        intent.lease.conversation,
        &intent.tool,
        kind.as_str(),
        &intent.input,
        status.as_str(),
        output,
        now
    ));
}

async fn record_local<T: Tx>(
    tx: &mut T,
    intent: &Intent,
    effect: &Effect,
    now: Timestamp,
) -> StoreResult<Step> {
    open_turn(tx, intent);
    if let Some(step) = find_step(tx, intent).await? {
        return Ok(step);
    }
    let (status, output) = effects::apply(tx, intent, effect, now).await?;
    add_step(tx, intent, StepKind::Local, status, &output, now);
    Ok(taken(intent, status, output, now))
}

async fn record_answer<T: Tx>(
    tx: &mut T,
    intent: &Intent,
    status: StepStatus,
    output: &Value,
    charged: &Charged,
    now: Timestamp,
) -> StoreResult<Step> {
    open_turn(tx, intent);
    if let Some(step) = find_step(tx, intent).await? {
        return Ok(step);
    }
    add_step(tx, intent, StepKind::Model, status, output, now);
    ledger::charge(tx, intent, charged, now);
    Ok(taken(intent, status, output.clone(), now))
}

async fn find_step<T: Tx>(tx: &mut T, intent: &Intent) -> StoreResult<Option<Step>> {
    let find = statement!(FIND_STEP, intent.lease.workspace, intent.turn.turn, &intent.key);
    tx.query(find).await?.first().map(load::step).transpose()
}

fn taken(intent: &Intent, status: StepStatus, output: Value, at: Timestamp) -> Step {
    Step { key: intent.key.clone(), tool: intent.tool.clone(), status, output, at }
}
