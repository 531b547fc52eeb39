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
        self.take_many(key, 1)
    }

    /// So many places as one. A key without any may take more than its share, because a caller that
    /// needs that many could otherwise never be served.
    pub(crate) fn take_many(self: &Arc<Self>, key: K, many: usize) -> Option<Place<K>> {
        let mut taken = self.lock();
        let has = taken.by.get(&key).copied().unwrap_or(0);
        let is_first = taken.all == 0 || (has == 0 && taken.all + many <= self.most);
        if !is_first && (taken.all + many > self.most || has + many > self.for_each) {
            return None;
        }
        taken.all += many;
        taken.by.insert(key.clone(), has + many);
        Some(Place { places: Arc::clone(self), key, many })
    }

    fn lock(&self) -> MutexGuard<'_, Taken<K>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Free again when this is dropped.
pub(crate) struct Place<K: Clone + Eq + Hash> {
    places: Arc<Places<K>>,
    key: K,
    many: usize,
}

impl<K: Clone + Eq + Hash> Drop for Place<K> {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.all -= self.many;
        match taken.by.get_mut(&self.key) {
            Some(has) if *has > self.many => *has -= self.many,
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
    fn what_needs_many_places_has_them_if_nobody_of_theirs_has_any() {
        let places = Places::new(10, 4);
        let ana = places.take_many("ana", 3).unwrap();
        assert!(places.take_many("ana", 2).is_none());
        let long = places.take_many("beto", 6).unwrap();
        assert!(places.take_many("clara", 2).is_none(), "no more than there are");
        drop(ana);
        assert!(places.take_many("beto", 1).is_none());
        drop(long);
        let longest = places.take_many("beto", 20).unwrap();
        assert!(places.take("ana").is_none());
        drop(longest);
        assert!(places.take("ana").is_some());
    }

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
