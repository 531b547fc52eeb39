//! Files that customers sent: fetched under a lease, with the outcome of each.

use async_trait::async_trait;
use domain::{Channel, ConversationId, EventId, Media, Timestamp, WorkspaceId};
use serde::Serialize;

use crate::StoreResult;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaStatus {
    Pending,
    Fetched,
    /// Fetching was given up.
    Failed,
    /// The provider does not have the file any more.
    Expired,
    /// The customer deleted the message.
    Deleted,
}

impl MediaStatus {
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::Fetched, Self::Failed, Self::Expired, Self::Deleted];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Fetched => "fetched",
            Self::Failed => "failed",
            Self::Expired => "expired",
            Self::Deleted => "deleted",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// A file to be fetched, or to be removed.
#[derive(Clone, Debug, PartialEq)]
pub struct MediaJob {
    pub workspace: WorkspaceId,
    /// The event that the file came with.
    pub id: EventId,
    pub conversation: ConversationId,
    pub file: Media,
    /// The attempt's number; settling an earlier attempt changes nothing.
    pub attempt: u32,
    /// Whether the customer deleted the message: a stored copy of the file must be removed.
    pub deleted: bool,
    /// The stored file's digest, if the file is stored.
    pub sha256: Option<String>,
    pub since: Timestamp,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MediaClaim {
    pub jobs: Vec<MediaJob>,
    /// When to look again.
    pub wake_at: Option<Timestamp>,
}

/// The failures that a provider forgives before it blocks the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorBudget {
    pub failures: u32,
    pub within_ms: i64,
    /// The pause in fetching once the budget is spent.
    pub pause_ms: i64,
}

/// A file that is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The file's name on disk, in hexadecimal.
    pub sha256: String,
    pub size: i64,
    pub mime: Option<String>,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaEnd {
    pub status: MediaStatus,
    /// For `Pending`: when to try again.
    pub retry_at: Option<Timestamp>,
    pub error: Option<String>,
    pub kept: Option<Kept>,
    /// Whether the provider counts the attempt as a failure of ours.
    pub failed: bool,
}

impl MediaEnd {
    pub fn new(status: MediaStatus) -> Self {
        Self { status, retry_at: None, error: None, kept: None, failed: false }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MediaRow {
    pub id: EventId,
    pub file: Media,
    pub status: MediaStatus,
    pub attempts: u32,
    pub mime: Option<String>,
    pub sha256: Option<String>,
    pub size: Option<i64>,
    pub error: Option<String>,
    pub at: Timestamp,
}

#[async_trait]
pub trait MediaJobs {
    /// Claims due jobs of a channel until `until`; none while the channel's error budget is spent.
    async fn claim_media(
        &self,
        channel: &Channel,
        budget: ErrorBudget,
        now: Timestamp,
        until: Timestamp,
        max: u32,
    ) -> StoreResult<MediaClaim>;

    async fn record_media(&self, job: &MediaJob, end: MediaEnd, now: Timestamp) -> StoreResult<()>;

    /// Whether any message still needs this file.
    async fn keeps_media(&self, workspace: WorkspaceId, sha256: &str) -> StoreResult<bool>;

    /// The files of a conversation, oldest first.
    async fn media(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> StoreResult<Vec<MediaRow>>;
}
