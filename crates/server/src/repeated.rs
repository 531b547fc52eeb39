//! Lines of the log that any number of callers may cause at once: the first is written at once, the next ones
//! together.

use std::fmt::Display;
use std::sync::LazyLock;

use domain::Repeats;
use tokio::time::Instant;

pub(crate) static EVENTS_WAIT: Repeated = Repeated::of("events wait for the database");
pub(crate) static KEY_UNSEEN: Repeated = Repeated::of("a reader's key was not looked at");
pub(crate) static USE_UNNOTED: Repeated = Repeated::of("a key's use was not noted");
pub(crate) static NO_CONNECTION: Repeated =
    Repeated::of("no connection can be taken in; the idle ones are ended");
pub(crate) static NOT_READY: Repeated = Repeated::of("not ready: the database does not answer");
pub(crate) static FAILED: Repeated = Repeated::of("answered 500");

/// The moment from which times are counted here, for the log alone.
static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// A line that says how often it would have been written, with the last error.
pub(crate) struct Repeated {
    line: &'static str,
    repeats: Repeats,
}

impl Repeated {
    const fn of(line: &'static str) -> Self {
        Self { line, repeats: Repeats::new() }
    }

    pub(crate) fn warn(&self, error: &dyn Display) {
        if let Some(times) = self.count() {
            tracing::warn!(%error, times, "{}", self.line);
        }
    }

    pub(crate) fn error(&self, error: &dyn Display) {
        if let Some(times) = self.count() {
            tracing::error!(%error, times, "{}", self.line);
        }
    }

    fn count(&self) -> Option<u64> {
        self.repeats.count(i64::try_from(BEGAN.elapsed().as_millis()).unwrap_or(i64::MAX))
    }
}
