//! Instants in milliseconds, and the injected clock: the system's, or a clock that a caller moves.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch, as stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    pub const fn millis(self) -> i64 {
        self.0
    }

    #[must_use]
    pub const fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// The first whole millisecond at which `wait` is over.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        self.plus_ms(i64::try_from(wait.as_micros().div_ceil(1_000)).unwrap_or(i64::MAX))
    }

    /// How long after `earlier` this is; negative if it is before.
    pub const fn since_ms(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(instant) => write!(f, "{instant:.3}"),
            Err(_) => write!(f, "{}ms", self.0),
        }
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A clock: code learns the time from no other source.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }
}

/// Measures durations: nanoseconds from a start of its own, never back. Nothing is decided by them,
/// so a replay need not repeat them.
pub trait Ticks: Send + Sync {
    fn nanos(&self) -> u64;
}

/// The machine's clock, shifted so that nodes on one database agree with the database.
#[derive(Clone, Default)]
pub struct SystemClock {
    offset_ms: Arc<AtomicI64>,
}

impl SystemClock {
    /// Agrees with a clock that was read within the `took_ms` after `asked` and said `told`. The
    /// offset moves no further than is certain, because a slow answer would otherwise make time
    /// jump, and the next quick answer turn it back, so that messages in between would change
    /// places.
    pub fn agree(&self, asked: Timestamp, took_ms: i64, told: Timestamp) {
        let most = told.since_ms(asked);
        let least = most.saturating_sub(took_ms.max(0));
        let certain = |offset: i64| Some(offset.clamp(least, most));
        // The closure always returns an offset, so this cannot fail.
        let _ = self.offset_ms.fetch_update(Ordering::Relaxed, Ordering::Relaxed, certain);
    }
}

impl Clock for SystemClock {
    // The machine's time is read only here; all other code takes a `Clock`.
    #[expect(clippy::disallowed_methods)]
    fn now(&self) -> Timestamp {
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
        Timestamp(now).plus_ms(self.offset_ms.load(Ordering::Relaxed))
    }
}

/// A clock that stands still until it is moved: for chat, tests and simulation.
#[derive(Clone)]
pub struct VirtualClock(Arc<AtomicI64>);

impl VirtualClock {
    pub fn at(start: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(start.0)))
    }

    pub fn advance_ms(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }

    /// Moves forward to `instant`; never back.
    pub fn advance_to(&self, instant: Timestamp) {
        self.0.fetch_max(instant.0, Ordering::SeqCst);
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_moves_no_further_than_an_answer_makes_certain() {
        let at = Timestamp::from_millis;
        // The time of asking, how long the answer took, the answer, and the offset afterwards.
        let answers = [
            (1_000, 3_000, 3_500, 0),
            (5_000, 10, 5_004, 0),
            (6_000, 10, 8_000, 1_990),
            (7_000, 4_000, 9_500, 1_990),
            (9_000, 20, 10_980, 1_980),
            (9_500, 100, 9_000, -500),
            (9_700, -5, 9_700, 0),
        ];
        let clock = SystemClock::default();
        for (asked, took_ms, told, ahead_ms) in answers {
            clock.agree(at(asked), took_ms, at(told));
            assert_eq!(clock.offset_ms.load(Ordering::Relaxed), ahead_ms, "asked at {asked}");
        }
    }

    #[test]
    fn a_virtual_clock_moves_only_forward_and_only_when_told() {
        let clock = VirtualClock::at(Timestamp::from_millis(1_000));
        clock.advance_ms(500);
        clock.advance_to(Timestamp::from_millis(1_200));
        assert_eq!(clock.now().millis(), 1_500);
        clock.advance_to(Timestamp::from_millis(9_000));
        assert_eq!(clock.now().to_string(), "1970-01-01T00:00:09.000Z");
    }
}
