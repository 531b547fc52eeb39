//! Circuit breaker: leaves a provider alone that failed a workspace too often in a row, then tries
//! it with one call.
//!
//! Each workspace has its own count, because the prompts, keys and load of one workspace are no
//! reason to cut off another. A workspace without recent failures takes no memory.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::{Timestamp, WorkspaceId};

pub(super) struct Breaker {
    failures: u32,
    open_ms: i64,
    /// States of workspaces other than closed without a failure.
    states: Mutex<HashMap<WorkspaceId, State>>,
}

#[derive(Clone, Copy)]
enum State {
    Closed {
        failures: u32,
    },
    Open {
        until: Timestamp,
    },
    /// A call is under way to find out whether the provider works again.
    Probing {
        since: Timestamp,
    },
}

const WELL: State = State::Closed { failures: 0 };

impl Breaker {
    pub(super) fn new(failures: u32, open_ms: i64) -> Self {
        Self { failures, open_ms, states: Mutex::default() }
    }

    /// Admits a call, or not.
    pub(super) fn admit(&self, workspace: WorkspaceId, now: Timestamp) -> Option<Permit<'_>> {
        let mut states = self.states();
        let probe = match states.get(&workspace).copied().unwrap_or(WELL) {
            State::Closed { .. } => false,
            State::Open { until } if now >= until => true,
            State::Open { .. } | State::Probing { .. } => return None,
        };
        if probe {
            states.insert(workspace, State::Probing { since: now });
        }
        Some(Permit { breaker: self, workspace, probe, is_concluded: false })
    }

    /// Whether no call would be admitted.
    pub(super) fn is_open(&self, workspace: WorkspaceId, now: Timestamp) -> bool {
        match self.states().get(&workspace) {
            None | Some(State::Closed { .. }) => false,
            Some(State::Open { until }) => now < *until,
            Some(State::Probing { .. }) => true,
        }
    }

    fn conclude(&self, workspace: WorkspaceId, probe: bool, blamed: bool, now: Timestamp) {
        let mut states = self.states();
        let opened = State::Open { until: now.plus_ms(self.open_ms) };
        let state = match states.get(&workspace).copied().unwrap_or(WELL) {
            State::Probing { .. } if probe && blamed => opened,
            State::Probing { .. } if probe => WELL,
            State::Closed { failures } if blamed && failures + 1 >= self.failures => opened,
            State::Closed { failures } if blamed => State::Closed { failures: failures + 1 },
            State::Closed { .. } => WELL,
            // A call that began before the breaker opened says nothing new.
            unchanged => unchanged,
        };
        match state {
            State::Closed { failures: 0 } => states.remove(&workspace),
            state => states.insert(workspace, state),
        };
    }

    /// Lets the next call probe, because a call that was given up proves nothing.
    fn give_up(&self, workspace: WorkspaceId, probe: bool) {
        let mut states = self.states();
        if let Some(State::Probing { since }) = states.get(&workspace).copied()
            && probe
        {
            states.insert(workspace, State::Open { until: since });
        }
    }

    fn states(&self) -> MutexGuard<'_, HashMap<WorkspaceId, State>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An admitted call; dropped without a conclusion, it counts for nothing.
pub(super) struct Permit<'a> {
    breaker: &'a Breaker,
    workspace: WorkspaceId,
    probe: bool,
    is_concluded: bool,
}

impl Permit<'_> {
    pub(super) fn conclude(mut self, blamed: bool, now: Timestamp) {
        self.is_concluded = true;
        self.breaker.conclude(self.workspace, self.probe, blamed, now);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if !self.is_concluded {
            self.breaker.give_up(self.workspace, self.probe);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn demo() -> WorkspaceId {
        WorkspaceId::from_slug("demo")
    }

    fn opened() -> Breaker {
        let breaker = Breaker::new(5, 30_000);
        for _ in 0..5 {
            breaker.admit(demo(), at(0)).unwrap().conclude(true, at(0));
        }
        breaker
    }

    #[test]
    fn five_failures_in_a_row_open_it_and_four_do_not() {
        let breaker = Breaker::new(5, 30_000);
        for _ in 0..4 {
            breaker.admit(demo(), at(0)).unwrap().conclude(true, at(0));
        }
        breaker.admit(demo(), at(0)).unwrap().conclude(false, at(0));
        for _ in 0..4 {
            breaker.admit(demo(), at(0)).unwrap().conclude(true, at(0));
        }
        breaker.admit(demo(), at(0)).unwrap().conclude(true, at(0));
        assert!(breaker.admit(demo(), at(0)).is_none());
    }

    #[test]
    fn after_its_time_one_call_alone_is_let_through() {
        let breaker = opened();
        assert!(breaker.admit(demo(), at(29_999)).is_none());
        let probe = breaker.admit(demo(), at(30_000)).unwrap();
        assert!(breaker.admit(demo(), at(30_000)).is_none());
        probe.conclude(false, at(30_100));
        let both = (breaker.admit(demo(), at(30_100)), breaker.admit(demo(), at(30_100)));
        assert!(both.0.is_some() && both.1.is_some());
    }

    #[test]
    fn a_probe_that_fails_opens_it_for_another_stretch() {
        let breaker = opened();
        breaker.admit(demo(), at(30_000)).unwrap().conclude(true, at(31_000));
        assert!(breaker.admit(demo(), at(60_999)).is_none());
        assert!(breaker.admit(demo(), at(61_000)).is_some());
    }

    #[test]
    fn a_probe_that_is_given_up_leaves_its_place_to_the_next() {
        let breaker = opened();
        drop(breaker.admit(demo(), at(30_000)).unwrap());
        assert!(breaker.admit(demo(), at(30_000)).is_some());
    }

    #[test]
    fn what_began_before_it_opened_neither_closes_nor_prolongs_it() {
        let breaker = Breaker::new(1, 30_000);
        let early = [breaker.admit(demo(), at(0)).unwrap(), breaker.admit(demo(), at(0)).unwrap()];
        breaker.admit(demo(), at(0)).unwrap().conclude(true, at(0));
        let [well, ill] = early;
        well.conclude(false, at(10_000));
        ill.conclude(true, at(20_000));
        assert!(breaker.admit(demo(), at(29_999)).is_none());
        assert!(breaker.admit(demo(), at(30_000)).is_some());
    }

    #[test]
    fn a_workspace_that_it_failed_cuts_off_no_other_and_one_that_is_well_is_forgotten() {
        let (breaker, other) = (opened(), WorkspaceId::from_slug("other"));
        assert!(breaker.admit(demo(), at(0)).is_none());
        for _ in 0..4 {
            breaker.admit(other, at(0)).unwrap().conclude(true, at(0));
        }
        breaker.admit(other, at(0)).unwrap().conclude(false, at(0));
        assert_eq!(breaker.states().len(), 1, "only the one that is open");
        breaker.admit(demo(), at(30_000)).unwrap().conclude(false, at(30_000));
        assert!(breaker.states().is_empty());
    }
}
