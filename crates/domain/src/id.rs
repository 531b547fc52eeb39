//! Typed ids over UUIDv7, and the injected sources that make them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Clock;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }
    )*};
}

ids! {
    /// A tenant.
    WorkspaceId;
    /// A customer of a workspace.
    ContactId;
    /// A contact on a channel.
    ConversationId;
    /// An agent's 24 h stretch of a conversation.
    SessionId;
    /// An arrival in the inbox.
    EventId;
    /// A processing of waiting events.
    TurnId;
    /// A message on its way out; also the client reference the provider reports back.
    OutboundId;
    /// An armed timer.
    TimerId;
    /// An order of a contact's.
    OrderId;
    /// A payment for an order.
    PaymentId;
    /// A request for a person.
    HandoffId;
    /// A key to the operators' API.
    KeyId;
    /// A running process.
    NodeId;
}

impl SessionId {
    /// The session that a turn begins: the same whenever the turn is run again.
    pub fn of_turn(turn: TurnId) -> Self {
        Self(Uuid::new_v5(&turn.0, b"session"))
    }
}

impl WorkspaceId {
    /// The id of a workspace named in the configuration. Every node derives the same id from that
    /// name, so that the tenant key is known before the first row is read.
    pub fn from_slug(slug: &str) -> Self {
        const NAMESPACE: Uuid = Uuid::from_u128(0x5b1c_2d5e_9a57_4c55_8f0e_7265_6361_646f);
        Self(Uuid::new_v5(&NAMESPACE, slug.as_bytes()))
    }
}

/// A source of new ids, given by parameter, so that a simulation repeats by its seed.
pub trait IdSource: Send + Sync {
    fn next(&self) -> Uuid;
}

/// Ids of one source rise, also within a millisecond, so that ordering by id is ordering by
/// arrival.
#[derive(Default)]
struct Rising(AtomicU64);

impl Rising {
    const COUNTER_BITS: u32 = 18;

    /// A UUIDv7: the time, a counter within it, and `tail`.
    fn id(&self, millis: i64, tail: [u8; 7]) -> Uuid {
        let start = millis.max(0).unsigned_abs() << Self::COUNTER_BITS;
        let rise = |last: u64| Some(start.max(last + 1));
        let last = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, rise).unwrap_or(start);
        let next = start.max(last + 1);
        let counter = next & ((1 << Self::COUNTER_BITS) - 1);
        let mut random = [0; 10];
        // Twelve bits stand before the variant's two, six after them.
        random[..2].copy_from_slice(&((counter >> 6) as u16).to_be_bytes());
        random[2] = (counter & 0x3f) as u8;
        random[3..].copy_from_slice(&tail);
        uuid::Builder::from_unix_timestamp_millis(next >> Self::COUNTER_BITS, &random).into_uuid()
    }
}

/// UUIDv7 from a clock and the operating system's randomness.
pub struct SystemIds<C> {
    clock: C,
    rising: Rising,
}

impl<C: Clock> SystemIds<C> {
    pub fn new(clock: C) -> Self {
        Self { clock, rising: Rising::default() }
    }
}

impl<C: Clock> IdSource for SystemIds<C> {
    fn next(&self) -> Uuid {
        let timestamp = uuid::Timestamp::from_unix(uuid::NoContext, 0, 0);
        let mut tail = [0; 7];
        tail.copy_from_slice(&Uuid::new_v7(timestamp).as_bytes()[9..]);
        self.rising.id(self.clock.now().millis(), tail)
    }
}

/// Ids that depend only on a clock and a seed.
pub struct SeededIds<C> {
    clock: C,
    rising: Rising,
    state: AtomicU64,
}

impl<C: Clock> SeededIds<C> {
    pub fn new(clock: C, seed: u64) -> Self {
        Self { clock, rising: Rising::default(), state: AtomicU64::new(seed) }
    }

    // SplitMix64, because every call moves the state by a constant, so concurrent callers never
    // share one.
    fn random(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut z = self.state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl<C: Clock> IdSource for SeededIds<C> {
    fn next(&self) -> Uuid {
        let mut tail = [0; 7];
        tail.copy_from_slice(&self.random().to_be_bytes()[..7]);
        self.rising.id(self.clock.now().millis(), tail)
    }
}

impl<S: IdSource + ?Sized> IdSource for Arc<S> {
    fn next(&self) -> Uuid {
        (**self).next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Timestamp, VirtualClock};

    #[test]
    fn the_same_seed_gives_the_same_ids_and_another_seed_others() {
        let clock = VirtualClock::at(Timestamp::from_millis(1_700_000_000_000));
        let ids = |seed| {
            let source = SeededIds::new(clock.clone(), seed);
            (0..100).map(|_| source.next()).collect::<Vec<_>>()
        };
        assert_eq!(ids(7), ids(7));
        assert_ne!(ids(7), ids(8));
        assert!(ids(7).iter().all(|id| id.get_version_num() == 7));
    }

    #[test]
    fn ids_of_one_source_rise_even_while_the_clock_stands_still() {
        let clock = VirtualClock::at(Timestamp::from_millis(1_700_000_000_000));
        let seeded = SeededIds::new(clock.clone(), 7);
        let system = SystemIds::new(clock);
        for source in [&seeded as &dyn IdSource, &system] {
            let ids: Vec<_> = (0..300_000).map(|_| source.next()).collect();
            assert!(ids.is_sorted_by(|earlier, later| earlier < later));
            assert!(ids.iter().all(|id| id.get_version_num() == 7));
        }
    }

    #[test]
    fn a_workspace_id_depends_on_its_name_alone() {
        assert_eq!(WorkspaceId::from_slug("demo"), WorkspaceId::from_slug("demo"));
        assert_ne!(WorkspaceId::from_slug("demo"), WorkspaceId::from_slug("otra"));
    }
}
