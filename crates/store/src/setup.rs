//! The node's needs beside its work: tenants, health, facts about the database.

use async_trait::async_trait;
use domain::{Channel, Timestamp, Workspace, WorkspaceId};
use serde::Serialize;

use crate::{Signals, StoreResult};

/// Facts about the database that decide how safe it is, for `doctor`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Durability {
    pub engine: String,
    /// Whether a commit survives a power cut.
    pub durable_commits: bool,
    pub detail: String,
    /// The database role, where there are roles.
    pub role: Option<String>,
    pub role_owns_tables: bool,
    /// How far this machine's clock is behind the database's.
    pub clock_behind_ms: i64,
}

/// Gauges for the metrics page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Lanes that are due and not yet claimed, or whose holder is gone.
    pub lanes_due: i64,
}

#[async_trait]
pub trait Setup {
    /// Makes sure the workspace and its channels exist as configured.
    async fn ensure(
        &self,
        workspace: &Workspace,
        channels: &[Channel],
        now: Timestamp,
    ) -> StoreResult<()>;

    /// The workspace's secret that signs its visitors: `proposed` if no secret was stored before.
    async fn visitor_secret(
        &self,
        workspace: WorkspaceId,
        proposed: &str,
        now: Timestamp,
    ) -> StoreResult<String>;

    async fn workspace(&self, id: WorkspaceId) -> StoreResult<Option<Workspace>>;

    /// A cheap round trip; an error means that nothing may be acknowledged.
    async fn ping(&self) -> StoreResult<()>;

    async fn durability(&self, now: Timestamp) -> StoreResult<Durability>;

    async fn stats(&self, now: Timestamp) -> StoreResult<Stats>;

    /// Wake-ups of this store, from this node and from others.
    fn signals(&self) -> &Signals;
}
