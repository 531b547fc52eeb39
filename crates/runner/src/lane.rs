//! Working a lane: send what waits, then take a turn, until nothing is ready.

use std::time::Duration;

use domain::Timestamp;
use store::{LaneWork, Lease, StoreError, StoreResult};

use crate::Engine;

/// A turn that meets this many conflicts in a row is not competing with an operator any more.
const MAX_CONFLICTS: u32 = 20;

/// Between two attempts to reach a database that is away; each is longer by as much, up to so many.
const PAUSE: Duration = Duration::from_millis(200);
const PAUSES: u32 = 10;

/// How long a lane rests whose channel this node does not know.
const UNCONFIGURED_MS: i64 = 60_000;

impl Engine {
    /// Works a claimed lane until it is given up or lost. Never panics: agents and tools are
    /// caught where they are called.
    pub(crate) async fn work_lane(&self, mut work: LaneWork) {
        let lease = work.lease;
        self.held.add(lease);
        let mut conflicts = 0;
        loop {
            let next = match self.work_once(work).await {
                Err(StoreError::VersionConflict) if conflicts < MAX_CONFLICTS => {
                    conflicts += 1;
                    self.read_again(lease).await
                }
                Err(error) if error.is_transient() => {
                    tracing::warn!(conversation = %lease.conversation, %error, "lane waits");
                    self.read_again(lease).await
                }
                next => {
                    conflicts = 0;
                    next
                }
            };
            match next {
                Ok(Some(_)) if self.is_stopping() => {
                    self.hand_back(lease, self.now()).await;
                    break;
                }
                Ok(Some(next)) => work = next,
                Ok(None) => break,
                Err(error) => {
                    // The lease runs out by itself and another holder goes on from what is stored.
                    tracing::warn!(conversation = %lease.conversation, %error, "lane left");
                    break;
                }
            }
        }
        self.held.remove(lease);
    }

    async fn work_once(&self, work: LaneWork) -> StoreResult<Option<LaneWork>> {
        self.still_holds(work.lease).await?;
        let channel = &work.conversation.channel;
        let Some(outlet) = self.outlet(channel) else {
            tracing::error!(%channel, "a conversation waits for a channel that is not configured");
            self.hand_back(work.lease, self.now().plus_ms(UNCONFIGURED_MS)).await;
            return Ok(None);
        };
        if work.outbound.is_some() {
            self.send_next(&work, outlet).await
        } else if work.events.is_empty() {
            self.store.release(work.lease, self.now()).await
        } else {
            self.take_turn(&work, outlet).await
        }
    }

    /// Reads the lane's work afresh.
    async fn read_again(&self, lease: Lease) -> StoreResult<Option<LaneWork>> {
        self.patiently(lease, || self.store.release(lease, self.now())).await
    }

    /// Repeats what the database was not there for, as long as nobody else is known to have the lane:
    /// a database that is away gives it to nobody, and one that is back says who has it.
    pub(crate) async fn patiently<T, F>(
        &self,
        lease: Lease,
        operation: impl Fn() -> F,
    ) -> StoreResult<T>
    where
        F: Future<Output = StoreResult<T>>,
    {
        let mut pauses = 0;
        loop {
            match operation().await {
                Err(error) if error.is_transient() && self.held.has(lease) => {
                    pauses = PAUSES.min(pauses + 1);
                    tokio::time::sleep(PAUSE * pauses).await;
                }
                result => return result,
            }
        }
    }

    async fn hand_back(&self, lease: Lease, wake_at: Timestamp) {
        if let Err(error) = self.store.hand_back(lease, wake_at).await {
            tracing::warn!(conversation = %lease.conversation, %error, "lane not handed back");
        }
    }
}
