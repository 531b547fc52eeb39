//! Waiting for another process: look, and look again, until a deadline that only a failure meets.

use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Far more than anything takes on a machine that is busy with other tests.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

const PAUSE: Duration = Duration::from_millis(40);

/// Looks until there is an answer; the last reason why not is part of the failure.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Result<T, String>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match look().await {
            Ok(found) => return found,
            Err(reason) => {
                assert!(Instant::now() < deadline, "waited {PATIENCE:?} for {what}: {reason}");
            }
        }
        sleep(PAUSE).await;
    }
}
