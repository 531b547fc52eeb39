//! Files that customers sent: who fetches which, under a lease, and how that ended.

use async_trait::async_trait;
use domain::{Channel, ConversationId, EventId, Media, Timestamp, WorkspaceId};
use serde::Serialize;

use crate::StoreResult;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaStatus {
    Pending,
    Fetched,
    /// Given up.
    Failed,
    /// The provider has it no more.
    Expired,
    /// The customer took it back.
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

/// A file to be fetched, or to be done away with.
#[derive(Clone, Debug, PartialEq)]
pub struct MediaJob {
    pub workspace: WorkspaceId,
    /// The event it came with.
    pub id: EventId,
    pub conversation: ConversationId,
    pub file: Media,
    /// This one's number; who settles an earlier one changes nothing.
    pub attempt: u32,
    /// Its customer took it back: what is kept of it goes.
    pub deleted: bool,
    /// Under what it is kept, if it is.
    pub sha256: Option<String>,
    pub since: Timestamp,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MediaClaim {
    pub jobs: Vec<MediaJob>,
    /// When to look again.
    pub wake_at: Option<Timestamp>,
}

/// How many failures a provider forgives before it blocks the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorBudget {
    pub failures: u32,
    pub within_ms: i64,
    /// How long nothing is asked for once it is spent.
    pub pause_ms: i64,
}

/// A file that is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// In hexadecimal: its name on disk.
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
    /// Whether the provider counts it as a failure of ours.
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
    /// Takes jobs of a channel that are due, until `until`; none while its error budget is spent.
    async fn claim_media(
        &self,
        channel: &Channel,
        budget: ErrorBudget,
        now: Timestamp,
        until: Timestamp,
        max: u32,
    ) -> StoreResult<MediaClaim>;

    async fn settle_media(&self, job: &MediaJob, end: MediaEnd, now: Timestamp) -> StoreResult<()>;

    /// Whether any message still needs this file.
    async fn keeps_media(&self, workspace: WorkspaceId, sha256: &str) -> StoreResult<bool>;

    /// What came in a conversation, oldest first.
    async fn media(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> StoreResult<Vec<MediaRow>>;
}
