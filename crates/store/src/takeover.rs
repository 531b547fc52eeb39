//! Taking a conversation over: a message of the bot on its way arrives first, and no other begins
//! meanwhile.

use std::time::Duration;

use domain::{Clock, ConversationId, WorkspaceId};

use crate::{Store, StoreError, StoreResult};

/// How long the bot is held back for an operator who wants the conversation and does not ask again.
pub const TAKEOVER_WISH_MS: i64 = 30_000;

const PAUSE: Duration = Duration::from_millis(50);

/// Makes a person the owner, as soon as no message of the bot is on its way: at the latest when its
/// sender's lease has run out, because from then on that holder sends nothing.
pub async fn take_over(
    store: &dyn Store,
    clock: &dyn Clock,
    workspace: WorkspaceId,
    conversation: ConversationId,
    by: &str,
) -> StoreResult<()> {
    when_clear(|| store.take(workspace, conversation, by, clock.now())).await
}

/// Repeats an act until no message of the bot is on its way.
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
