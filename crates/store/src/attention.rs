//! The port of what needs a person: quarantined events, and calls and sends with an unknown end.

use async_trait::async_trait;
use domain::{ConversationId, Pii, Timestamp, WorkspaceId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::StoreResult;

/// An event set aside after failing too often.
#[derive(Clone, Debug, Serialize)]
pub struct Quarantined {
    /// The inbox row's or the timer's id.
    pub id: Uuid,
    /// `None` for an item of a webhook that could not be read.
    pub conversation: Option<ConversationId>,
    pub kind: String,
    pub payload: Pii,
    pub reason: String,
    pub received_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReconcileKind {
    /// A tool call whose outcome is unknown.
    Step,
    /// A send whose outcome is unknown.
    Ambiguous,
    /// A send that failed for good.
    Undelivered,
    /// A message held back because the customer last wrote too long ago.
    OutsideWindow,
}

impl ReconcileKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Ambiguous => "ambiguous",
            Self::Undelivered => "undelivered",
            Self::OutsideWindow => "outside_window",
        }
    }
}

/// An item's place in the list: messages first, in the order they were queued, then calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReconcilePlace {
    Send(i64),
    Step(Timestamp, Uuid, String),
}

/// The page of quarantined events or reconcile items to list.
#[derive(Clone, Debug)]
pub struct AttentionFilter<P> {
    pub conversation: Option<ConversationId>,
    /// Items after this one, which need not exist any longer.
    pub after: Option<P>,
    pub limit: u32,
}

impl<P> AttentionFilter<P> {
    pub fn first(limit: u32) -> Self {
        Self { conversation: None, after: None, limit }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct ReconcileItem {
    #[serde(skip)]
    pub place: ReconcilePlace,
    /// A message's id, or `turn/step`.
    pub id: String,
    pub kind: ReconcileKind,
    pub conversation: ConversationId,
    pub what: Pii,
    pub error: Option<String>,
    pub since: Timestamp,
}

/// A person's finding about a reconcile item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// The call or send did happen.
    Happened,
    /// The call or send did not happen, and is not wanted any more.
    Dropped,
    /// The send did not happen and is to be made again, as a new attempt under the same reference.
    Resend,
}

impl Resolution {
    /// The finding as the audit log and live events keep it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Happened => "happened",
            Self::Dropped => "dropped",
            Self::Resend => "resend",
        }
    }
}

#[async_trait]
pub trait Attention {
    /// Oldest first: by their ids, which are in the order of creation.
    async fn quarantined(
        &self,
        workspace: WorkspaceId,
        filter: &AttentionFilter<Uuid>,
    ) -> StoreResult<Vec<Quarantined>>;

    /// Puts a quarantined event back into its lane and the conversation back to the bot.
    async fn retry(
        &self,
        workspace: WorkspaceId,
        id: Uuid,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()>;

    async fn reconcile_items(
        &self,
        workspace: WorkspaceId,
        filter: &AttentionFilter<ReconcilePlace>,
    ) -> StoreResult<Vec<ReconcileItem>>;

    async fn reconcile(
        &self,
        workspace: WorkspaceId,
        id: &str,
        resolution: Resolution,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()>;
}
