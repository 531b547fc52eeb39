//! The scheduler: claims due lanes as there is room, sleeps until the next one, keeps leases
//! alive, and stops in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use domain::{Clock, Repeats, Timestamp, WorkspaceId};
use store::{LaneWork, Lanes, Room, StoreError, StoreResult};
use tokio::sync::watch;
use uuid::Uuid;

use crate::alarm::Alarm;
use crate::lane::LaneWorker;
use crate::leases::Leases;
use crate::places::{Place, Places};

/// Lanes claimed in one transaction; more would make the first of them wait for the last.
const CLAIM: usize = 64;

/// Tells a running engine to stop.
#[derive(Clone)]
pub(crate) struct Stop(watch::Sender<bool>);

impl Default for Stop {
    fn default() -> Self {
        Self(watch::channel(false).0)
    }
}

impl Stop {
    pub(crate) fn stop(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    pub(crate) async fn stopped(&self) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|stopped| *stopped).await;
    }
}

pub(crate) struct Scheduler {
    pub(crate) lanes: Arc<dyn Lanes + Send + Sync>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) alarm: Arc<Alarm>,
    pub(crate) leases: Arc<Leases>,
    pub(crate) places: Arc<Places>,
    pub(crate) stop: Stop,
    pub(crate) worker: LaneWorker,
    /// Claims made so far, so that each begins with another workspace.
    pub(crate) claims: AtomicU64,
    /// Whether lanes are claimed at all: not in a chat or a test, which work them one by one.
    pub(crate) is_running: AtomicBool,
    /// Claims and renewals that the database was not there for, told to the log together.
    pub(crate) not_claimed: Repeats,
    pub(crate) not_renewed: Repeats,
}

impl Scheduler {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Works lanes until told to stop, then finishes the turns under way, for at most `drain`.
    pub(crate) async fn run(self: Arc<Self>, drain: Duration) {
        let heartbeat = tokio::spawn(Arc::clone(&self).keep_leases());
        self.is_running.store(true, Ordering::Release);
        while !self.stop.is_stopped() {
            let free = self.places.free();
            if free == 0 {
                tokio::select! {
                    () = self.places.freed() => {}
                    () = self.stop.stopped() => {}
                }
                continue;
            }
            let (now, lease_ms) = (self.now(), self.leases.lease_ms);
            // A node that froze, or whose database was away, takes none of its own lanes for lost.
            if self.leases.held.is_late(now)
                && let Err(error) = self.leases.renew().await
            {
                self.tell_of_leases(&error);
                self.nap(Duration::from_millis(500)).await;
                continue;
            }
            let room = self.room(free);
            let max = room.max;
            match self.lanes.claim(self.leases.node, now, lease_ms, room).await {
                Ok(claimed) => {
                    let (none, all) = (claimed.is_empty(), claimed.len() < max);
                    self.work_lanes(claimed.into_iter().map(|work| {
                        let place = self.places.enter(work.lease.workspace);
                        (work, place)
                    }));
                    if all {
                        self.places.caught_up();
                    }
                    if none {
                        self.wait_for_work().await;
                    }
                }
                Err(error) => {
                    if let Some(times) = self.not_claimed.count(now.millis()) {
                        tracing::warn!(%error, times, "no lanes claimed");
                    }
                    self.nap(Duration::from_millis(500)).await;
                }
            }
        }
        if tokio::time::timeout(drain, self.places.empty()).await.is_err() {
            let left = self.places.taken();
            tracing::warn!(left, "stopped before every turn was finished");
        }
        heartbeat.abort();
    }

    /// Room for the next lanes, of each workspace as far as it has places.
    fn room(&self, free: usize) -> Room {
        let places = Arc::clone(&self.places);
        let claims = self.claims.fetch_add(1, Ordering::Relaxed);
        // Another place among all ids every time, and never two near each other in a row.
        let after = claims.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Room {
            max: free.min(CLAIM),
            of: Arc::new(move |workspace| places.of(workspace)),
            after: WorkspaceId(Uuid::from_u64_pair(after, 0)),
        }
    }

    /// Places for lanes that are about to become due; none if this node works no lanes at all.
    pub(crate) fn places_beforehand(
        &self,
        workspace: WorkspaceId,
        most: usize,
    ) -> Option<Vec<Place>> {
        let works = self.is_running.load(Ordering::Acquire) && !self.stop.is_stopped();
        works.then(|| self.places.take(workspace, most))
    }

    /// Works each of these lanes in the place that was made for it.
    pub(crate) fn work_lanes(
        self: &Arc<Self>,
        claimed: impl IntoIterator<Item = (LaneWork, Place)>,
    ) {
        for (work, place) in claimed {
            self.leases.held.add(work.lease);
            let scheduler = Arc::clone(self);
            tokio::spawn(async move {
                scheduler.worker.work_lane(work).await;
                drop(place);
            });
        }
    }

    /// Works everything that is due, one lane after another: for chat and tests, whose clock
    /// stands still meanwhile.
    pub(crate) async fn run_until_idle(&self) -> StoreResult<()> {
        loop {
            let (now, lease_ms) = (self.now(), self.leases.lease_ms);
            let claimed =
                self.lanes.claim(self.leases.node, now, lease_ms, Room::for_any(CLAIM)).await?;
            if claimed.is_empty() {
                return Ok(());
            }
            for work in claimed {
                self.worker.work_lane(work).await;
            }
        }
    }

    // Sleeps until a lane is due or a signal says so. Signals may be lost, so never for long.
    async fn wait_for_work(&self) {
        let poll = self.alarm.safety_poll_ms;
        let wait = match self.lanes.next_due().await {
            Ok(Some(due)) => due.since_ms(self.now()).clamp(0, poll),
            Ok(None) | Err(_) => poll,
        };
        let wait = Duration::from_millis(u64::try_from(wait).unwrap_or(0));
        tokio::select! {
            () = self.alarm.signals().lanes_woken() => {}
            () = self.places.freed() => {}
            () = self.nap(wait) => {}
        }
    }

    async fn nap(&self, wait: Duration) {
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = self.stop.stopped() => {}
        }
    }

    async fn keep_leases(self: Arc<Self>) {
        let every = Duration::from_millis(u64::try_from(self.leases.lease_ms / 3).unwrap_or(1));
        loop {
            tokio::time::sleep(every).await;
            if let Err(error) = self.leases.renew().await {
                self.tell_of_leases(&error);
            }
        }
    }

    fn tell_of_leases(&self, error: &StoreError) {
        if let Some(times) = self.not_renewed.count(self.now().millis()) {
            tracing::warn!(%error, times, "leases not renewed");
        }
    }
}
