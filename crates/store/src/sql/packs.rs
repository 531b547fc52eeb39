//! The stored versions of packs, from which agents are made.

use async_trait::async_trait;
use domain::{Timestamp, WorkspaceId};

use super::{Driver, Look, Param, Sql, SqlStore, Tx, work};
use crate::{Packs, Point, StoreResult, StoredPack, statement};

const KEEP: Sql = Sql::both(
    "INSERT INTO pack_versions (workspace_id, name, version, source, created_at) \
     VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (workspace_id, name, version) DO NOTHING",
);

const FIND: Sql = Sql::both(
    "SELECT source FROM pack_versions WHERE workspace_id = ?1 AND name = ?2 AND version = ?3",
);

pub(super) const STATEMENTS: &[Sql] = &[KEEP, FIND];

#[async_trait]
impl<D: Driver> Packs for SqlStore<D> {
    async fn keep_pack(
        &self,
        workspace: WorkspaceId,
        pack: &StoredPack,
        now: Timestamp,
    ) -> StoreResult<()> {
        let pack = pack.clone();
        let _turn = self.turn_to_write(workspace).await;
        self.driver
            .write(
                Point::PackKeep,
                work!(|tx, pack| {
                    tx.scope(workspace);
                    let source = Param::json(&pack.source);
                    tx.write(statement!(KEEP, workspace, &pack.name, &pack.version, source, now));
                    Ok(())
                }),
            )
            .await
    }

    async fn pack(
        &self,
        workspace: WorkspaceId,
        name: &str,
        version: &str,
    ) -> StoreResult<Option<StoredPack>> {
        let (name, version) = (name.to_owned(), version.to_owned());
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx, name, version| {
                    tx.scope(workspace);
                    let rows = tx.query(statement!(FIND, workspace, &*name, &*version)).await?;
                    let Some(row) = rows.first() else { return Ok(None) };
                    let (name, version) = (name.to_string(), version.to_string());
                    Ok(Some(StoredPack { name, version, source: row.json(0)? }))
                }),
            )
            .await
    }
}
