//! The scheduler: claims due lanes as there is room, sleeps until the next one, keeps leases
//! alive, and stops in order.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::Timestamp;
use store::LaneWork;
use tokio::sync::{OwnedSemaphorePermit, watch};

use crate::Engine;

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
            let Some(room) = self.room(CLAIM) else {
                tokio::select! {
                    _ = self.room.acquire() => {}
                    () = self.stop.stopped() => {}
                }
                continue;
            };
            let (now, lease_ms) = (self.now(), self.settings.lease_ms);
            match self.store.claim(self.node, now, lease_ms, room.num_permits()).await {
                Ok(claimed) if claimed.is_empty() => {
                    drop(room);
                    self.wait_for_work().await;
                }
                Ok(claimed) => self.work_lanes(claimed, room),
                Err(error) => {
                    tracing::warn!(%error, "no lanes claimed");
                    self.nap(Duration::from_millis(500)).await;
                }
            }
        }
        let all = u32::try_from(self.settings.workers).unwrap_or(u32::MAX);
        if tokio::time::timeout(drain, self.room.acquire_many(all)).await.is_err() {
            let left = self.settings.workers - self.room.available_permits();
            tracing::warn!(left, "stopped before every turn was finished");
        }
        heartbeat.abort();
    }

    /// Room for as many lanes as are free to be worked on, up to `most`.
    fn room(&self, most: usize) -> Option<OwnedSemaphorePermit> {
        let free = self.room.available_permits().min(most);
        let free = u32::try_from(free).ok().filter(|free| *free > 0)?;
        Arc::clone(&self.room).try_acquire_many_owned(free).ok()
    }

    /// The same for lanes that are about to become due, if this node works lanes at all.
    pub(crate) fn room_beforehand(&self, most: usize) -> Option<OwnedSemaphorePermit> {
        let works = self.is_running.load(Ordering::Acquire) && !self.is_stopping();
        works.then(|| self.room(most)).flatten()
    }

    /// Works each of these lanes in the room that was made for them.
    pub(crate) fn work_lanes(
        self: &Arc<Self>,
        claimed: Vec<LaneWork>,
        mut room: OwnedSemaphorePermit,
    ) {
        for work in claimed {
            self.held.add(work.lease);
            let (engine, place) = (Arc::clone(self), room.split(1));
            tokio::spawn(async move {
                engine.work_lane(work).await;
                drop(place);
            });
        }
    }

    /// Works everything that is due, one lane after another: for chat and tests, whose clock
    /// stands still meanwhile.
    pub async fn run_until_idle(&self) -> store::StoreResult<()> {
        loop {
            let (now, lease_ms) = (self.now(), self.settings.lease_ms);
            let claimed = self.store.claim(self.node, now, lease_ms, CLAIM).await?;
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
            let leases = self.held.all();
            if leases.is_empty() {
                continue;
            }
            let until = self.now().plus_ms(self.settings.lease_ms);
            match self.store.heartbeat(self.node, leases.clone(), until).await {
                Ok(lost) => self.held.renewed(until, &leases, &lost),
                Err(error) => tracing::warn!(%error, "leases not renewed"),
            }
        }
    }
}
