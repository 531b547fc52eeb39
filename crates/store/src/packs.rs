//! What agents are made from, kept by version, so that any node can go on with an old one.

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
    /// Its files, path to text.
    pub source: BTreeMap<String, String>,
}

#[async_trait]
pub trait Packs {
    /// Keeps a version for good. Kept again it stays as it is: a version names its content.
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
