//! Timers as operators see them: the list of armed ones, and cancelling one.

use async_trait::async_trait;
use domain::{ConversationId, Timer, TimerId, Timestamp, WorkspaceId};
use serde::Serialize;

use crate::StoreResult;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArmedTimer {
    pub conversation: ConversationId,
    #[serde(flatten)]
    pub timer: Timer,
}

/// The timers to list; a field that is `None` does not matter.
#[derive(Clone, Debug)]
pub struct TimerFilter {
    pub conversation: Option<ConversationId>,
    /// Timers after this place.
    pub after: Option<(Timestamp, TimerId)>,
    pub limit: u32,
}

#[async_trait]
pub trait Timers {
    /// Soonest first.
    async fn armed(
        &self,
        workspace: WorkspaceId,
        filter: &TimerFilter,
    ) -> StoreResult<Vec<ArmedTimer>>;

    /// Cancels an armed timer. A turn that is about to fire it conflicts and runs again without it.
    async fn cancel_timer(
        &self,
        workspace: WorkspaceId,
        id: TimerId,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()>;
}
