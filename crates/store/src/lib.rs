//! The store's ports, one trait per noun, and the contract every store passes.
//!
//! All writes are whole transactions named by a [`Point`]; a caller never sees half of one.

mod attention;
#[cfg(feature = "contract")]
pub mod contract;
mod conversations;
mod deeds;
mod drafts;
mod error;
pub mod fair;
mod fault;
mod handoffs;
mod inbox;
mod journal;
mod keys;
mod lanes;
mod ledger;
mod live;
mod media;
mod memory;
mod orders;
mod outbox;
mod packs;
mod records;
mod schema;
mod setup;
mod signals;
pub mod sql;
mod takeover;
mod timers;
mod turns;

pub use attention::{
    Attention, AttentionFilter, Quarantined, ReconcileItem, ReconcileKind, ReconcilePlace,
    Resolution,
};
pub use conversations::{
    ConversationFilter, Conversations, Delivery, Echoed, FEW_LINES, GiveBack, LastLine, Line,
    LinePlace, Listing, PhoneEcho, Said, SentLine, SessionSummary, Summary, Transcript, TurnDetail,
    TurnStep,
};
pub use deeds::Deeds;
pub use drafts::Drafts;
pub use error::{StoreError, StoreResult};
pub use fault::{Outside, Point, When, hit, hit_outside};
pub use handoffs::{HandoffFilter, Handoffs, OpenHandoff};
pub use inbox::{Accepted, Arrival, Deleted, Inbox, Pruned, Renamed, Stored, Unreadable};
pub use journal::{Charged, Intent, Journal, KeptText, Read};
pub use keys::{ApiKey, KeyRole, Keys, StoredKey};
pub use lanes::{Attempts, Claim, LaneWork, Lanes, Lease, OpenTurn, Room};
pub use ledger::{LedgerLine, Spent};
pub use live::{Live, LiveEvent, LiveId, LiveKind, News, NoPlace};
pub use media::{
    ErrorBudget, Kept, MediaClaim, MediaEnd, MediaJob, MediaJobs, MediaRow, MediaStatus,
};
pub use memory::MemoryRecords;
pub use orders::{OrderFilter, Orders, StockLevel};
pub use outbox::{Clearance, Outbox, SendOutcome, SendRules};
pub use packs::{Packs, StoredPack};
pub use records::{Deed, DeedError, Posting, Records};
pub use schema::{Migration, SCHEMA_VERSION, pending_migrations};
pub use setup::{Durability, Setup, Stats};
pub use signals::Signals;
pub use takeover::{TAKEOVER_WISH_MS, take_over, when_clear};
pub use timers::{ArmedTimer, TimerFilter, Timers};
pub use turns::{Notice, SessionWrite, TurnCommit, Turns};

macro_rules! ports {
    ($($port:ident)*) => {
        /// Everything a node asks of its database.
        pub trait Store: $($port +)* Send + Sync {}

        impl<S> Store for S where S: $($port +)* Send + Sync {}
    };
}

ports! {
    Setup Packs Inbox MediaJobs Lanes Journal Spent Turns Drafts Outbox Orders Deeds Conversations
    Handoffs Attention Timers Keys Live
}
