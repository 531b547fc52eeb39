//! Handoffs: the conversations that wait for a person, their assignees, and how each ended.

use async_trait::async_trait;
use domain::{ConversationId, HandoffId, HandoffRequest, HandoffStatus, Timestamp, WorkspaceId};

use crate::StoreResult;

/// The handoffs to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoffFilter {
    /// `None` lists handoffs of every status.
    pub status: Option<HandoffStatus>,
    /// Only those assigned to this person.
    pub assignee: Option<String>,
    /// The last handoff of the page before.
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
    /// The sentence for a customer who writes meanwhile, unless it was sent already.
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

    /// The open handoff; a conversation has at most one.
    async fn open_handoff(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> StoreResult<Option<OpenHandoff>>;

    /// Assigns the handoff. A conversation that an operator has taken passes to the assignee; a
    /// conversation that nobody has taken can still be taken by anybody.
    async fn assign_handoff(
        &self,
        workspace: WorkspaceId,
        id: HandoffId,
        by: &str,
        to: &str,
        now: Timestamp,
    ) -> StoreResult<()>;

    /// Resolves the handoff; the conversation stays with people until it is given back.
    async fn resolve_handoff(
        &self,
        workspace: WorkspaceId,
        id: HandoffId,
        by: &str,
        resolution: &str,
        now: Timestamp,
    ) -> StoreResult<()>;
}
