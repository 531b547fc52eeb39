//! The versions of agents that a node has at hand: the current ones, and those that sessions ask for.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use agents::Agent;
use domain::Timestamp;

/// An agent's name and version.
pub(super) type Version = (String, String);

/// Versions of an agent that are at hand at most beside the current one. Each holds a pack and what
/// was learnt from it, some ten megabytes.
const MOST: usize = 8;

/// A version is at hand for this long after it was last asked for. To make one again takes a tenth of a
/// second of a core, so that those in traffic stay.
const KEPT_MS: i64 = 10 * 60 * 1000;

#[derive(Default)]
pub(super) struct AtHand {
    versions: HashMap<Version, Held>,
    /// How often versions were asked for.
    asked: AtomicU64,
}

struct Held {
    agent: Arc<dyn Agent>,
    /// The number of the last time that it was asked for, and the time itself.
    asked: AtomicU64,
    at: AtomicI64,
}

impl AtHand {
    pub(super) fn hold(&mut self, key: Version, agent: Arc<dyn Agent>, now: Timestamp) {
        let (asked, at) = (AtomicU64::new(self.next()), AtomicI64::new(now.millis()));
        self.versions.insert(key, Held { agent, asked, at });
    }

    fn next(&self) -> u64 {
        self.asked.fetch_add(1, Ordering::Relaxed)
    }

    /// A version that is asked for at this time.
    pub(super) fn get(&self, key: &Version, now: Timestamp) -> Option<Arc<dyn Agent>> {
        let held = self.versions.get(key)?;
        held.asked.store(self.next(), Ordering::Relaxed);
        held.at.store(now.millis(), Ordering::Relaxed);
        Some(Arc::clone(&held.agent))
    }

    /// Lets go of the versions of an agent that were not asked for longest, but never of the current.
    pub(super) fn keep_some(&mut self, name: &str, current: Option<&Arc<dyn Agent>>) {
        let old = |(key, _): &(&Version, &Held)| key.0 == name && !is_current(&key.1, current);
        let asked =
            |(key, held): (&Version, &Held)| (held.asked.load(Ordering::Relaxed), key.clone());
        let mut old: Vec<_> = self.versions.iter().filter(old).map(asked).collect();
        old.sort_unstable_by_key(|(asked, _)| std::cmp::Reverse(*asked));
        for (_, key) in old.into_iter().skip(MOST) {
            self.versions.remove(&key);
        }
    }

    /// Lets go of the versions that nobody asked for lately, but never of the current; how many.
    pub(super) fn sweep(
        &mut self,
        current: &BTreeMap<String, Arc<dyn Agent>>,
        now: Timestamp,
    ) -> usize {
        let before = self.versions.len();
        self.versions.retain(|(name, version), held| {
            let at = Timestamp::from_millis(held.at.load(Ordering::Relaxed));
            now.since_ms(at) <= KEPT_MS || is_current(version, current.get(name))
        });
        before - self.versions.len()
    }

    #[cfg(test)]
    pub(super) fn has(&self, name: &str, version: &str) -> bool {
        self.versions.contains_key(&(name.to_owned(), version.to_owned()))
    }
}

fn is_current(version: &str, current: Option<&Arc<dyn Agent>>) -> bool {
    current.is_some_and(|agent| agent.version() == version)
}
