//! The leases this node holds, as its heartbeat last knew them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use domain::{ConversationId, Timestamp};
use store::Lease;

#[derive(Default)]
pub(crate) struct Held(Mutex<HashMap<ConversationId, Lease>>);

impl Held {
    fn lock(&self) -> MutexGuard<'_, HashMap<ConversationId, Lease>> {
        // The map is whole between statements, so a panic elsewhere does not spoil it.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn add(&self, lease: Lease) {
        self.lock().insert(lease.conversation, lease);
    }

    pub(crate) fn remove(&self, lease: Lease) {
        let mut held = self.lock();
        if held.get(&lease.conversation).is_some_and(|current| current.fence == lease.fence) {
            held.remove(&lease.conversation);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// In one order for every node, so that renewing many never waits on another who does.
    pub(crate) fn all(&self) -> Vec<Lease> {
        let mut leases: Vec<_> = self.lock().values().copied().collect();
        leases.sort_unstable_by_key(|lease| lease.conversation);
        leases
    }

    /// Notes how far the leases reach now; those in `lost` are no longer ours.
    pub(crate) fn renewed(&self, until: Timestamp, renewed: &[Lease], lost: &[Lease]) {
        let mut held = self.lock();
        for lease in renewed {
            if let Some(current) = held.get_mut(&lease.conversation)
                && current.fence == lease.fence
                && !lost.contains(lease)
            {
                current.until = until;
            }
        }
        for lease in lost {
            if held.get(&lease.conversation).is_some_and(|current| current.fence == lease.fence) {
                held.remove(&lease.conversation);
            }
        }
    }

    /// Whether the lane is this node's under this fence, as far as it knows.
    pub(crate) fn has(&self, lease: Lease) -> bool {
        self.lock().get(&lease.conversation).is_some_and(|current| current.fence == lease.fence)
    }

    /// Whether a lease is over at `now` that was not renewed in time.
    pub(crate) fn is_late(&self, now: Timestamp) -> bool {
        self.lock().values().any(|lease| lease.until <= now)
    }

    /// Whether this lease still stands at `now` as far as this node knows.
    pub(crate) fn stands(&self, lease: Lease, now: Timestamp) -> bool {
        self.lock()
            .get(&lease.conversation)
            .is_some_and(|current| current.fence == lease.fence && current.until > now)
    }
}
