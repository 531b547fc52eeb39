//! Deeds outside any turn, noted in the audit log with their actor.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Timestamp, WorkspaceId};
use serde_json::Value;
use uuid::Uuid;

use super::records::{self, DeedContext};
use super::{Driver, Look, Sql, SqlStore, Tx, work};
use crate::{Deed, DeedError, Deeds, Point, StoreError, StoreResult, statement};

const FIND_ANSWER: Sql =
    Sql::both("SELECT detail FROM audit_log WHERE workspace_id = ?1 AND deed_id = ?2");

const NOTE: Sql = Sql::both(
    "INSERT INTO audit_log (workspace_id, at, actor, action, subject, detail, deed_id) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
     ON CONFLICT (workspace_id, deed_id) WHERE deed_id IS NOT NULL DO NOTHING",
);

pub(super) const STATEMENTS: &[Sql] = &[FIND_ANSWER, NOTE];

/// The audit entry of a deed: actor, action and subject.
#[derive(Clone)]
struct Act {
    actor: String,
    action: String,
    subject: String,
}

#[async_trait]
impl<D: Driver> Deeds for SqlStore<D> {
    async fn consult(
        &self,
        workspace: WorkspaceId,
        deed: Arc<dyn Deed>,
        now: Timestamp,
    ) -> Result<Value, DeedError> {
        let context = DeedContext { workspace, id: Uuid::nil(), now, only_reads: true };
        self.driver
            .read_together(
                Look::short(workspace),
                work!(|tx, deed| {
                    tx.scope(workspace);
                    // A deed that only reads leaves nothing to undo, so the other reads of this
                    // shared transaction go on.
                    match records::run(tx, context, &**deed).await.result {
                        Err(DeedError::Store(error)) => Err(error),
                        answered => Ok(answered),
                    }
                }),
            )
            .await
            .map_err(DeedError::Store)?
    }

    async fn perform(
        &self,
        workspace: WorkspaceId,
        actor: &str,
        action: &str,
        subject: &str,
        id: Uuid,
        deed: Arc<dyn Deed>,
        now: Timestamp,
    ) -> Result<Value, DeedError> {
        let context = DeedContext { workspace, id, now, only_reads: false };
        let [actor, action, subject] = [actor, action, subject].map(str::to_owned);
        let act = Act { actor, action, subject };
        let _turn = self.turn_to_write(workspace).await;
        let once = || {
            let (deed, act) = (Arc::clone(&deed), act.clone());
            self.driver.write(
                Point::DeedPerform,
                work!(|tx, deed, act| perform(tx, context, &**deed, &act).await),
            )
        };
        let performed = match once().await {
            // The other call has ended by now, and its answer is found.
            Err(error) if error == under_way() => once().await,
            performed => performed,
        };
        performed.inspect(|_| self.driver.announce_live(workspace)).map_err(refused)
    }
}

async fn perform<T: Tx>(
    tx: &mut T,
    context: DeedContext,
    deed: &dyn Deed,
    act: &Act,
) -> StoreResult<Value> {
    let DeedContext { workspace, id, now, .. } = context;
    tx.scope(workspace);
    if let Some(done) = tx.query(statement!(FIND_ANSWER, workspace, id)).await?.first() {
        return done.json(0);
    }
    let output = records::run(tx, context, deed).await.result.or_else(abandon)?;
    let Act { actor, action, subject } = act;
    let note = statement!(NOTE, workspace, now, actor, action, subject, &output, id);
    // A concurrent call under the same id has run the deed: this transaction is undone, and a
    // repeated call finds that answer.
    tx.guard(note, under_way());
    Ok(output)
}

fn under_way() -> StoreError {
    let text = "the same request is under way: repeat it to get its answer";
    StoreError::Unavailable(text.to_owned())
}

/// A transaction whose deed is refused is undone.
fn abandon<R>(error: DeedError) -> StoreResult<R> {
    Err(match error {
        DeedError::Refused(reason) => StoreError::Refused(reason),
        DeedError::Store(error) => error,
    })
}

fn refused(error: StoreError) -> DeedError {
    match error {
        StoreError::Refused(reason) => DeedError::Refused(reason),
        error => DeedError::Store(error),
    }
}
