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
    /// One contact on one channel.
    ConversationId;
    /// One agent's 24 h stretch of a conversation.
    SessionId;
    /// One arrival in the inbox.
    EventId;
    /// One processing of waiting events.
    TurnId;
    /// One message on its way out; also the client reference the provider reports back.
    OutboundId;
    /// One armed timer.
    TimerId;
    /// One running process.
    NodeId;
}

impl WorkspaceId {
    /// A workspace is named in the configuration; every node derives the same id from that name,
    /// so that the tenant key is known before the first row is read.
    pub fn from_slug(slug: &str) -> Self {
        const NAMESPACE: Uuid = Uuid::from_u128(0x5b1c_2d5e_9a57_4c55_8f0e_7265_6361_646f);
        Self(Uuid::new_v5(&NAMESPACE, slug.as_bytes()))
    }
}

/// Where new ids come from. Given by parameter, so that a simulation repeats by its seed.
pub trait IdSource: Send + Sync {
    fn next(&self) -> Uuid;
}

/// UUIDv7 from a clock and the operating system's randomness.
pub struct SystemIds<C>(pub C);

impl<C: Clock> IdSource for SystemIds<C> {
    fn next(&self) -> Uuid {
        let millis = self.0.now().millis().max(0).unsigned_abs();
        let timestamp = uuid::Timestamp::from_unix(
            uuid::NoContext,
            millis / 1000,
            u32::try_from(millis % 1000).unwrap_or(0) * 1_000_000,
        );
        Uuid::new_v7(timestamp)
    }
}

/// UUIDv7-shaped ids that depend only on a clock and a seed.
pub struct SeededIds<C> {
    clock: C,
    state: AtomicU64,
}

impl<C: Clock> SeededIds<C> {
    pub fn new(clock: C, seed: u64) -> Self {
        Self { clock, state: AtomicU64::new(seed) }
    }

    // SplitMix64: every call moves the state by a constant, so concurrent callers never share one.
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
        let mut random = [0; 10];
        random[..8].copy_from_slice(&self.random().to_be_bytes());
        random[8..].copy_from_slice(&self.random().to_be_bytes()[..2]);
        let millis = self.clock.now().millis().max(0).unsigned_abs();
        uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
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
    fn a_workspace_id_depends_on_its_name_alone() {
        assert_eq!(WorkspaceId::from_slug("demo"), WorkspaceId::from_slug("demo"));
        assert_ne!(WorkspaceId::from_slug("demo"), WorkspaceId::from_slug("otra"));
    }
}
