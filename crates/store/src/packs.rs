//! Stored packs, by version, so that any node can continue a session with an old version of its
//! agent.

use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::{Timestamp, WorkspaceId};

use crate::StoreResult;

/// The content of one version of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPack {
    /// The agent's name.
    pub name: String,
    pub version: String,
    /// The pack's files, path to text.
    pub source: BTreeMap<String, String>,
}

#[async_trait]
pub trait Packs {
    /// Stores a version for good. Stored again, the version stays as it is, because a version names
    /// its content.
    async fn keep_pack(
        &self,
        workspace: WorkspaceId,
        pack: &StoredPack,
        now: Timestamp,
    ) -> StoreResult<()>;

    async fn pack(
        &self,
        workspace: WorkspaceId,
        name: &str,
        version: &str,
    ) -> StoreResult<Option<StoredPack>>;
}
