//! The lanes this node holds, and whether it still does.

use std::sync::Arc;
use std::time::Duration;

use domain::{Clock, NodeId, Timestamp};
use store::{Lanes, Lease, StoreError, StoreResult};
use tokio::sync::Mutex;

use crate::held::Held;

/// Between two attempts to reach a database that is away; each is longer by as much, up to so many.
const PAUSE: Duration = Duration::from_millis(200);
const PAUSES: u32 = 10;

pub(crate) struct Leases {
    pub(crate) node: NodeId,
    pub(crate) lease_ms: i64,
    pub(crate) held: Held,
    lanes: Arc<dyn Lanes + Send + Sync>,
    clock: Arc<dyn Clock>,
    /// Held while leases are renewed: many who find theirs over renew them once, and what is known
    /// of them is never longer than what is stored.
    renewing: Mutex<()>,
}

impl Leases {
    pub(crate) fn new(
        node: NodeId,
        lease_ms: i64,
        lanes: Arc<dyn Lanes + Send + Sync>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let (held, renewing) = (Held::default(), Mutex::new(()));
        Self { node, lease_ms, held, lanes, clock, renewing }
    }

    /// How long a lane claimed now is held.
    pub(crate) fn until(&self, now: Timestamp) -> Timestamp {
        now.plus_ms(self.lease_ms)
    }

    /// Prolongs every lease this node holds; those whose fence somebody moved are lost.
    pub(crate) async fn renew(&self) -> StoreResult<()> {
        let _one_at_a_time = self.renewing.lock().await;
        self.prolong().await
    }

    async fn prolong(&self) -> StoreResult<()> {
        let leases = self.held.all();
        if leases.is_empty() {
            return Ok(());
        }
        let until = self.clock.now().plus_ms(self.lease_ms);
        let lost = self.lanes.heartbeat(self.node, leases.clone(), until).await?;
        self.held.renewed(until, &leases, &lost);
        Ok(())
    }

    /// Fails if the lane is no longer this node's. A lease that ended while the node was frozen, or
    /// its database away, is renewed if nobody has moved the fence: then nobody else has acted.
    pub(crate) async fn still_holds(&self, lease: Lease) -> StoreResult<()> {
        if self.held.stands(lease, self.clock.now()) {
            return Ok(());
        }
        let _one_for_all = self.renewing.lock().await;
        if self.held.has(lease) && !self.held.stands(lease, self.clock.now()) {
            self.prolong().await?;
        }
        match self.held.stands(lease, self.clock.now()) {
            true => Ok(()),
            false => Err(StoreError::LaneLost),
        }
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
}
