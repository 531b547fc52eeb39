//! Tenants as configured, health, and the audit log.

use async_trait::async_trait;
use domain::{Channel, Timestamp, Workspace, WorkspaceId};
use serde_json::Value;

use super::{Driver, Look, Sql, SqlStore, Tx, work};
use crate::{Durability, Point, Setup, Signals, Stats, StoreError, StoreResult, statement};

const ADD_WORKSPACE: Sql = Sql::both(
    "INSERT INTO workspaces (id, slug, created_at) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO NOTHING",
);

const FIND_WORKSPACE: Sql = Sql::both("SELECT slug FROM workspaces WHERE id = ?1");

const SAVE_CHANNEL: Sql = Sql::both(
    "INSERT INTO channels (workspace_id, id, kind, agent_id, max_messages, created_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
     ON CONFLICT (workspace_id, id) DO UPDATE SET kind = excluded.kind, \
            agent_id = excluded.agent_id, max_messages = excluded.max_messages",
);

// An update without effect, so that RETURNING gives the secret that is stored.
const KEEP_SECRET: Sql = Sql::both(
    "INSERT INTO visitor_secrets (workspace_id, secret, created_at) VALUES (?1, ?2, ?3) \
     ON CONFLICT (workspace_id) DO UPDATE SET created_at = visitor_secrets.created_at \
     RETURNING secret",
);

const ADD_AUDIT: Sql = Sql::both(
    "INSERT INTO audit_log (workspace_id, at, actor, action, subject, detail) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
);

const PING: Sql = Sql::both("SELECT 1");

const COUNT_DUE: Sql = Sql::both(
    "SELECT (SELECT count(*) FROM lanes WHERE wake_at <= ?1 AND queued = 0) \
          + (SELECT count(*) FROM lanes WHERE wake_at <= ?1 AND queued = 1)",
);

pub(super) const STATEMENTS: &[Sql] = &[ADD_AUDIT];

/// The start of a node, and its gauges.
pub(super) const BESIDE: &[Sql] =
    &[ADD_WORKSPACE, FIND_WORKSPACE, SAVE_CHANNEL, KEEP_SECRET, PING, COUNT_DUE];

#[async_trait]
impl<D: Driver> Setup for SqlStore<D> {
    async fn ensure(
        &self,
        workspace: &Workspace,
        channels: &[Channel],
        now: Timestamp,
    ) -> StoreResult<()> {
        let (workspace, channels) = (workspace.clone(), channels.to_vec());
        let _turn = self.turn_to_write(workspace.id).await;
        self.driver
            .write(
                Point::Setup,
                work!(|tx, workspace, channels| {
                    tx.scope(workspace.id);
                    tx.write(statement!(ADD_WORKSPACE, workspace.id, &workspace.slug, now));
                    for channel in channels.iter() {
                        let (kind, agent) = (channel.kind.as_str(), &channel.agent);
                        tx.write(statement!(
                            SAVE_CHANNEL,
                            workspace.id,
                            &channel.id,
                            kind,
                            agent,
                            channel.burst.max_messages,
                            now
                        ));
                    }
                    Ok(())
                }),
            )
            .await
    }

    async fn visitor_secret(
        &self,
        workspace: WorkspaceId,
        proposed: &str,
        now: Timestamp,
    ) -> StoreResult<String> {
        let proposed = proposed.to_owned();
        let _turn = self.turn_to_write(workspace).await;
        self.driver
            .write(
                Point::Setup,
                work!(|tx, proposed| {
                    tx.scope(workspace);
                    let keep = statement!(KEEP_SECRET, workspace, &*proposed, now);
                    let rows = tx.query(keep).await?;
                    let row = rows.first().ok_or(StoreError::NotFound("workspace"))?;
                    row.text(0).map(str::to_owned)
                }),
            )
            .await
    }

    async fn workspace(&self, id: WorkspaceId) -> StoreResult<Option<Workspace>> {
        self.driver
            .read(
                Look::short(id),
                work!(|tx| {
                    tx.scope(id);
                    let rows = tx.query(statement!(FIND_WORKSPACE, id)).await?;
                    let named = |slug: &str| Workspace { id, slug: slug.to_owned() };
                    rows.first().map(|row| row.text(0).map(named)).transpose()
                }),
            )
            .await
    }

    async fn ping(&self) -> StoreResult<()> {
        self.driver
            .read(Look::engine(), work!(|tx| tx.query(statement!(PING)).await.map(drop)))
            .await
    }

    async fn durability(&self, now: Timestamp) -> StoreResult<Durability> {
        self.driver.durability(now).await
    }

    async fn stats(&self, now: Timestamp) -> StoreResult<Stats> {
        self.driver
            .read(
                Look::engine(),
                work!(|tx| {
                    tx.scope_scheduler();
                    let rows = tx.query(statement!(COUNT_DUE, now)).await?;
                    Ok(Stats { lanes_due: rows.first().map_or(Ok(0), |row| row.int(0))? })
                }),
            )
            .await
    }

    fn signals(&self) -> &Signals {
        self.driver.signals()
    }
}

pub(super) fn audit<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    actor: &str,
    action: &str,
    subject: impl ToString,
    detail: Value,
    now: Timestamp,
) {
    tx.write(statement!(ADD_AUDIT, workspace, now, actor, action, subject.to_string(), detail));
}
