//! Rates: a limiter of how often something may happen, with the wait until it may again.

use std::time::Duration;

use crate::Timestamp;

/// A rate: `count` times at once after a quiet stretch of `per`, and once more whenever a
/// `count`-th part of `per` has passed; never, if `count` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub count: u32,
    pub per: Duration,
}

impl Rate {
    pub const fn per_second(count: u32) -> Self {
        Self { count, per: Duration::from_secs(1) }
    }

    pub const fn per_minute(count: u32) -> Self {
        Self { count, per: Duration::from_secs(60) }
    }

    fn per_us(self) -> i64 {
        i64::try_from(self.per.as_micros()).unwrap_or(i64::MAX)
    }

    /// The part of `per` that each time costs.
    fn part_us(self) -> i64 {
        self.per_us() / i64::from(self.count.max(1))
    }
}

/// A counter by the generic cell rate algorithm, for one holder of a [`Rate`]. The counter keeps
/// one number: the instant at which everything taken so far is paid off, if each time costs its
/// part of the rate. The rate is given with each call, because it is the same for all holders and
/// may be configured anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gcra {
    paid_off_us: i64,
}

impl Default for Gcra {
    fn default() -> Self {
        Self { paid_off_us: i64::MIN }
    }
}

impl Gcra {
    /// The wait until one more is allowed; zero if it is allowed now.
    pub fn wait(self, rate: Rate, now: Timestamp) -> Duration {
        if rate.count == 0 {
            return rate.per;
        }
        let over_us = self.after_one_more(rate, now).saturating_sub(rate.per_us());
        let wait_us = over_us.saturating_sub(micros(now));
        Duration::from_micros(u64::try_from(wait_us).unwrap_or(0))
    }

    /// Takes one if it is allowed now; otherwise nothing is counted, and the error is the wait.
    pub fn take(&mut self, rate: Rate, now: Timestamp) -> Result<(), Duration> {
        // A holder that only takes owes no more than `per`, unless the clock went back: even then
        // it waits for no longer than that.
        let most_us = micros(now).saturating_add(rate.per_us());
        let taken = Self { paid_off_us: self.paid_off_us.min(most_us) };
        match taken.wait(rate, now) {
            Duration::ZERO => {
                *self = taken;
                self.charge(rate, now);
                Ok(())
            }
            wait => Err(wait),
        }
    }

    /// Takes the next one, even in the future, and returns the wait for it. If the wait is longer
    /// than `longest`, nothing is counted, and the error is that wait.
    pub fn reserve(
        &mut self,
        rate: Rate,
        now: Timestamp,
        longest: Duration,
    ) -> Result<Duration, Duration> {
        let wait = self.wait(rate, now);
        if wait > longest || rate.count == 0 {
            return Err(wait);
        }
        self.charge(rate, now);
        Ok(wait)
    }

    /// Counts one that has happened, allowed or not.
    pub fn charge(&mut self, rate: Rate, now: Timestamp) {
        self.paid_off_us = self.after_one_more(rate, now);
    }

    /// Gives back one that was taken.
    pub fn give_back(&mut self, rate: Rate) {
        self.paid_off_us = self.paid_off_us.saturating_sub(rate.part_us());
    }

    /// Whether everything is paid off, so that the counter equals a new one and can be dropped.
    pub fn is_paid_off(self, now: Timestamp) -> bool {
        self.paid_off_us <= micros(now)
    }

    fn after_one_more(self, rate: Rate, now: Timestamp) -> i64 {
        self.paid_off_us.max(micros(now)).saturating_add(rate.part_us())
    }
}

