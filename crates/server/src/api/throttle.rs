//! Wrong keys are counted per caller and key, so that guessing takes for ever and nobody is locked
//! out by another's mistakes.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

use domain::{KeyId, Timestamp};

/// Wrong keys at once before a caller has to wait.
const BURST: i64 = 10;
/// One more is allowed this often.
const REFILL_MS: i64 = 6_000;
/// Callers remembered; those who may try freely again are forgotten first.
const CALLERS: usize = 10_000;

/// Who tries which key; none if it did not even look like one.
pub(super) type Attempt = (IpAddr, Option<KeyId>);

/// For each attempt, when all of its tries are allowed again.
#[derive(Default)]
pub(crate) struct Throttle(Mutex<HashMap<Attempt, Timestamp>>);

impl Throttle {
    /// How many seconds to wait, if this one has to.
    pub(super) fn wait_s(&self, attempt: Attempt, now: Timestamp) -> Option<u64> {
        let full_at = *self.lock().get(&attempt)?;
        let over = full_at.since_ms(now) - (BURST - 1) * REFILL_MS;
        (over > 0).then(|| u64::try_from(over).unwrap_or(0).div_ceil(1_000))
    }

    pub(super) fn failed(&self, attempt: Attempt, now: Timestamp) {
        let mut callers = self.lock();
        if callers.len() >= CALLERS {
            callers.retain(|_, full_at| *full_at > now);
        }
        if callers.len() < CALLERS || callers.contains_key(&attempt) {
            let full_at = callers.entry(attempt).or_insert(now);
            *full_at = (*full_at).max(now).plus_ms(REFILL_MS);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Attempt, Timestamp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whoever has one address of IPv6 has its whole network.
pub(super) fn caller(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(six) => match six.to_ipv4_mapped() {
            Some(four) => IpAddr::V4(four),
            None => IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() >> 64 << 64)),
        },
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_780_000_000_000 + ms)
    }

    fn from(address: &str, key: u128) -> Attempt {
        (caller(address.parse().unwrap()), Some(KeyId(Uuid::from_u128(key))))
    }

    #[test]
    fn ten_wrong_keys_are_forgiven_and_then_one_in_six_seconds() {
        let (throttle, ana) = (Throttle::default(), from("10.0.0.1", 1));
        for _ in 0..10 {
            assert_eq!(throttle.wait_s(ana, at(0)), None);
            throttle.failed(ana, at(0));
        }
        assert_eq!(throttle.wait_s(ana, at(0)), Some(6));
        assert_eq!(throttle.wait_s(ana, at(5_999)), Some(1));
        assert_eq!(throttle.wait_s(ana, at(6_000)), None);
        throttle.failed(ana, at(6_000));
        assert_eq!(throttle.wait_s(ana, at(6_000)), Some(6));
        for other in [from("10.0.0.2", 1), from("10.0.0.1", 2)] {
            assert_eq!(throttle.wait_s(other, at(6_000)), None, "that is none of theirs");
        }
        assert_eq!(throttle.wait_s(ana, at(100_000)), None);
    }

    #[test]
    fn a_network_of_ipv6_is_one_caller_and_a_mapped_address_is_itself() {
        assert_eq!(from("2001:db8::1", 1), from("2001:db8::ffff:1:2", 1));
        assert_ne!(from("2001:db8::1", 1), from("2001:db8:0:1::1", 1));
        assert_eq!(from("::ffff:10.0.0.1", 1), from("10.0.0.1", 1));
        assert_ne!(from("::ffff:10.0.0.1", 1), from("10.0.0.2", 1));
    }

    #[test]
    fn a_flood_of_callers_fills_no_memory() {
        let throttle = Throttle::default();
        for key in 0..20_000 {
            throttle.failed(from("10.0.0.1", key), at(0));
        }
        assert_eq!(throttle.lock().len(), CALLERS);
        throttle.failed(from("10.0.0.1", 99_999), at(REFILL_MS));
        assert_eq!(throttle.lock().len(), 1, "those who may try again are forgotten");
    }
}
