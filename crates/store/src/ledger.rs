//! The ledger of model calls: what was spent before a turn, and on what.

use async_trait::async_trait;
use domain::{
    ContactId, ConversationId, Cost, ModelCall, SessionId, Spending, StepKey, Timestamp, TurnId,
    WorkspaceId,
};
use serde::Serialize;

use crate::StoreResult;

/// One attempt at a model call, and the step it was made for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LedgerLine {
    pub at: Timestamp,
    pub session: SessionId,
    pub turn: TurnId,
    pub step: StepKey,
    #[serde(flatten)]
    pub call: ModelCall,
}

#[async_trait]
pub trait Spent {
    /// What was spent before the turn under way, `except`, whose own calls do not count: run again,
    /// it must find what it found. The sum of a day begins with `since`.
    async fn spending(
        &self,
        workspace: WorkspaceId,
        session: SessionId,
        contact: ContactId,
        except: TurnId,
        since: Timestamp,
    ) -> StoreResult<Spending>;

    /// What a whole workspace has spent since then, without the turn under way. It reads every call
    /// of that time.
    async fn spent_by_all(
        &self,
        workspace: WorkspaceId,
        except: TurnId,
        since: Timestamp,
    ) -> StoreResult<Cost>;

    /// Sums a whole workspace spent in each minute from the first to before the last, by the number
    /// of the minute; nothing for those in which it spent nothing.
    async fn spent_by_minute(
        &self,
        workspace: WorkspaceId,
        first: Timestamp,
        last: Timestamp,
    ) -> StoreResult<Vec<(i64, Cost)>>;

    /// The last `limit` calls of a conversation, newest first.
    async fn ledger(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        limit: u32,
    ) -> StoreResult<Vec<LedgerLine>>;
}
