//! Working a lane: send what waits, then take a turn, until nothing is ready.

use std::sync::Arc;

use domain::{Clock, Repeats, Timestamp};
use store::{LaneWork, Lanes, Lease, StoreError, StoreResult};

use crate::Connected;
use crate::leases::Leases;
use crate::scheduler::Stop;
use crate::send::OutboxRunner;
use crate::turn::TurnRunner;

/// A turn that meets this many conflicts in a row is not competing with an operator any more.
const MAX_CONFLICTS: u32 = 20;

/// How long a lane rests whose channel this node does not know.
const UNCONFIGURED_MS: i64 = 60_000;

pub(crate) struct LaneWorker {
    pub(crate) lanes: Arc<dyn Lanes + Send + Sync>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) connected: Arc<Connected>,
    pub(crate) leases: Arc<Leases>,
    pub(crate) stop: Stop,
    pub(crate) turns: TurnRunner,
    pub(crate) outbox: OutboxRunner,
    /// Lanes that wait for the database, all at once when it is away: told to the log together.
    pub(crate) waiting_lanes: Repeats,
}

impl LaneWorker {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Works a claimed lane until it is given up or lost. Never panics: agents and tools are
    /// caught where they are called.
    pub(crate) async fn work_lane(&self, mut work: LaneWork) {
        let lease = work.lease;
        self.leases.held.add(lease);
        let mut conflicts = 0;
        loop {
            let next = match self.work_once(work).await {
                Err(StoreError::VersionConflict) if conflicts < MAX_CONFLICTS => {
                    conflicts += 1;
                    self.read_again(lease).await
                }
                Err(error) if error.is_transient() => {
                    self.tell_of_waiting(lease, &error);
                    self.read_again(lease).await
                }
                next => {
                    conflicts = 0;
                    next
                }
            };
            match next {
                Ok(Some(_)) if self.stop.is_stopped() => {
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
        self.leases.held.remove(lease);
    }

    fn tell_of_waiting(&self, lease: Lease, error: &StoreError) {
        if let Some(times) = self.waiting_lanes.count(self.now().millis()) {
            tracing::warn!(last = %lease.conversation, %error, times, "lanes wait for the database");
        }
    }

    async fn work_once(&self, work: LaneWork) -> StoreResult<Option<LaneWork>> {
        self.leases.still_holds(work.lease).await?;
        let channel = &work.conversation.channel;
        let Some(outlet) = self.connected.outlet(channel) else {
            tracing::error!(%channel, "a conversation waits for a channel that is not configured");
            self.hand_back(work.lease, self.now().plus_ms(UNCONFIGURED_MS)).await;
            return Ok(None);
        };
        if work.outbound.is_some() {
            self.outbox.send_next(&work, outlet).await
        } else if work.events.is_empty() {
            self.lanes.release(work.lease, self.now()).await
        } else {
            self.turns.take_turn(&work, outlet).await
        }
    }

    /// Reads the lane's work afresh.
    async fn read_again(&self, lease: Lease) -> StoreResult<Option<LaneWork>> {
        self.leases.patiently(lease, || self.lanes.release(lease, self.now())).await
    }

    async fn hand_back(&self, lease: Lease, wake_at: Timestamp) {
        if let Err(error) = self.lanes.hand_back(lease, wake_at).await {
            tracing::warn!(conversation = %lease.conversation, %error, "lane not handed back");
        }
    }
}
