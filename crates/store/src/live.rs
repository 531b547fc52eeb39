//! Live events: the news for operators, each once and in order.

use std::fmt;
use std::str::FromStr;

use async_trait::async_trait;
use domain::{ConversationId, Timestamp, WorkspaceId};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::StoreResult;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The kind of a live event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum LiveKind { $($(#[$doc])* #[serde(rename = $name)] $variant,)* }

        impl LiveKind {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.as_str() == text)
            }
        }
    };
}

kinds! {
    /// A turn was committed: the arrivals were noted or answered.
    Turn = "turn",
    /// A turn failed too often, and its events were quarantined.
    Quarantined = "quarantined",
    /// Quarantined events were put back.
    Retried = "retried",
    /// A person took the conversation over.
    Taken = "taken",
    /// The bot owns the conversation again.
    Returned = "returned",
    /// An operator wrote in the conversation.
    Said = "said",
    /// A conversation waits for a person.
    NewHandoff = "new_handoff",
    HandoffAssigned = "handoff_assigned",
    HandoffResolved = "handoff_resolved",
    /// A message's delivery went on, or failed.
    Delivery = "delivery",
    NewOrder = "new_order",
    OrderChanged = "order_changed",
    /// A person settled a reconcile item.
    Reconciled = "reconciled",
    TimerCancelled = "timer_cancelled",
    /// A key to the API ended.
    KeyRevoked = "key_revoked",
}

/// An event's place among a workspace's: later ones compare greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LiveId {
    /// The transaction that wrote the event, where transactions may commit in another order than
    /// they number their rows in; else 0.
    pub xid: i64,
    pub seq: i64,
}

impl fmt::Display for LiveId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.xid {
            0 => write!(f, "{}", self.seq),
            xid => write!(f, "{xid}.{}", self.seq),
        }
    }
}

/// The error for a text that is no event's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPlace;

impl FromStr for LiveId {
    type Err = NoPlace;

    fn from_str(text: &str) -> Result<Self, NoPlace> {
        let number = |text: &str| match text.parse() {
            Ok(number) if number >= 0 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Ok(number)
            }
            _ => Err(NoPlace),
        };
        match text.split_once('.') {
            Some((xid, seq)) => Ok(Self { xid: number(xid)?, seq: number(seq)? }),
            None => Ok(Self { xid: 0, seq: number(text)? }),
        }
    }
}

impl Serialize for LiveId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveEvent {
    pub id: LiveId,
    pub kind: LiveKind,
    pub conversation: Option<ConversationId>,
    /// The id of the subject: a turn, a message, an order.
    pub subject: String,
    pub at: Timestamp,
    /// A few facts; never a customer's words or name.
    pub payload: Value,
}

/// The events that a reader has not had yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct News {
    /// Oldest first.
    pub events: Vec<LiveEvent>,
    /// Where to go on.
    pub next: LiveId,
    /// More events follow than the limit allowed.
    pub more: bool,
    /// Events were pruned before the reader came for them: it must read everything again.
    pub missed: bool,
    /// More events are committed, and can be told soon: when no event can appear before them any
    /// more.
    pub soon: bool,
}

#[async_trait]
pub trait Live {
    /// At most `limit` events after a place.
    async fn live_after(
        &self,
        workspace: WorkspaceId,
        after: LiveId,
        limit: u32,
    ) -> StoreResult<News>;

    /// A place before all events still to happen.
    async fn live_end(&self, workspace: WorkspaceId) -> StoreResult<LiveId>;

    /// Deletes some of the oldest events from before `before`; returns how many.
    async fn prune_live(&self, workspace: WorkspaceId, before: Timestamp) -> StoreResult<u64>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_is_written_and_nothing_else_is_one() {
        for place in [LiveId { xid: 0, seq: 17 }, LiveId { xid: 7, seq: 9 }, LiveId::default()] {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        assert_eq!(LiveId { xid: 0, seq: 17 }.to_string(), "17");
        assert_eq!(LiveId { xid: 7, seq: 9 }.to_string(), "7.9");
        for text in ["", ".", "1.", ".1", "-1", "+1", "1.2.3", "x", "1.-2", "99999999999999999999"]
        {
            assert_eq!(text.parse::<LiveId>(), Err(NoPlace), "{text}");
        }
    }

    #[test]
    fn a_kind_is_read_as_it_is_written() {
        for kind in LiveKind::ALL {
            assert_eq!(LiveKind::parse(kind.as_str()), Some(*kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }
}
