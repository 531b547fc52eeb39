//! Drafts: a turn's text so far, stored before anybody is shown it.

use async_trait::async_trait;
use domain::{ConversationId, Timestamp, TurnId, WorkspaceId};

use crate::{Lease, StoreResult};

#[async_trait]
pub trait Drafts {
    /// Replaces the conversation's draft with the turn's text so far; does nothing once the
    /// conversation's owner is not the one that the turn has read. The turn's commit and a takeover
    /// clear the draft.
    async fn put_draft(
        &self,
        lease: Lease,
        turn: TurnId,
        read_epoch: i64,
        text: &str,
        now: Timestamp,
    ) -> StoreResult<()>;

    async fn draft(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> StoreResult<Option<String>>;
}
