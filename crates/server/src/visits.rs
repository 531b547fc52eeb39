//! How much visitors do: messages by visitor and address, new conversations by address and channel.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{ChannelId, Gcra, Rate, Timestamp, VisitLimits};

use crate::newcomers::Newcomers;
use crate::peer::Peer;
use crate::remembered::Remembered;
use crate::visitor::Visitor;

/// Of each sort, how many are counted at once; those who may do all again are forgotten first.
const COUNTED: usize = 100_000;
/// How often that is looked at, at most.
const FORGET_MS: i64 = 1_000;
/// A page reads its history when it is opened and when it was cut off: more often than this for each message
/// that may be said nobody needs to.
const READS_PER_MESSAGE: u32 = 2;
/// Visitors remembered to have a conversation.
const REMEMBERED: usize = 50_000;

/// Why somebody has to wait, and for how many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// They have said too much, or those at their address have.
    Messages(u64),
    /// Too many conversations begin.
    Beginnings(u64),
    /// They, or those at their address, read their history over and over.
    Reads(u64),
}

#[derive(Default)]
pub(crate) struct Visits {
    limits: Option<VisitLimits>,
    visitors: Counts<Visitor>,
    addresses: Counts<IpAddr>,
    readers: Counts<Visitor>,
    reading_at: Counts<IpAddr>,
    new_at: Counts<IpAddr>,
    /// Of a channel's figure, the half that is for whoever comes first.
    new_in: Counts<ChannelId>,
    /// The other half, for networks from which nobody has begun within a minute, each in its turn: strangers
    /// who use up the first half keep nobody else out.
    newcomers: Newcomers,
    networks: Counts<(ChannelId, IpAddr)>,
    known: Mutex<Remembered<Visitor, REMEMBERED>>,
}

impl Visits {
    pub(crate) fn new(limits: Option<VisitLimits>) -> Self {
        Self { limits, ..Self::default() }
    }

    pub(crate) fn are_limited(&self) -> bool {
        self.limits.is_some()
    }

    /// Counts a message, or says how long to wait with it.
    pub(crate) fn says(&self, visitor: Visitor, peer: Peer, now: Timestamp) -> Result<(), Wait> {
        let Some(limits) = self.limits else { return Ok(()) };
        self.visitors.count(visitor, limits.messages_per_visitor, now).map_err(Wait::Messages)?;
        self.addresses.count(peer.0, limits.messages_per_address, now).map_err(Wait::Messages)
    }

    /// Counts a look at the history, or says how long to wait with it.
    pub(crate) fn reads(&self, visitor: Visitor, peer: Peer, now: Timestamp) -> Result<(), Wait> {
        let Some(limits) = self.limits else { return Ok(()) };
        let each = |messages: u32| messages.saturating_mul(READS_PER_MESSAGE);
        let (visitors, addresses) =
            (each(limits.messages_per_visitor), each(limits.messages_per_address));
        self.readers.count(visitor, visitors, now).map_err(Wait::Reads)?;
        self.reading_at.count(peer.0, addresses, now).map_err(Wait::Reads)
    }

    /// Counts a new conversation, or says how long to wait with it.
    pub(crate) fn begins(
        &self,
        channel: &ChannelId,
        peer: Peer,
        now: Timestamp,
    ) -> Result<(), Wait> {
        let Some(limits) = self.limits else { return Ok(()) };
        let wait = Wait::Beginnings;
        self.new_at.count(peer.0, limits.new_per_address, now).map_err(wait)?;
        let elsewhere = limits.new_per_channel / 2;
        let first = limits.new_per_channel - elsewhere;
        let network = (channel.clone(), network_of(peer.0));
        if let Err(seconds) = self.new_in.count(channel.clone(), first, now) {
            if elsewhere == 0 {
                return Err(wait(seconds));
            }
            let rested = self.networks.next(&network, 1, now);
            let turn = self.newcomers.take(channel, network.1, elsewhere, rested, now);
            turn.map_err(wait)?;
        }
        // Whether it is their first in this minute matters to the next one only.
        let _ = self.networks.count(network, 1, now);
        Ok(())
    }

    /// Whether they are known to have a conversation; who is not may have one too.
    pub(crate) fn knows(&self, visitor: Visitor) -> bool {
        locked(&self.known).has(&visitor)
    }

    pub(crate) fn remember(&self, visitor: Visitor) {
        locked(&self.known).remember(visitor);
    }
}

/// As many addresses as one holder usually has.
fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() & (u32::MAX << 8)).into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 80)).into(),
    }
}

struct Counts<K>(Mutex<Counted<K>>);

struct Counted<K> {
    each: HashMap<K, Gcra>,
    forgot_at: Timestamp,
}

impl<K> Default for Counts<K> {
    fn default() -> Self {
        let forgot_at = Timestamp::from_millis(0);
        Self(Mutex::new(Counted { each: HashMap::new(), forgot_at }))
    }
}

impl<K: Eq + Hash> Counts<K> {
    /// Counts one, or says how many seconds to wait.
    fn count(&self, key: K, per_minute: u32, now: Timestamp) -> Result<(), u64> {
        let mut counted = locked(&self.0);
        if counted.each.len() >= COUNTED && now.since_ms(counted.forgot_at) > FORGET_MS {
            counted.forgot_at = now;
            counted.each.retain(|_, counter| !counter.is_paid_off(now));
        }
        let next = counted.next(&key, per_minute, now)?;
        // With as many as that the others' counts are what still holds.
        if counted.each.len() < COUNTED || counted.each.contains_key(&key) {
            counted.each.insert(key, next);
        }
        Ok(())
    }

