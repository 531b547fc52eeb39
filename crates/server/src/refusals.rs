//! Requests that were turned away, told to the log together: strangers may cause thousands a second, and
//! must not be able to fill the disk with lines about themselves.

use std::sync::{Mutex, PoisonError};

use channels::Denied;
use domain::ChannelId;

use crate::problem::Problem;

static REFUSALS: Refusals = Refusals(Mutex::new(SinceLast::nothing()));

struct Refusals(Mutex<SinceLast>);

/// Since the log was last told.
#[derive(Debug, PartialEq, Eq)]
struct SinceLast {
    requests: u64,
    /// Of the last of them.
    reason: String,
}

impl SinceLast {
    const fn nothing() -> Self {
        Self { requests: 0, reason: String::new() }
    }
}

impl Refusals {
    fn count(&self, reason: String) {
        let mut since_last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        since_last.requests += 1;
        since_last.reason = reason;
    }

    fn take(&self) -> Option<SinceLast> {
        let mut since_last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = std::mem::replace(&mut *since_last, SinceLast::nothing());
        (taken.requests > 0).then_some(taken)
    }
}

/// Counts a refused request. The reason is for the log alone, and begins with the answer's status.
pub(crate) fn count(reason: String) {
    REFUSALS.count(reason);
}

/// A caller without a channel's credentials is told that they are missing; the log is told why.
pub(crate) fn turned_away(channel: &ChannelId) -> impl Fn(Denied) -> Problem {
    move |denied| {
        count(format!("401, a delivery for `{channel}`: {denied}"));
        Problem::Unauthorized
    }
}

/// Writes a line about those since the last time, if there were any.
pub(crate) fn tell() {
    if let Some(SinceLast { requests, reason }) = REFUSALS.take() {
        tracing::warn!(requests, last = reason, "turned away");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_many_were_turned_away_there_is_one_line_and_then_none() {
        let refusals = Refusals(Mutex::new(SinceLast::nothing()));
        for number in 1..=10_000 {
            refusals.count(format!("503, number {number}"));
        }
        let all = SinceLast { requests: 10_000, reason: "503, number 10000".to_owned() };
        assert_eq!(refusals.take(), Some(all));
        assert_eq!(refusals.take(), None);
    }
}
