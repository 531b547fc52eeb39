//! Why a store operation did not happen, and whether repeating it is safe.

use thiserror::Error;

pub type StoreResult<T> = Result<T, StoreError>;

#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// Nothing is known to have been written; the same call may be made again later.
    #[error("the database is not available; the same call may be repeated later: {0}")]
    Unavailable(String),
    /// Too much is already waiting to be written; nothing was taken.
    #[error("the database is busy: nothing was taken, repeat the call in a moment")]
    Busy,
    /// A message of the bot is being sent just now; the caller is next, and repeats the call in a
    /// moment.
    #[error("a message of the bot is being sent: nothing was changed, repeat the call in a moment")]
    OnItsWay,
    /// Another node holds the lane now; a caller that gets this must stop acting for the lane.
    #[error("the lane is held by another node: this node must stop acting for it")]
    LaneLost,
    /// The session or the conversation's owner changed since it was read; read again.
    #[error("the session changed while the turn ran: nothing was written, the turn runs again")]
    VersionConflict,
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The operation does not apply to the stored state; nothing was changed.
    #[error("{0}")]
    Refused(String),
    /// The database cannot be used as it is; repeating will not help.
    #[error("{0}")]
    Unusable(String),
}

impl StoreError {
    /// Whether waiting may cure the error.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Busy | Self::OnItsWay)
    }
}
