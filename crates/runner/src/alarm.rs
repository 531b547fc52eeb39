//! Wakes the schedulers of this database for work that falls due before they would look.

use std::sync::Arc;

use domain::{Clock, Timestamp};
use store::{Setup, Signals};

pub(crate) struct Alarm {
    pub(crate) store: Arc<dyn Setup + Send + Sync>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) safety_poll_ms: i64,
}

impl Alarm {
    pub(crate) fn signals(&self) -> &Signals {
        self.store.signals()
    }

    /// Says that a lane given up now is due again at `due`, in case the scheduler sleeps past it.
    pub(crate) fn expect(&self, due: Timestamp) {
        if due.since_ms(self.clock.now()) < self.safety_poll_ms {
            self.signals().wake_lanes();
        }
    }
}
