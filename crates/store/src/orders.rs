//! Orders as they are read; they are written as effects of steps.

use async_trait::async_trait;
use domain::{ConversationId, Order, WorkspaceId};

use crate::StoreResult;

#[async_trait]
pub trait Orders {
    /// A conversation's orders, newest first.
    async fn orders(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> StoreResult<Vec<Order>>;
}
