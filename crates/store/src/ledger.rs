//! The ledger of model calls: the spending before a turn, and the calls it went to.

use async_trait::async_trait;
use domain::{
    Caller, ConversationId, Cost, ModelCall, SessionId, Spending, StepKey, Timestamp, TurnId,
    WorkspaceId,
};
use serde::Serialize;

use crate::StoreResult;

/// An attempt at a model call, and the step it was made for.
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
    /// The spending of the caller's session, which began then, and of the contact before the turn
    /// under way, `except`, whose own calls do not count: the turn, when it is run again, must find
    /// the same sums. The sum of a day begins with `since`.
    async fn spending(
        &self,
        caller: Caller,
        began: Timestamp,
        except: TurnId,
        since: Timestamp,
    ) -> StoreResult<Spending>;

    /// The spending of a whole workspace since then, without the turn under way. This reads every
    /// call of that time.
    async fn spent_by_all(
        &self,
        workspace: WorkspaceId,
        except: TurnId,
        since: Timestamp,
    ) -> StoreResult<Cost>;

    /// The spending of a whole workspace in each minute from the first to before the last, by the
    /// number of the minute; a minute without spending is left out.
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
