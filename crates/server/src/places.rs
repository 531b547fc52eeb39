//! Places that are taken for as long as something lasts: so many in all, and so many for each.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) struct Places<K> {
    most: usize,
    for_each: usize,
    taken: Mutex<Taken<K>>,
}

struct Taken<K> {
    all: usize,
    by: HashMap<K, usize>,
}

impl<K: Clone + Eq + Hash> Places<K> {
    pub(crate) fn new(most: usize, for_each: usize) -> Arc<Self> {
        let taken = Mutex::new(Taken { all: 0, by: HashMap::new() });
        Arc::new(Self { most, for_each, taken })
    }

    /// A place for one more; none if all are taken, or all that this one may have.
    pub(crate) fn take(self: &Arc<Self>, key: K) -> Option<Place<K>> {
        let mut taken = self.lock();
        let has = taken.by.get(&key).copied().unwrap_or(0);
        if taken.all >= self.most || has >= self.for_each {
            return None;
        }
        taken.all += 1;
        taken.by.insert(key.clone(), has + 1);
        Some(Place { places: Arc::clone(self), key })
    }

    fn lock(&self) -> MutexGuard<'_, Taken<K>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Free again when this is dropped.
pub(crate) struct Place<K: Clone + Eq + Hash> {
    places: Arc<Places<K>>,
    key: K,
}

impl<K: Clone + Eq + Hash> Drop for Place<K> {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.all -= 1;
        match taken.by.get_mut(&self.key) {
            Some(has) if *has > 1 => *has -= 1,
            _ => {
                taken.by.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_more_than_their_own_and_all_have_no_more_than_there_are() {
        let places = Places::new(5, 3);
        let anas: Vec<_> = (0..4).map_while(|_| places.take("ana")).collect();
        let betos: Vec<_> = (0..4).map_while(|_| places.take("beto")).collect();
        assert_eq!((anas.len(), betos.len()), (3, 2));
        assert!(places.take("clara").is_none());
        drop(anas);
        assert!(places.take("clara").is_some());
        drop(betos);
        let taken = places.lock();
        assert!(taken.all == 0 && taken.by.is_empty());
    }
}
