//! Recording steps: the intent before a call, its outcome after it, an own effect with it.

use async_trait::async_trait;
use domain::{Step, StepKind, StepStatus, Timestamp};
use serde_json::{Value, json};

use super::lanes::lock_lane;
use super::{Driver, Param, Sql, SqlStore, Tx, load, work};
use crate::{Effect, Intent, Journal, Point, StoreError, StoreResult, statement};

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

const TAKE_NUMBER: Sql = Sql::both(
    "INSERT INTO counters (workspace_id, name, value) VALUES (?1, ?2, 1) \
     ON CONFLICT (workspace_id, name) DO UPDATE SET value = counters.value + 1 RETURNING value",
);

const NAME_CONTACT: Sql =
    Sql::both("UPDATE contacts SET name = ?3 WHERE workspace_id = ?1 AND id = ?2");

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
    let workspace = intent.lease.workspace;
    let rows = tx.query(statement!(FIND_STEP, workspace, intent.turn.turn, &intent.key)).await?;
    if let Some(row) = rows.first() {
        return load::step(row);
    }
    let output = match effect {
        Effect::TakeNumber { counter } => {
            let rows = tx.query(statement!(TAKE_NUMBER, workspace, counter)).await?;
            json!({ "number": rows.first().map_or(Ok(0), |row| row.int(0))? })
        }
        Effect::NameContact { contact, name } => {
            tx.write(statement!(NAME_CONTACT, workspace, *contact, name));
            json!({ "name": name })
        }
    };
    add_step(tx, intent, StepKind::Local, StepStatus::Done, &output, now);
    let (key, tool) = (intent.key.clone(), intent.tool.clone());
    Ok(Step { key, tool, status: StepStatus::Done, output, at: now })
}
