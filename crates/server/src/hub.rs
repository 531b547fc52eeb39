//! Wakes those who follow one thing when something is announced of it, and nobody else: a reader whom
//! nothing concerns sleeps on, however much is said around it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Notify, broadcast};

pub(crate) struct Hub<K>(Mutex<HashMap<K, Vec<Arc<Notify>>>>);

impl<K> Default for Hub<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Copy + Eq + Hash> Hub<K> {
    pub(crate) fn listen(self: &Arc<Self>, to: K) -> Listener<K> {
        let told = Arc::new(Notify::new());
        self.lock().entry(to).or_default().push(Arc::clone(&told));
        Listener { hub: Arc::clone(self), to, told }
    }

    pub(crate) fn wake(&self, of: &K) {
        for told in self.lock().get(of).into_iter().flatten() {
            told.notify_one();
        }
    }

    /// Passes on what is announced, until nothing ever will be.
    pub(crate) async fn pass_on(self: Arc<Self>, mut announced: broadcast::Receiver<K>) {
        loop {
            match announced.recv().await {
                Ok(of) => self.wake(&of),
                // Nobody knows whom it concerned.
                Err(RecvError::Lagged(_)) => {
                    self.lock().values().flatten().for_each(|told| told.notify_one());
                }
                Err(RecvError::Closed) => return,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Vec<Arc<Notify>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who follows one thing.
pub(crate) struct Listener<K: Copy + Eq + Hash> {
    hub: Arc<Hub<K>>,
    to: K,
    told: Arc<Notify>,
}

impl<K: Copy + Eq + Hash> Listener<K> {
    /// Returns once something was announced since the last time.
    pub(crate) async fn told(&self) {
        self.told.notified().await;
    }
}

impl<K: Copy + Eq + Hash> Drop for Listener<K> {
    fn drop(&mut self) {
        let mut listeners = self.hub.lock();
        if let Some(all) = listeners.get_mut(&self.to) {
            all.retain(|told| !Arc::ptr_eq(told, &self.told));
            if all.is_empty() {
                listeners.remove(&self.to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn was_told(listener: &Listener<u32>) -> bool {
        listener.told().now_or_never().is_some()
    }

    #[tokio::test]
    async fn only_those_whom_it_concerns_are_woken() {
        let hub = Arc::new(Hub::default());
        let (ana, also_ana, beto) = (hub.listen(1), hub.listen(1), hub.listen(2));
        hub.wake(&1);
        hub.wake(&1);
        assert!(was_told(&ana) && was_told(&also_ana) && !was_told(&beto));
        assert!(!was_told(&ana), "once, however often it was announced");
        drop(ana);
        hub.wake(&1);
        assert!(was_told(&also_ana));
        drop((also_ana, beto));
        assert!(hub.lock().is_empty(), "whoever leaves leaves nothing");
    }

    #[tokio::test]
    async fn when_announcements_were_missed_everybody_looks() {
        let hub = Arc::new(Hub::default());
        let beto = hub.listen(2);
        let (announce, announced) = broadcast::channel(2);
        for _ in 0..5 {
            announce.send(1).unwrap();
        }
        drop(announce);
        Arc::clone(&hub).pass_on(announced).await;
        assert!(was_told(&beto));
    }
}
