//! Lines of the log that would repeat: the first is written at once, the next ones together.

use std::sync::{Mutex, PoisonError};

/// The time that the next line waits for others of its kind.
const TOGETHER_MS: i64 = 5_000;

/// Occasions for a line of the log. A full disk or an unavailable database is met by every
/// conversation and every delivery at once: a line for each would fill the rest of the disk with
/// repetitions.
#[derive(Debug, Default)]
pub struct Repeats(Mutex<Occasions>);

#[derive(Debug, Default)]
struct Occasions {
    written_at_ms: Option<i64>,
    /// The occasions since a line was last written.
    waiting: u64,
}

impl Repeats {
    pub const fn new() -> Self {
        Self(Mutex::new(Occasions { written_at_ms: None, waiting: 0 }))
    }

    /// Counts an occasion, and returns the number of occasions to report if a line is to be written
    /// now. The time is any count of milliseconds that only this is compared with.
    pub fn count(&self, now_ms: i64) -> Option<u64> {
        let mut occasions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        occasions.waiting += 1;
        // A clock that went back writes a line too many instead of none for long.
        let waits = |at: i64| (0..TOGETHER_MS).contains(&(now_ms - at));
        if occasions.written_at_ms.is_some_and(waits) {
            return None;
        }
        occasions.written_at_ms = Some(now_ms);
        Some(std::mem::take(&mut occasions.waiting))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_told_at_once_and_the_others_together_every_five_seconds() {
        let repeats = Repeats::default();
        let told: Vec<_> = (0..12_000).filter_map(|ms| Some((ms, repeats.count(ms)?))).collect();
        assert_eq!(told, [(0, 1), (5_000, 5_000), (10_000, 5_000)]);
        assert_eq!(repeats.count(60_000), Some(2_000));
        assert_eq!(repeats.count(0), Some(1), "the clock went back");
    }
}
