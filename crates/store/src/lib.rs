//! The store's ports, one trait per noun, and the contract every store passes.
//!
//! All writes are whole transactions named by a [`Point`]; a caller never sees half of one.

mod attention;
#[cfg(feature = "contract")]
pub mod contract;
mod conversations;
mod drafts;
mod error;
mod fault;
mod handoffs;
mod inbox;
mod journal;
mod lanes;
mod ledger;
mod media;
mod orders;
mod outbox;
mod packs;
mod records;
mod schema;
mod setup;
mod signals;
pub mod sql;
mod takeover;
mod turns;

pub use attention::{Attention, Quarantined, ReconcileItem, ReconcileKind, Verdict};
pub use conversations::{
    Conversations, Echoed, GiveBack, Line, PhoneEcho, Said, SentLine, Summary, Transcript,
};
pub use drafts::Drafts;
pub use error::{StoreError, StoreResult};
pub use fault::{Outside, Point, When, hit, hit_outside};
pub use handoffs::{HandoffFilter, Handoffs, OpenHandoff};
pub use inbox::{Accepted, Arrival, Deleted, Inbox, Unreadable};
pub use journal::{Charged, Effect, Intent, Journal};
pub use lanes::{Attempts, LaneWork, Lanes, Lease, OpenTurn};
pub use ledger::{LedgerLine, Spent};
pub use media::{
    ErrorBudget, Kept, MediaClaim, MediaEnd, MediaJob, MediaJobs, MediaRow, MediaStatus,
};
pub use orders::Orders;
pub use outbox::{Outbox, SendOutcome, SendRules, Settlement};
pub use packs::{Packs, StoredPack};
pub use records::{Deed, DeedError, Posting, Records};
pub use schema::{Migration, SCHEMA_VERSION, pending_migrations};
pub use setup::{Durability, Setup, Stats};
pub use signals::Signals;
pub use takeover::{TAKEOVER_WISH_MS, take_over, when_clear};
pub use turns::{Notice, SessionWrite, TurnCommit, Turns};

/// Everything a node asks of its database.
pub trait Store:
    Setup
    + Packs
    + Inbox
    + MediaJobs
    + Lanes
    + Journal
    + Spent
    + Turns
    + Drafts
    + Outbox
    + Orders
    + Conversations
    + Handoffs
    + Attention
    + Send
    + Sync
{
}

impl<S> Store for S where
    S: Setup
        + Packs
        + Inbox
        + MediaJobs
        + Lanes
        + Journal
        + Spent
        + Turns
        + Drafts
        + Outbox
        + Orders
        + Conversations
        + Handoffs
        + Attention
        + Send
        + Sync
{
}
