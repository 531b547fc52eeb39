//! Each workspace's share: calls at once, and calls in any minute.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::{Gcra, Rate, Timestamp, WorkspaceId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{CallFailure, FailureKind};

pub(super) struct Shares {
    at_once: usize,
    per_minute: u32,
    by_workspace: Mutex<HashMap<WorkspaceId, Share>>,
}

struct Share {
    calls: Arc<Semaphore>,
    /// Counts the calls of the last minute, and those that wait for their part of the next.
    made: Gcra,
}

impl Shares {
    pub(super) fn new(at_once: usize, per_minute: u32) -> Self {
        Self { at_once, per_minute, by_workspace: Mutex::default() }
    }

    /// Waits for one of the workspace's places, which is held until dropped.
    pub(super) async fn place(
        &self,
        workspace: WorkspaceId,
        longest: Duration,
    ) -> Result<OwnedSemaphorePermit, CallFailure> {
        let calls = self.share(workspace, |share| Arc::clone(&share.calls));
        match tokio::time::timeout(longest, calls.acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(busy(format!("{} calls of the workspace are under way", self.at_once))),
        }
    }

    /// Whether all of the workspace's places are taken.
    pub(super) fn is_full(&self, workspace: WorkspaceId) -> bool {
        self.share(workspace, |share| share.calls.available_permits() == 0)
    }

    /// Takes the next call of the workspace's minute; returns how long to wait for it.
    pub(super) fn turn(
        &self,
        workspace: WorkspaceId,
        now: Timestamp,
        longest: Duration,
    ) -> Result<Duration, CallFailure> {
        let rate = Rate::per_minute(self.per_minute.max(1));
        let reserved = self.share(workspace, |share| share.made.reserve(rate, now, longest));
        let message = || format!("the workspace may call {} times a minute", self.per_minute);
        reserved.map_err(|_| busy(message()))
    }

    fn share<T>(&self, workspace: WorkspaceId, with: impl FnOnce(&mut Share) -> T) -> T {
        let mut shares = self.by_workspace.lock().unwrap_or_else(PoisonError::into_inner);
        with(shares.entry(workspace).or_insert_with(|| Share {
            calls: Arc::new(Semaphore::new(self.at_once)),
            made: Gcra::default(),
        }))
    }
}

fn busy(message: String) -> CallFailure {
    CallFailure::new(FailureKind::Busy, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHILE: Duration = Duration::from_secs(40);

    fn waits(per_minute: u32, calls: &[i64]) -> Vec<Option<u128>> {
        let shares = Shares::new(1, per_minute);
        let workspace = WorkspaceId::from_slug("demo");
        let wait = |&ms: &i64| {
            let wait = shares.turn(workspace, Timestamp::from_millis(ms), WHILE);
            wait.ok().map(|wait| wait.as_millis())
        };
        calls.iter().map(wait).collect()
    }

    #[test]
    fn a_minutes_calls_may_come_at_once_and_the_next_wait_for_their_part() {
        assert_eq!(
            waits(3, &[0, 0, 0, 0, 0]),
            [Some(0), Some(0), Some(0), Some(20_000), Some(40_000)]
        );
        assert_eq!(waits(3, &[0, 0, 0, 5_000]), [Some(0), Some(0), Some(0), Some(15_000)]);
        assert_eq!(waits(3, &[0, 0, 0, 60_000, 60_000]), [Some(0); 5]);
    }

    #[test]
    fn a_call_that_would_wait_too_long_is_refused_and_takes_no_turn() {
        assert_eq!(waits(1, &[0, 0, 20_000]), [Some(0), None, Some(40_000)]);
    }

    #[test]
    fn workspaces_do_not_share() {
        let shares = Shares::new(1, 1);
        let now = Timestamp::from_millis(0);
        for slug in ["one", "other"] {
            assert_eq!(shares.turn(WorkspaceId::from_slug(slug), now, WHILE), Ok(Duration::ZERO));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_is_waited_for_and_given_back() {
        let shares = Shares::new(1, 1);
        let (one, other) = (WorkspaceId::from_slug("one"), WorkspaceId::from_slug("other"));
        let place = shares.place(one, WHILE).await.unwrap();
        assert!(shares.is_full(one) && !shares.is_full(other));
        assert_eq!(shares.place(one, WHILE).await.unwrap_err().kind, FailureKind::Busy);
        assert!(shares.place(other, WHILE).await.is_ok());
        let (_, later) = tokio::join!(
            async {
                tokio::time::sleep(Duration::from_secs(5)).await;
                drop(place);
            },
            shares.place(one, WHILE)
        );
        assert!(later.is_ok());
    }
}
