//! Why a store operation did not happen, and whether repeating it is safe.

use thiserror::Error;

pub type StoreResult<T> = Result<T, StoreError>;

#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// Nothing is known to have been written; the same call may be made again later.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// Too much is already waiting to be written; nothing was taken.
    #[error("the database is busy: its queue is full")]
    Busy,
    /// A message of the bot is leaving just now; whoever asked is next, and asks again in a moment.
    #[error("a message of the bot is on its way")]
    OnItsWay,
    /// Another node holds the lane now; whoever sees this must stop acting for it.
    #[error("the lane is held by another node")]
    LaneLost,
    /// The session or the conversation's owner changed since it was read; read again.
    #[error("the session changed while the turn ran")]
    VersionConflict,
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The operation does not apply to what is stored; nothing was changed.
    #[error("{0}")]
    Refused(String),
    /// The database cannot be used as it is; repeating will not help.
    #[error("{0}")]
    Unusable(String),
}

impl StoreError {
    /// Whether waiting may cure it.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Busy | Self::OnItsWay)
    }
}
