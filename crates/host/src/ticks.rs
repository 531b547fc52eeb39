//! How long things take, by the machine's monotonic clock.

use std::time::Instant;

use domain::Ticks;

/// Nanoseconds since it was made.
pub struct SystemTicks(Instant);

impl SystemTicks {
    // The one place that reads it: what it measures is shown and decides nothing.
    #[expect(clippy::disallowed_methods)]
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Ticks for SystemTicks {
    fn nanos(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
