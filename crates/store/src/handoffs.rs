//! Handoffs: the conversations that wait for a person, who has them, and how each ended.

use async_trait::async_trait;
use domain::{ConversationId, HandoffId, HandoffRequest, HandoffStatus, Timestamp, WorkspaceId};

use crate::StoreResult;

/// Which handoffs to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoffFilter {
    /// None lists those of every status.
    pub status: Option<HandoffStatus>,
    /// Only those assigned to this person.
    pub assignee: Option<String>,
    /// Goes on after a page that ended with this one.
    pub before: Option<HandoffId>,
    pub limit: u32,
}

impl Default for HandoffFilter {
    fn default() -> Self {
        Self { status: None, assignee: None, before: None, limit: 50 }
    }
}

/// The handoff of a conversation that is not resolved, as the engine needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenHandoff {
    pub id: HandoffId,
    pub status: HandoffStatus,
    /// What a customer who writes is to be told, unless somebody has told it.
    pub attending: Option<String>,
}

#[async_trait]
pub trait Handoffs {
    /// Newest first.
    async fn handoffs(
        &self,
        workspace: WorkspaceId,
        filter: HandoffFilter,
    ) -> StoreResult<Vec<HandoffRequest>>;

    async fn handoff(&self, workspace: WorkspaceId, id: HandoffId) -> StoreResult<HandoffRequest>;

    /// A conversation has at most one.
    async fn open_handoff(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> StoreResult<Option<OpenHandoff>>;

    /// Says who is to attend to it. A conversation that somebody has taken passes to that person;
    /// one that nobody has taken stays to be taken.
    async fn assign_handoff(
        &self,
        workspace: WorkspaceId,
        id: HandoffId,
        by: &str,
        to: &str,
        now: Timestamp,
    ) -> StoreResult<()>;

    /// Says how it ended; the conversation stays with people until it is given back.
    async fn resolve_handoff(
        &self,
        workspace: WorkspaceId,
        id: HandoffId,
        by: &str,
        resolution: &str,
        now: Timestamp,
    ) -> StoreResult<()>;
}
