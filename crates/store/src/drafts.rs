//! Drafts: what a turn is about to say, stored before anybody is shown it.

use async_trait::async_trait;
use domain::{ConversationId, Timestamp, TurnId, WorkspaceId};

use crate::{Lease, StoreResult};

#[async_trait]
pub trait Drafts {
    /// Puts what the turn has written so far in place of what was there; nothing once the
    /// conversation's owner is not the one that the turn has read. The turn's commit and a takeover
    /// clear it away.
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
