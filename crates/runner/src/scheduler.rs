//! The scheduler: claims due lanes as there is room, sleeps until the next one, keeps leases
//! alive, and stops in order.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::{Timestamp, WorkspaceId};
use store::{LaneWork, Lease, Room, StoreError, StoreResult};
use tokio::sync::watch;
use uuid::Uuid;

use crate::Engine;
use crate::places::Place;

/// Lanes claimed in one transaction; more would make the first of them wait for the last.
const CLAIM: usize = 32;

/// Tells a running engine to stop.
pub(crate) struct Stop(watch::Sender<bool>);

impl Default for Stop {
    fn default() -> Self {
        Self(watch::channel(false).0)
    }
}

impl Stop {
    fn stop(&self) {
        self.0.send_replace(true);
    }

    fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    async fn stopped(&self) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|stopped| *stopped).await;
    }
}

impl Engine {
    /// Works lanes until told to stop, then finishes the turns under way, for at most `drain`.
    pub async fn run(self: Arc<Self>, drain: Duration) {
        let heartbeat = tokio::spawn(Arc::clone(&self).keep_leases());
        self.is_running.store(true, Ordering::Release);
        while !self.is_stopping() {
            let free = self.places.free();
            if free == 0 {
                tokio::select! {
                    () = self.places.freed() => {}
                    () = self.stop.stopped() => {}
                }
                continue;
            }
            let (now, lease_ms) = (self.now(), self.settings.lease_ms);
            // A node that froze, or whose database was away, takes none of its own lanes for lost.
            if self.held.is_late(now)
                && let Err(error) = self.renew().await
            {
                tracing::warn!(%error, "leases not renewed");
                self.nap(Duration::from_millis(500)).await;
                continue;
            }
            let room = self.room(free);
            let max = room.max;
            match self.store.claim(self.node, now, lease_ms, room).await {
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
                    tracing::warn!(%error, "no lanes claimed");
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
        let works = self.is_running.load(Ordering::Acquire) && !self.is_stopping();
        works.then(|| self.places.take(workspace, most))
    }

    /// Works each of these lanes in the place that was made for it.
    pub(crate) fn work_lanes(
        self: &Arc<Self>,
        claimed: impl IntoIterator<Item = (LaneWork, Place)>,
    ) {
        for (work, place) in claimed {
            self.held.add(work.lease);
            let engine = Arc::clone(self);
            tokio::spawn(async move {
                engine.work_lane(work).await;
                drop(place);
            });
        }
    }

    /// Works everything that is due, one lane after another: for chat and tests, whose clock
    /// stands still meanwhile.
    pub async fn run_until_idle(&self) -> StoreResult<()> {
        loop {
            let (now, lease_ms) = (self.now(), self.settings.lease_ms);
            let claimed = self.store.claim(self.node, now, lease_ms, Room::for_any(CLAIM)).await?;
            if claimed.is_empty() {
                return Ok(());
            }
            for work in claimed {
                self.work_lane(work).await;
            }
        }
    }

    pub fn stop(&self) {
        self.stop.stop();
    }

    pub fn is_stopping(&self) -> bool {
        self.stop.is_stopped()
    }

    /// Returns once the engine has been told to stop.
    pub async fn stopped(&self) {
        self.stop.stopped().await;
    }

    /// Says that a lane given up now is due again at `due`, in case the scheduler sleeps past it.
    pub(crate) fn expect_work(&self, due: Timestamp) {
        if due.since_ms(self.now()) < self.settings.safety_poll_ms {
            self.store.signals().wake_lanes();
        }
    }

    // Sleeps until a lane is due or a signal says so. Signals may be lost, so never for long.
    async fn wait_for_work(&self) {
        let poll = self.settings.safety_poll_ms;
        let wait = match self.store.next_due().await {
            Ok(Some(due)) => due.since_ms(self.now()).clamp(0, poll),
            Ok(None) | Err(_) => poll,
        };
        let wait = Duration::from_millis(u64::try_from(wait).unwrap_or(0));
        tokio::select! {
            () = self.store.signals().lanes_woken() => {}
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
        let every = Duration::from_millis(u64::try_from(self.settings.lease_ms / 3).unwrap_or(1));
        loop {
            tokio::time::sleep(every).await;
            if let Err(error) = self.renew().await {
                tracing::warn!(%error, "leases not renewed");
            }
        }
    }

    /// Prolongs every lease this node holds; those whose fence somebody moved are lost.
    async fn renew(&self) -> StoreResult<()> {
        let _one_at_a_time = self.renewing.lock().await;
        self.prolong().await
    }

    async fn prolong(&self) -> StoreResult<()> {
        let leases = self.held.all();
        if leases.is_empty() {
            return Ok(());
        }
        let until = self.now().plus_ms(self.settings.lease_ms);
        let lost = self.store.heartbeat(self.node, leases.clone(), until).await?;
        self.held.renewed(until, &leases, &lost);
        Ok(())
    }

    /// Fails if the lane is no longer this node's. A lease that ended while the node was frozen, or
    /// its database away, is renewed if nobody has moved the fence: then nobody else has acted.
    pub(crate) async fn still_holds(&self, lease: Lease) -> StoreResult<()> {
        if self.held.stands(lease, self.now()) {
            return Ok(());
        }
        let _one_for_all = self.renewing.lock().await;
        if self.held.has(lease) && !self.held.stands(lease, self.now()) {
            self.prolong().await?;
        }
        match self.held.stands(lease, self.now()) {
            true => Ok(()),
            false => Err(StoreError::LaneLost),
        }
    }
}
