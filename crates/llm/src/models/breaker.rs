//! Leaves a provider alone that failed too often in a row, then tries it with one call.

use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::Timestamp;

pub(super) struct Breaker {
    failures: u32,
    open_ms: i64,
    state: Mutex<State>,
}

enum State {
    Closed {
        failures: u32,
    },
    Open {
        until: Timestamp,
    },
    /// One call is under way to see whether it is well again.
    Probing {
        since: Timestamp,
    },
}

impl Breaker {
    pub(super) fn new(failures: u32, open_ms: i64) -> Self {
        Self { failures, open_ms, state: Mutex::new(State::Closed { failures: 0 }) }
    }

    /// Lets a call through, or not.
    pub(super) fn admit(&self, now: Timestamp) -> Option<Permit<'_>> {
        let mut state = self.state();
        let probe = match *state {
            State::Closed { .. } => false,
            State::Open { until } if now >= until => true,
            State::Open { .. } | State::Probing { .. } => return None,
        };
        if probe {
            *state = State::Probing { since: now };
        }
        Some(Permit { breaker: self, probe, settled: false })
    }

    fn settle(&self, probe: bool, blamed: bool, now: Timestamp) {
        let mut state = self.state();
        let opened = State::Open { until: now.plus_ms(self.open_ms) };
        match *state {
            State::Probing { .. } if probe => {
                *state = if blamed { opened } else { State::Closed { failures: 0 } };
            }
            State::Closed { failures } => {
                let failures = if blamed { failures + 1 } else { 0 };
                *state =
                    if failures >= self.failures { opened } else { State::Closed { failures } };
            }
            // What began before it opened says nothing new.
            State::Open { .. } | State::Probing { .. } => {}
        }
    }

    /// A call that was given up proves nothing: the next one may try.
    fn give_up(&self, probe: bool) {
        let mut state = self.state();
        if let State::Probing { since } = *state
            && probe
        {
            *state = State::Open { until: since };
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that was let through; dropped unsettled, it counts for nothing.
pub(super) struct Permit<'a> {
    breaker: &'a Breaker,
    probe: bool,
    settled: bool,
}

impl Permit<'_> {
    pub(super) fn settle(mut self, blamed: bool, now: Timestamp) {
        self.settled = true;
        self.breaker.settle(self.probe, blamed, now);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if !self.settled {
            self.breaker.give_up(self.probe);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn opened() -> Breaker {
        let breaker = Breaker::new(5, 30_000);
        for _ in 0..5 {
            breaker.admit(at(0)).unwrap().settle(true, at(0));
        }
        breaker
    }

    #[test]
    fn five_failures_in_a_row_open_it_and_four_do_not() {
        let breaker = Breaker::new(5, 30_000);
        for _ in 0..4 {
            breaker.admit(at(0)).unwrap().settle(true, at(0));
        }
        breaker.admit(at(0)).unwrap().settle(false, at(0));
        for _ in 0..4 {
            breaker.admit(at(0)).unwrap().settle(true, at(0));
        }
        breaker.admit(at(0)).unwrap().settle(true, at(0));
        assert!(breaker.admit(at(0)).is_none());
    }

    #[test]
    fn after_its_time_one_call_alone_is_let_through() {
        let breaker = opened();
        assert!(breaker.admit(at(29_999)).is_none());
        let probe = breaker.admit(at(30_000)).unwrap();
        assert!(breaker.admit(at(30_000)).is_none());
        probe.settle(false, at(30_100));
        let both = (breaker.admit(at(30_100)), breaker.admit(at(30_100)));
        assert!(both.0.is_some() && both.1.is_some());
    }

    #[test]
    fn a_probe_that_fails_opens_it_for_another_stretch() {
        let breaker = opened();
        breaker.admit(at(30_000)).unwrap().settle(true, at(31_000));
        assert!(breaker.admit(at(60_999)).is_none());
        assert!(breaker.admit(at(61_000)).is_some());
    }

    #[test]
    fn a_probe_that_is_given_up_leaves_its_place_to_the_next() {
        let breaker = opened();
        drop(breaker.admit(at(30_000)).unwrap());
        assert!(breaker.admit(at(30_000)).is_some());
    }

    #[test]
    fn what_began_before_it_opened_neither_closes_nor_prolongs_it() {
        let breaker = Breaker::new(1, 30_000);
        let early = [breaker.admit(at(0)).unwrap(), breaker.admit(at(0)).unwrap()];
        breaker.admit(at(0)).unwrap().settle(true, at(0));
        let [well, ill] = early;
        well.settle(false, at(10_000));
        ill.settle(true, at(20_000));
        assert!(breaker.admit(at(29_999)).is_none());
        assert!(breaker.admit(at(30_000)).is_some());
    }
}
