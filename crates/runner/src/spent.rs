//! The spending of workspaces in a day, added up by the minute, so that a call adds up no more than
//! the last few.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::{Cost, Timestamp, TurnId, WorkspaceId};
use store::{Spent, StoreResult};

const MINUTE_MS: i64 = 60_000;

/// Minutes after which nobody adds anything to one: a call is written down under the time of its
/// commit, by nodes whose clocks agree.
const CLOSED_AFTER: i64 = 2;

#[derive(Default)]
pub(crate) struct Days(Mutex<HashMap<WorkspaceId, Day>>);

/// A workspace's closed minutes, without gaps.
#[derive(Clone, Default)]
struct Day {
    by_minute: BTreeMap<i64, Cost>,
    /// The first minute that is not among them.
    next: i64,
}

impl Days {
    /// The sum a workspace has spent since then; the turn under way, `except`, counts for nothing in the
    /// last minutes. The minute that the day begins in counts whole.
    pub(crate) async fn spent(
        &self,
        store: &(dyn Spent + Sync),
        workspace: WorkspaceId,
        except: TurnId,
        since: Timestamp,
        now: Timestamp,
    ) -> StoreResult<Cost> {
        let first = since.millis().div_euclid(MINUTE_MS);
        let closed = now.millis().div_euclid(MINUTE_MS) - CLOSED_AFTER;
        let known = self.days().get(&workspace).map_or(first, |day| day.next).max(first);
        if known < closed {
            let minutes =
                store.spent_by_minute(workspace, start_of(known), start_of(closed)).await?;
            self.keep(workspace, known, closed, minutes);
        }
        let (before, next) = self.days().get(&workspace).map_or((Cost(0), first), |day| {
            let counted = day.by_minute.range(first..);
            let sum = counted.fold(Cost(0), |sum, (_, cost)| sum.plus(*cost));
            (sum, day.next.max(first))
        });
        let recent = store.spent_by_all(workspace, except, start_of(next).max(since)).await?;
        Ok(before.plus(recent))
    }

    /// Keeps what was read, unless somebody else has read as far meanwhile.
    fn keep(&self, workspace: WorkspaceId, from: i64, to: i64, minutes: Vec<(i64, Cost)>) {
        let mut days = self.days();
        let day = days.entry(workspace).or_default();
        if day.next > from {
            return;
        }
        day.by_minute = day.by_minute.split_off(&(to - 24 * 60 - 2 * CLOSED_AFTER));
        day.by_minute.extend(minutes);
        day.next = to;
    }

    fn days(&self) -> MutexGuard<'_, HashMap<WorkspaceId, Day>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn start_of(minute: i64) -> Timestamp {
    Timestamp::from_millis(minute.saturating_mul(MINUTE_MS))
}