    /// Whether one more would be counted; if not, how many seconds to wait.
    fn next(&self, key: &K, per_minute: u32, now: Timestamp) -> Result<(), u64> {
        locked(&self.0).next(key, per_minute, now).map(drop)
    }
}

impl<K: Eq + Hash> Counted<K> {
    /// The counter after one more; if that is too much, how many seconds to wait.
    fn next(&self, key: &K, per_minute: u32, now: Timestamp) -> Result<Gcra, u64> {
        let mut counter = self.each.get(key).copied().unwrap_or_default();
        match counter.take(Rate::per_minute(per_minute.max(1)), now) {
            Ok(()) => Ok(counter),
            Err(wait) => Err(whole_seconds(wait)),
        }
    }
}

/// The wait that a person is told, in whole seconds.
pub(crate) fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_780_000_000_000 + ms)
    }

    #[test]
    fn a_figure_may_be_used_up_at_once_and_comes_back_over_a_minute() {
        let counts = Counts::default();
        for _ in 0..30 {
            assert_eq!(counts.count("ana", 30, at(0)), Ok(()));
        }
        assert_eq!(counts.count("ana", 30, at(0)), Err(2));
        assert_eq!(counts.count("beto", 30, at(0)), Ok(()), "that is none of theirs");
        assert_eq!(counts.count("ana", 30, at(1_999)), Err(1));
        assert_eq!(counts.count("ana", 30, at(2_000)), Ok(()));
        assert_eq!(counts.count("ana", 30, at(2_000)), Err(2), "a refusal counts for nothing");
        let later = (0..100).filter(|_| counts.count("ana", 30, at(62_000)).is_ok()).count();
        assert_eq!(later, 30);
        assert_eq!(counts.count("ana", 30, at(0)), Err(2), "the clock went back");
    }

    #[test]
    fn strangers_of_a_few_networks_keep_nobody_else_from_beginning() {
        let limits = VisitLimits { new_per_channel: 20, ..VisitLimits::DEFAULT };
        let (visits, web) = (Visits::new(Some(limits)), ChannelId("web".to_owned()));
        let begun = |address: String, ms| {
            visits.begins(&web, Peer(address.parse().unwrap()), at(ms)).is_ok()
        };
        let many = (0..200).filter(|host| begun(format!("203.0.113.{host}"), 0)).count();
        assert_eq!(many, 10, "the half that is for whoever comes first, although each is another");
        let six = (0..200).filter(|host| begun(format!("2001:db8:1:{host}::"), 0)).count();
        assert_eq!(six, 1, "nor has a network of IPv6 more than its one");
        assert!(!begun("2001:db8:1:9::".to_owned(), 1_000));
        assert!(begun("198.51.100.7".to_owned(), 1_000), "from elsewhere");
        assert!(!begun("198.51.100.8".to_owned(), 1_000), "once in a minute");
        let rest = (0..200).filter(|net| begun(format!("10.0.{net}.1"), 1_000)).count();
        assert_eq!(rest, 8, "and no more than there are in all");
        assert!(begun("2001:db8:1:9::".to_owned(), 62_000), "after a minute");
    }

    /// Every network of a crowd tries every second, whatever it is told, and takes what there is.
    #[test]
    fn a_flood_from_four_hundred_networks_costs_a_customer_a_wait_and_not_the_conversation() {
        let visits = Visits::new(Some(VisitLimits::DEFAULT));
        let web = ChannelId("web".to_owned());
        let (mut crowd, mut tried, mut come_at, mut waited) = (0, 0, 90, None);
        for second in 0..400 {
            for network in 0..400_u32 {
                let address = Ipv4Addr::from_bits(0x0a00_0000 + (network << 8) + second % 200);
                let peer = Peer(address.into());
                crowd +=
                    u32::from(visits.begins(&web, peer, at(i64::from(second) * 1_000)).is_ok());
            }
            if second >= come_at && waited.is_none() {
                tried += 1;
                let ana = Peer([198, 51, 100, 7].into());
                match visits.begins(&web, ana, at(i64::from(second) * 1_000)) {
                    Ok(()) => waited = Some(second - 90),
                    Err(Wait::Beginnings(seconds)) => {
                        come_at = second + u32::try_from(seconds).unwrap()
                    }
                    Err(other) => panic!("{other:?}"),
                }
            }
        }
        assert_eq!(tried, 2, "once to be told when, and once then");
        assert!(waited.is_some_and(|seconds| (60..=165).contains(&seconds)), "{waited:?}");
        assert!(crowd <= 300 + 399 * 5, "{crowd}");
    }

    #[test]
    fn a_flood_of_keys_fills_no_memory_and_is_not_searched_at_every_call() {
        let counts = Counts::default();
        for key in 0..COUNTED + 1_000 {
            counts.count(key, 60, at(0)).unwrap();
        }
        assert_eq!(locked(&counts.0).each.len(), COUNTED);
        assert_eq!(locked(&counts.0).forgot_at, at(0));
        counts.count(COUNTED + 5_000, 60, at(2_000)).unwrap();
        assert_eq!(locked(&counts.0).each.len(), 1, "those who may do all again are forgotten");
    }
}
