//! The latest of many, remembered: at least so many of them and at most twice as many.

use std::collections::HashSet;
use std::hash::Hash;

pub(crate) struct Remembered<K, const LEAST: usize> {
    /// The latest ones, and those before them.
    young: HashSet<K>,
    old: HashSet<K>,
}

impl<K, const LEAST: usize> Default for Remembered<K, LEAST> {
    fn default() -> Self {
        Self { young: HashSet::new(), old: HashSet::new() }
    }
}

impl<K: Eq + Hash, const LEAST: usize> Remembered<K, LEAST> {
    pub(crate) fn has(&self, key: &K) -> bool {
        self.young.contains(key) || self.old.contains(key)
    }

    pub(crate) fn remember(&mut self, key: K) {
        if self.young.len() >= LEAST && !self.young.contains(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_are_known_and_a_crowd_fills_no_memory() {
        let mut known = Remembered::<_, 10>::default();
        for key in 0..1_000 {
            known.remember(key);
            known.remember(7);
        }
        assert!((991..1_000).all(|key| known.has(&key)) && known.has(&7));
        assert!(!known.has(&900) && known.young.len() + known.old.len() <= 20);
    }
}
