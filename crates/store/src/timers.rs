//! Timers as operators see them: all that are armed, and one that is not wanted any more.

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

/// Which timers to list; what is none does not matter.
#[derive(Clone, Debug)]
pub struct TimerFilter {
    pub conversation: Option<ConversationId>,
    /// Those after this one.
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

    /// Cancels an armed timer. A turn that is about to fire it runs again without it.
    async fn cancel_timer(
        &self,
        workspace: WorkspaceId,
        id: TimerId,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()>;
}
