//! What needs a person: quarantined events, and calls and sends nobody knows the end of.

use async_trait::async_trait;
use domain::{ConversationId, Pii, Timestamp, WorkspaceId};
use serde::Serialize;
use uuid::Uuid;

use crate::StoreResult;

/// An event set aside after failing too often.
#[derive(Clone, Debug, Serialize)]
pub struct Quarantined {
    /// The inbox row's or the timer's id.
    pub id: Uuid,
    /// None for an item of a webhook that could not be read.
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

#[derive(Clone, Debug, Serialize)]
pub struct ReconcileItem {
    /// A message's id, or `turn/step`.
    pub id: String,
    pub kind: ReconcileKind,
    pub conversation: ConversationId,
    pub what: Pii,
    pub error: Option<String>,
    pub since: Timestamp,
}

/// What a person found out about a reconcile item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It did happen.
    Happened,
    /// It did not, and is not wanted any more.
    Dropped,
    /// It did not: send the message again, as a new attempt under the same reference.
    Resend,
}

#[async_trait]
pub trait Attention {
    async fn quarantined(&self, workspace: WorkspaceId) -> StoreResult<Vec<Quarantined>>;

    /// Puts a quarantined event back into its lane and the conversation back to the bot.
    async fn retry(
        &self,
        workspace: WorkspaceId,
        id: Uuid,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()>;

    async fn reconcile_items(&self, workspace: WorkspaceId) -> StoreResult<Vec<ReconcileItem>>;

    async fn reconcile(
        &self,
        workspace: WorkspaceId,
        id: &str,
        verdict: Verdict,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()>;
}
