//! Keys to the operators' API.

use async_trait::async_trait;
use domain::{KeyId, Timestamp, WorkspaceId};
use serde_json::json;
use uuid::Uuid;

use super::setup::audit;
use super::{Driver, Look, Row, Sql, SqlStore, Tx, live, work};
use crate::keys::USE_MS;
use crate::{
    ApiKey, KeyRole, Keys, LiveKind, Point, StoreError, StoreResult, StoredKey, statement,
};

const ADD: Sql = Sql::both(
    "INSERT INTO api_keys (workspace_id, id, name, role, secret_sha256, created_at, expires_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
     ON CONFLICT (workspace_id, name) WHERE revoked_at IS NULL DO NOTHING",
);

macro_rules! columns {
    () => {
        "SELECT id, name, role, created_at, expires_at, revoked_at, last_used_at, secret_sha256 \
         FROM api_keys WHERE workspace_id = ?1"
    };
}

const FIND: Sql = Sql::both(concat!(columns!(), " AND id = ?2"));

const LIST: Sql = Sql::both(concat!(
    columns!(),
    " AND (created_at, id) < (?2, ?3) ORDER BY created_at DESC, id DESC LIMIT ?4"
));

const REVOKE: Sql = Sql::both(
    "UPDATE api_keys SET revoked_at = ?3 \
     WHERE workspace_id = ?1 AND id = ?2 AND revoked_at IS NULL RETURNING name",
);

const USED: Sql = Sql::both(
    "UPDATE api_keys SET last_used_at = ?3 \
     WHERE workspace_id = ?1 AND id = ?2 AND coalesce(last_used_at, 0) <= ?4",
);

pub(super) const STATEMENTS: &[Sql] = &[FIND, USED];

/// Acts of people on keys, of which a workspace has a handful.
pub(super) const BESIDE: &[Sql] = &[ADD, LIST, REVOKE];

#[async_trait]
impl<D: Driver> Keys for SqlStore<D> {
    async fn add_key(
        &self,
        workspace: WorkspaceId,
        key: &StoredKey,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()> {
        let (key, by) = (key.clone(), by.to_owned());
        let _turn = self.turn_to_write(workspace).await;
        self.driver
            .write(
                Point::KeyAdd,
                work!(|tx, key, by| {
                    add(tx, workspace, &key, &by, now);
                    Ok(())
                }),
            )
            .await
    }

    async fn key(&self, workspace: WorkspaceId, id: KeyId) -> StoreResult<Option<StoredKey>> {
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx| {
                    tx.scope(workspace);
                    let rows = tx.query(statement!(FIND, workspace, id)).await?;
                    rows.first().map(stored).transpose()
                }),
            )
            .await
    }

    async fn keys(
        &self,
        workspace: WorkspaceId,
        after: Option<(Timestamp, KeyId)>,
        limit: u32,
    ) -> StoreResult<Vec<ApiKey>> {
        let end = (Timestamp::from_millis(i64::MAX), KeyId(Uuid::max()));
        let (made, id) = after.unwrap_or(end);
        self.driver
            .read(
                Look::long(workspace),
                work!(|tx| {
                    tx.scope(workspace);
                    let rows = tx.query(statement!(LIST, workspace, made, id, limit)).await?;
                    rows.iter().map(|row| stored(row).map(|stored| stored.key)).collect()
                }),
            )
            .await
    }

    async fn revoke_key(
        &self,
        workspace: WorkspaceId,
        id: KeyId,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()> {
        let by = by.to_owned();
        let _turn = self.turn_to_write(workspace).await;
        self.driver
            .write(Point::KeyRevoke, work!(|tx, by| revoke(tx, workspace, id, &by, now).await))
            .await?;
        // Readers of live events are woken, so that a stream opened with this key ends.
        self.driver.announce_live(workspace);
        Ok(())
    }

    async fn key_used(&self, workspace: WorkspaceId, id: KeyId, now: Timestamp) -> StoreResult<()> {
        let _turn = self.turn_to_write(workspace).await;
        self.driver
            .write(
                Point::KeyUse,
                work!(|tx| {
                    tx.scope(workspace);
                    tx.write(statement!(USED, workspace, id, now, now.plus_ms(-USE_MS)));
                    Ok(())
                }),
            )
            .await
    }
}

fn add<T: Tx>(tx: &mut T, workspace: WorkspaceId, stored: &StoredKey, by: &str, now: Timestamp) {
    tx.scope(workspace);
    let StoredKey { key, secret_sha256 } = stored;
    let add = statement!(
        ADD,
        workspace,
        key.id,
        &key.name,
        key.role.as_str(),
        secret_sha256,
        key.created_at,
        key.expires_at
    );
    let taken = format!("a key named `{}` is in use: revoke it first, or choose another", key.name);
    tx.guard(add, StoreError::Refused(taken));
    let detail = json!({ "name": key.name, "role": key.role });
    audit(tx, workspace, by, "key.create", key.id, detail, now);
}

async fn revoke<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: KeyId,
    by: &str,
    now: Timestamp,
) -> StoreResult<()> {
    tx.scope(workspace);
    if let Some(row) = tx.query(statement!(REVOKE, workspace, id, now)).await?.first() {
        let detail = json!({ "name": row.text(0)? });
        audit(tx, workspace, by, "key.revoke", id, detail, now);
        live::tell(tx, workspace, LiveKind::KeyRevoked, None, id, json!({}), now);
        return Ok(());
    }
    match tx.query(statement!(FIND, workspace, id)).await?.is_empty() {
        true => Err(StoreError::NotFound("key")),
        false => Ok(()),
    }
}

fn stored(row: &Row) -> StoreResult<StoredKey> {
    let key = ApiKey {
        id: row.uuid(0)?,
        name: row.text(1)?.to_owned(),
        role: row.word(2, KeyRole::parse)?,
        created_at: row.time(3)?,
        expires_at: row.opt_time(4)?,
        revoked_at: row.opt_time(5)?,
        last_used_at: row.opt_time(6)?,
    };
    Ok(StoredKey { key, secret_sha256: row.text(7)?.to_owned() })
}
