//! Pace: how fast a provider takes messages, for one customer and for one number.

use crate::{Rate, Timestamp};

/// The pace of messages to one customer: a bucket of `burst` into which a token drips every
/// `every_ms`, and over ten messages no more than one in `every_ms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairPace {
    pub every_ms: i64,
    pub burst: u32,
    /// Two messages closer than this may arrive swapped.
    pub gap_ms: i64,
}

impl PairPace {
    /// WhatsApp takes about a message in six seconds for one customer, ten in a minute.
    pub const WHATSAPP: Self = Self { every_ms: 6_000, burst: 5, gap_ms: 500 };

    /// The stretch over which the average must hold.
    const STRETCH: u32 = 10;

    /// The number of past attempts that the pace needs.
    pub fn looks_back(self) -> u32 {
        self.burst.max(Self::STRETCH)
    }

    /// When the next message may leave, after these attempts, newest first.
    pub fn free_at(self, attempts: &[Timestamp]) -> Option<Timestamp> {
        let waits = attempts.iter().zip(1_u32..).map(|(attempt, place)| {
            // The bucket has room when the burst-th newest attempt is one drip old, the attempt
            // before it two.
            let drips = (i64::from(place) - i64::from(self.burst) + 1).max(0);
            let mut wait = drips.saturating_mul(self.every_ms);
            if place == 1 {
                wait = wait.max(self.gap_ms);
            }
            if place == self.looks_back() {
                wait = wait.max(i64::from(place).saturating_mul(self.every_ms));
            }
            attempt.plus_ms(wait)
        });
        waits.max()
    }
}

/// The pace of a channel; `None` where nothing limits it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    pub pair: Option<PairPace>,
    /// The pace of one number, over all customers.
    pub number: Option<Rate>,
}

impl Pace {
    pub const WHATSAPP: Self =
        Self { pair: Some(PairPace::WHATSAPP), number: Some(Rate::per_second(80)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: PairPace = PairPace::WHATSAPP;

    /// When messages that all wait from the start leave, in milliseconds.
    fn departures(pace: PairPace, count: usize) -> Vec<i64> {
        let mut left: Vec<Timestamp> = Vec::new();
        for _ in 0..count {
            let newest: Vec<_> =
                left.iter().rev().take(pace.looks_back() as usize).copied().collect();
            let now = left.last().copied().unwrap_or(Timestamp::from_millis(0));
            left.push(pace.free_at(&newest).unwrap_or(now).max(now));
        }
        left.iter().map(|at| at.millis()).collect()
    }

    #[test]
    fn a_burst_leaves_with_its_gaps_and_the_rest_drips() {
        let expected =
            [0, 500, 1_000, 1_500, 2_000, 6_000, 12_000, 18_000, 24_000, 30_000, 60_000, 60_500];
        assert_eq!(departures(PACE, 12), expected);
    }

    #[test]
    fn no_minute_holds_more_than_ten_and_no_hour_more_than_six_hundred() {
        let left = departures(PACE, 2_000);
        for (most, span) in [(10, 60_000), (600, 3_600_000)] {
            for (first, at) in left.iter().enumerate() {
                let within = left[first..].iter().take_while(|other| **other < at + span).count();
                assert!(within <= most, "{within} from {at} on");
            }
        }
        assert!(*left.last().unwrap() < 2_000 * 6_000, "and it is not slower than it must be");
    }

    #[test]
    fn who_was_quiet_has_the_whole_burst_again() {
        let ago = |seconds: i64| Timestamp::from_millis(-seconds * 1_000);
        let free = |attempts: &[i64]| {
            let attempts: Vec<_> = attempts.iter().copied().map(ago).collect();
            PACE.free_at(&attempts).map(Timestamp::millis)
        };
        assert_eq!(free(&[]), None);
        assert_eq!(free(&[60]), Some(-59_500));
        assert!(free(&[31, 32, 33, 34, 35]) < Some(0));
        assert_eq!(free(&[1, 2, 3, 4, 5]), Some(1_000), "the fifth newest is one drip old then");
        assert_eq!(free(&[1, 2, 3, 4]), Some(-500));
    }

    #[test]
    fn a_burst_longer_than_the_stretch_is_looked_at_whole() {
        let pace = PairPace { every_ms: 1_000, burst: 12, gap_ms: 0 };
        assert_eq!(pace.looks_back(), 12);
        assert_eq!(departures(pace, 13)[11..], [0, 12_000]);
    }
}