fn micros(at: Timestamp) -> i64 {
    at.millis().saturating_mul(1_000)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NEVER: Duration = Duration::MAX;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_780_000_000_000 + ms)
    }

    fn rates() -> impl Strategy<Value = Rate> {
        let rate = |(count, ms)| Rate { count, per: Duration::from_millis(ms) };
        (1..200_u32, 1..100_000_u64).prop_map(rate)
    }

    /// Moments in their order, close together and far apart.
    fn moments() -> impl Strategy<Value = Vec<Timestamp>> {
        let steps = prop::collection::vec(prop_oneof![Just(0), 0..50_i64, 0..100_000_i64], 1..300);
        steps.prop_map(|steps| {
            let sum = |sum: &mut i64, step| {
                *sum += step;
                Some(at(*sum))
            };
            steps.into_iter().scan(0, sum).collect()
        })
    }

    #[test]
    fn a_burst_passes_and_then_one_as_each_is_paid_off() {
        let (rate, mut counter) = (Rate::per_minute(3), Gcra::default());
        let mut take = |ms| counter.take(rate, at(ms)).map_err(|wait| wait.as_secs());
        assert_eq!([0, 0, 0].map(&mut take), [Ok(()); 3]);
        assert_eq!([0, 15_000].map(&mut take), [Err(20), Err(5)]);
        assert_eq!([20_000, 20_000].map(&mut take), [Ok(()), Err(20)]);
        let later = [1_000_000; 4].map(&mut take);
        assert_eq!(later, [Ok(()), Ok(()), Ok(()), Err(20)], "no more than a burst has gathered");
        assert_eq!(take(0), Err(20), "the clock went back");
    }

    #[test]
    fn a_rate_of_none_allows_nothing_and_says_to_wait() {
        let (rate, mut counter) = (Rate::per_second(0), Gcra::default());
        assert_eq!(counter.take(rate, at(0)), Err(rate.per));
        assert_eq!(counter.reserve(rate, at(0), NEVER), Err(rate.per));
        assert!(counter.is_paid_off(at(0)));
    }

    #[test]
    fn a_place_in_the_future_is_kept_for_whoever_waits_no_longer_than_they_would() {
        let (rate, mut counter) = (Rate::per_minute(1), Gcra::default());
        let longest = Duration::from_secs(40);
        let mut reserve = |ms| counter.reserve(rate, at(ms), longest).map(|wait| wait.as_secs());
        assert_eq!(reserve(0), Ok(0));
        assert_eq!(reserve(0), Err(Duration::from_secs(60)));
        assert_eq!(reserve(20_000), Ok(40), "the one before it was not counted");
    }

    proptest! {
        #[test]
        fn no_stretch_holds_more_than_its_burst_and_what_it_pays_off(
            rate in rates(), moments in moments()
        ) {
            let mut counter = Gcra::default();
            let taken: Vec<_> =
                moments.into_iter().filter(|now| counter.take(rate, *now).is_ok()).collect();
            for (n, first) in taken.iter().enumerate() {
                for (more, last) in (1_i64..).zip(&taken[n..]) {
                    let paid = micros(*last) - micros(*first);
                    let most = rate.per_us() + paid;
                    prop_assert!(more * rate.part_us() <= most, "{more} in {paid} µs");
                }
            }
        }

        #[test]
        fn the_wait_that_is_told_is_enough_and_no_longer_than_it_must_be(
            rate in rates(), moments in moments()
        ) {
            let mut counter = Gcra::default();
            for now in moments {
                let before = counter;
                let Err(wait) = counter.take(rate, now) else {
                    prop_assert_eq!(before.wait(rate, now), Duration::ZERO);
                    continue;
                };
                prop_assert_eq!(counter, before, "a refusal counts for nothing");
                let then = now.after(wait);
                prop_assert!(counter.take(rate, then).is_ok());
                prop_assert!(wait <= rate.per);
                let sooner = then.plus_ms(-1);
                prop_assert!(sooner < now || before.wait(rate, sooner) > Duration::ZERO);
                counter = before;
            }
        }

        #[test]
        fn those_who_reserve_go_ahead_in_the_order_in_which_they_came(
            rate in rates(), moments in moments()
        ) {
            let mut counter = Gcra::default();
            let mut before = at(0);
            for now in moments {
                let wait = counter.reserve(rate, now, NEVER).unwrap();
                let goes = now.after(wait);
                prop_assert!(goes >= before);
                before = goes;
            }
        }

        #[test]
        fn what_is_given_back_was_never_taken(rate in rates(), now in 0..1_000_000_i64) {
            let mut counter = Gcra::default();
            counter.charge(rate, at(0));
            let before = counter;
            counter.charge(rate, at(0));
            counter.give_back(rate);
            prop_assert_eq!(counter.wait(rate, at(now)), before.wait(rate, at(now)));
            counter.give_back(rate);
            prop_assert!(counter.is_paid_off(at(0)));
        }
    }
}
