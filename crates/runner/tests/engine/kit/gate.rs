//! A gate: whoever comes to it waits there until the test has done what it wants in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

/// Long enough for the slowest machine, short enough to see which test hangs.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<Inner>);

#[derive(Default)]
struct Inner {
    closed_for: AtomicU32,
    reached: Notify,
    opened: Notify,
}

impl Gate {
    /// Holds the next `comers`; later ones pass.
    pub(crate) fn closed_for(comers: u32) -> Self {
        let gate = Self::default();
        gate.0.closed_for.store(comers, Ordering::SeqCst);
        gate
    }

    /// Called where the gate stands.
    pub(crate) async fn pass(&self) {
        let minus_one = |left: u32| left.checked_sub(1);
        let closed_for = &self.0.closed_for;
        if closed_for.fetch_update(Ordering::SeqCst, Ordering::SeqCst, minus_one).is_ok() {
            self.0.reached.notify_one();
            self.0.opened.notified().await;
        }
    }

    /// Waits until somebody stands at the gate.
    pub(crate) async fn reached(&self) {
        let reached = tokio::time::timeout(PATIENCE, self.0.reached.notified()).await;
        reached.expect("nobody came to the gate");
    }

    /// Lets one pass.
    pub(crate) fn open(&self) {
        self.0.opened.notify_one();
    }
}
