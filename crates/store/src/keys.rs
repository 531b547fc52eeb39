//! Keys to the operators' API: the caller, the workspace and the rights of each.

use async_trait::async_trait;
use domain::{KeyId, Timestamp, WorkspaceId};
use serde::{Deserialize, Serialize};

use crate::StoreResult;

/// The precision with which a key's last use is recorded.
pub(crate) const USE_MS: i64 = 60_000;

/// The rights of a key; each role has the rights of the roles before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyRole {
    /// Reads.
    Viewer,
    /// Acts on conversations, orders and stock.
    Operator,
    /// Makes and revokes keys.
    Admin,
}

impl KeyRole {
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Operator, Self::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ApiKey {
    pub id: KeyId,
    /// The actor's name in the audit log.
    pub name: String,
    pub role: KeyRole,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    /// To the minute.
    pub last_used_at: Option<Timestamp>,
}

impl ApiKey {
    /// Whether the key is neither revoked nor expired.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// Whether this use is recorded already, within the precision of the record.
    pub fn use_is_noted(&self, now: Timestamp) -> bool {
        self.last_used_at.is_some_and(|last| now.since_ms(last) < USE_MS)
    }
}

/// A stored key, from which nobody can tell the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredKey {
    pub key: ApiKey,
    /// The SHA-256 of the key's secret, in hexadecimal.
    pub secret_sha256: String,
}

#[async_trait]
pub trait Keys {
    /// Stores a new key; refused while another live key has its name.
    async fn add_key(
        &self,
        workspace: WorkspaceId,
        key: &StoredKey,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()>;

    async fn key(&self, workspace: WorkspaceId, id: KeyId) -> StoreResult<Option<StoredKey>>;

    /// Keys by when they were made, newest first, after the given one; revoked and expired keys are
    /// among them.
    async fn keys(
        &self,
        workspace: WorkspaceId,
        after: Option<(Timestamp, KeyId)>,
        limit: u32,
    ) -> StoreResult<Vec<ApiKey>>;

    /// Ends a key for good; a key that was ended before stays as it is.
    async fn revoke_key(
        &self,
        workspace: WorkspaceId,
        id: KeyId,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()>;

    /// Notes that a key was used.
    async fn key_used(&self, workspace: WorkspaceId, id: KeyId, now: Timestamp) -> StoreResult<()>;
}
