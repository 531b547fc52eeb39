//! Taking a conversation over: whatever of the bot is on its way arrives first, and nothing begins
//! meanwhile.

use std::time::Duration;

use domain::{Clock, ConversationId, WorkspaceId};

use crate::{Store, StoreError, StoreResult};

/// How long the bot is held back for somebody who wants the conversation and does not ask again.
pub const TAKEOVER_WISH_MS: i64 = 30_000;

const PAUSE: Duration = Duration::from_millis(50);

/// Makes a person the owner, as soon as no message of the bot is on its way. That is at the latest
/// when the lease of whoever sends it has run out: from then on its holder sends nothing.
pub async fn take_over(
    store: &dyn Store,
    clock: &dyn Clock,
    workspace: WorkspaceId,
    conversation: ConversationId,
    by: &str,
) -> StoreResult<()> {
    when_clear(|| store.take(workspace, conversation, by, clock.now())).await
}

/// Repeats an act until nothing of the bot is on its way.
pub async fn when_clear<T, F>(act: impl Fn() -> F) -> StoreResult<T>
where
    F: Future<Output = StoreResult<T>>,
{
    loop {
        match act().await {
            Err(StoreError::OnItsWay) => tokio::time::sleep(PAUSE).await,
            result => return result,
        }
    }
}
