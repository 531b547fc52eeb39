//! Whom a tool acts for, and by whose word.

use crate::{Consent, ContactId, ConversationId, SessionId, WorkspaceId};

/// The customer whom a tool acts for. All of it comes from the engine, so no input can name somebody
/// else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    pub workspace: WorkspaceId,
    pub conversation: ConversationId,
    pub contact: ContactId,
    pub session: SessionId,
    pub authority: Authority,
}

/// By whose word a tool acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// A turn in which the customer agreed to nothing that was shown.
    Turn,
    /// A turn whose messages are the customer's yes to what an earlier turn showed.
    Agreed(Consent),
    /// A person of the business, who needs no yes and answers in the audit log.
    Person,
}
