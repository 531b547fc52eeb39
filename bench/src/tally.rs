//! Counts turns as the agent sees them, and times what lies between two of one conversation.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail};
use domain::ContactId;
use runner::Engine;
use tokio::sync::Notify;

use crate::spread::Spread;
use crate::stopwatch::Stopwatch;

/// Without a turn for this long, nothing more is coming.
const STALLED: Duration = Duration::from_secs(30);

pub(crate) struct Tally {
    watch: Stopwatch,
    expected: u64,
    reached: Notify,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    turns: u64,
    first_ms: Option<f64>,
    last_ms: HashMap<ContactId, f64>,
    gaps_ms: Vec<f64>,
}

pub(crate) struct Counted {
    pub(crate) seconds: f64,
    pub(crate) turns: u64,
    /// From one turn's start to the next one's in the same conversation.
    pub(crate) gaps: Spread,
}

impl Counted {
    pub(crate) fn rate(&self) -> f64 {
        self.turns as f64 / self.seconds
    }
}

impl Tally {
    pub(crate) fn of(expected: u64) -> Self {
        let (watch, reached) = (Stopwatch::start(), Notify::new());
        Self { watch, expected, reached, seen: Mutex::default() }
    }

    /// Called by the agent when a turn begins.
    pub(crate) fn turn(&self, contact: ContactId) {
        let now = self.watch.ms();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.first_ms.get_or_insert(now);
        seen.turns += 1;
        if let Some(before) = seen.last_ms.insert(contact, now) {
            seen.gaps_ms.push(now - before);
        }
        if seen.turns == self.expected {
            self.reached.notify_one();
        }
    }

    fn turns(&self) -> u64 {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).turns
    }

    /// Waits until all turns have begun and no lane is held any more, so the last has committed.
    pub(crate) async fn finish(&self, engine: &Engine) -> Result<Counted> {
        loop {
            let before = self.turns();
            if tokio::time::timeout(STALLED, self.reached.notified()).await.is_ok() {
                break;
            }
            if self.turns() == before {
                bail!("stalled after {before} of {} turns", self.expected);
            }
        }
        while engine.busy() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let end = self.watch.ms();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Counted {
            seconds: (end - seen.first_ms.unwrap_or(0.0)) / 1000.0,
            turns: seen.turns,
            gaps: Spread::of(std::mem::take(&mut seen.gaps_ms)),
        })
    }
}
