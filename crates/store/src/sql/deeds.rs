//! Deeds outside any turn, noted with whoever did them.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Timestamp, WorkspaceId};
use serde_json::Value;
use uuid::Uuid;

use super::records::{self, Errand};
use super::{Driver, Look, Sql, SqlStore, Tx, work};
use crate::{Deed, DeedError, Deeds, Point, StoreError, StoreResult, statement};

const DONE: Sql =
    Sql::both("SELECT detail FROM audit_log WHERE workspace_id = ?1 AND deed_id = ?2");

const NOTE: Sql = Sql::both(
    "INSERT INTO audit_log (workspace_id, at, actor, action, subject, detail, deed_id) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
     ON CONFLICT (workspace_id, deed_id) WHERE deed_id IS NOT NULL DO NOTHING",
);

pub(super) const STATEMENTS: &[Sql] = &[DONE];

/// Who does what, to what.
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
        let errand = Errand { workspace, id: Uuid::nil(), now, only_reads: true };
        self.driver
            .read_together(
                Look::short(workspace),
                work!(|tx, deed| {
                    tx.scope(workspace);
                    // There is nothing to undo: others who are read for together go on.
                    match records::run(tx, errand, &**deed).await.result {
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
        let errand = Errand { workspace, id, now, only_reads: false };
        let [actor, action, subject] = [actor, action, subject].map(str::to_owned);
        let act = Act { actor, action, subject };
        self.driver
            .write(
                Point::DeedPerform,
                work!(|tx, deed, act| perform(tx, errand, &**deed, &act).await),
            )
            .await
            .inspect(|_| self.driver.announce_live(workspace))
            .map_err(refused)
    }
}

async fn perform<T: Tx>(
    tx: &mut T,
    errand: Errand,
    deed: &dyn Deed,
    act: &Act,
) -> StoreResult<Value> {
    let Errand { workspace, id, now, .. } = errand;
    tx.scope(workspace);
    if let Some(done) = tx.query(statement!(DONE, workspace, id)).await?.first() {
        return done.json(0);
    }
    let output = records::run(tx, errand, deed).await.result.or_else(abandon)?;
    let Act { actor, action, subject } = act;
    let note = statement!(NOTE, workspace, now, actor, action, subject, &output, id);
    // Whoever was asked for the same at once has done it: asked again, we find it.
    tx.guard(note, StoreError::Unavailable("the same is being done already".to_owned()));
    Ok(output)
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
