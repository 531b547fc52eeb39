//! The ledger: a row for each attempt at a model call, and the sums that a budget is held against.

use async_trait::async_trait;
use domain::{
    Caller, ConversationId, Cost, ModelCall, Spending, StepKey, Timestamp, TurnId, Usage,
    WorkspaceId,
};

use super::{Driver, Look, Row, Sql, SqlStore, Tx, work};
use crate::{Charged, Intent, LedgerLine, Spent, StoreResult, statement};

const ADD_CALL: Sql = Sql::each(
    "INSERT INTO model_calls (workspace_id, at, conversation_id, contact_id, session_id, turn_id, \
            step_key, component, provider, model, attempt, outcome, input_tokens, output_tokens, \
            cache_read_tokens, cache_write_tokens, cost, ms) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
);

// The sums are cast back to bigint, because PostgreSQL widens a sum of bigints to numeric.
const SPENDING: Sql = Sql::both(
    "SELECT s.tokens, s.cost, c.cost \
     FROM (SELECT CAST(coalesce(sum(input_tokens + output_tokens + cache_read_tokens \
                + cache_write_tokens), 0) AS bigint) AS tokens, \
                CAST(coalesce(sum(cost), 0) AS bigint) AS cost FROM model_calls \
           WHERE workspace_id = ?1 AND conversation_id = ?2 AND at >= ?7 AND session_id = ?3 \
                 AND turn_id <> ?5) s, \
          (SELECT CAST(coalesce(sum(cost), 0) AS bigint) AS cost FROM model_calls \
           WHERE workspace_id = ?1 AND contact_id = ?4 AND at >= ?6 AND turn_id <> ?5) c",
);

const SPENT_BY_ALL: Sql = Sql::both(
    "SELECT CAST(coalesce(sum(cost), 0) AS bigint) FROM model_calls \
     WHERE workspace_id = ?1 AND at >= ?3 AND turn_id <> ?2",
);

const SPENT_BY_MINUTE: Sql = Sql::both(
    "SELECT at / 60000, CAST(sum(cost) AS bigint) FROM model_calls \
     WHERE workspace_id = ?1 AND at >= ?2 AND at < ?3 GROUP BY at / 60000",
);

macro_rules! calls {
    () => {
        "SELECT at, session_id, turn_id, step_key, component, provider, model, attempt, outcome, \
                input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost, ms \
         FROM model_calls WHERE workspace_id = ?1"
    };
}

const LINES: Sql = Sql::both(concat!(
    calls!(),
    " AND conversation_id = ?2 ORDER BY at DESC, step_key DESC, attempt DESC LIMIT ?3",
));

pub(super) const OF_TURN: Sql =
    Sql::both(concat!(calls!(), " AND turn_id = ?2 ORDER BY at, step_key, attempt"));

/// How far a session's beginning and its calls may be apart by the clocks of the nodes that wrote them
/// down. Calls of other sessions from that time are told by their session.
const CLOCKS_MS: i64 = 60_000;

/// Statements that are run for many at once.
pub(super) const EACH: &[Sql] = &[ADD_CALL];

pub(super) const STATEMENTS: &[Sql] = &[SPENDING, SPENT_BY_ALL, SPENT_BY_MINUTE, LINES];

/// A look of people at one turn.
pub(super) const BESIDE: &[Sql] = &[OF_TURN];

#[async_trait]
impl<D: Driver> Spent for SqlStore<D> {
    async fn spending(
        &self,
        caller: Caller,
        began: Timestamp,
        except: TurnId,
        since: Timestamp,
    ) -> StoreResult<Spending> {
        let Caller { workspace, conversation, session, contact, .. } = caller;
        let began = began.plus_ms(-CLOCKS_MS);
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx| {
                    tx.scope(workspace);
                    let sums = statement!(
                        SPENDING,
                        workspace,
                        conversation,
                        session,
                        contact,
                        except,
                        since,
                        began
                    );
                    tx.query(sums).await?.first().map_or(Ok(Spending::default()), spending)
                }),
            )
            .await
    }

    async fn spent_by_all(
        &self,
        workspace: WorkspaceId,
        except: TurnId,
        since: Timestamp,
    ) -> StoreResult<Cost> {
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx| {
                    tx.scope(workspace);
                    let rows = tx.query(statement!(SPENT_BY_ALL, workspace, except, since)).await?;
                    rows.first().map_or(Ok(Cost(0)), |row| row.int(0).map(Cost))
                }),
            )
            .await
    }

    async fn spent_by_minute(
        &self,
        workspace: WorkspaceId,
        first: Timestamp,
        last: Timestamp,
    ) -> StoreResult<Vec<(i64, Cost)>> {
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx| {
                    tx.scope(workspace);
                    let sums = statement!(SPENT_BY_MINUTE, workspace, first, last);
                    let minute = |row: &Row| Ok((row.int(0)?, Cost(row.int(1)?)));
                    tx.query(sums).await?.iter().map(minute).collect()
                }),
            )
            .await
    }

    async fn ledger(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        limit: u32,
    ) -> StoreResult<Vec<LedgerLine>> {
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx| {
                    tx.scope(workspace);
                    let rows = tx.query(statement!(LINES, workspace, conversation, limit)).await?;
                    rows.iter().map(line).collect()
                }),
            )
            .await
    }
}

/// Adds a ledger row for each attempt behind an answer.
pub(super) fn charge<T: Tx>(tx: &mut T, intent: &Intent, charged: &Charged, now: Timestamp) {
    for call in &charged.calls {
        let Usage { input, output, cache_read, cache_write } = call.usage;
        tx.write(statement!(
            ADD_CALL,
            intent.lease.workspace,
            now,
            intent.lease.conversation,
            charged.contact,
            charged.session,
            intent.turn.turn,
            &intent.key,
            &call.component,
            &call.provider,
            &call.model,
            call.attempt,
            &call.outcome,
            input,
            output,
            cache_read,
            cache_write,
            call.cost.0,
            call.ms
        ));
    }
}

fn spending(row: &Row) -> StoreResult<Spending> {
    Ok(Spending {
        session_tokens: u64::try_from(row.int(0)?).unwrap_or(0),
        session: Cost(row.int(1)?),
        contact_day: Cost(row.int(2)?),
    })
}

pub(super) fn line(row: &Row) -> StoreResult<LedgerLine> {
    Ok(LedgerLine {
        at: row.time(0)?,
        session: row.uuid(1)?,
        turn: row.uuid(2)?,
        step: StepKey(row.text(3)?.to_owned()),
        call: ModelCall {
            component: row.text(4)?.to_owned(),
            provider: row.text(5)?.to_owned(),
            model: row.text(6)?.to_owned(),
            attempt: row.count(7)?,
            outcome: row.text(8)?.to_owned(),
            usage: Usage {
                input: row.count(9)?,
                output: row.count(10)?,
                cache_read: row.count(11)?,
                cache_write: row.count(12)?,
            },
            cost: Cost(row.int(13)?),
            ms: row.count(14)?,
        },
    })
}
