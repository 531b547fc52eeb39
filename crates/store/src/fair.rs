//! Turns shared fairly: each workspace is served in its turn, however much another asks for.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::WorkspaceId;
use tokio::sync::oneshot;

/// The workspace that a turn is for; `None` is the engine itself.
pub type Whose = Option<WorkspaceId>;

/// Things that wait, in the order of a round: one for each workspace that has something waiting.
pub struct Fair<T> {
    waiting: HashMap<Whose, VecDeque<T>>,
    round: VecDeque<Whose>,
}

impl<T> Default for Fair<T> {
    fn default() -> Self {
        Self { waiting: HashMap::new(), round: VecDeque::new() }
    }
}

impl<T> Fair<T> {
    pub fn push(&mut self, whose: Whose, one: T) {
        let own = self.waiting.entry(whose).or_default();
        if own.is_empty() {
            self.round.push_back(whose);
        }
        own.push_back(one);
    }

    pub fn pop(&mut self) -> Option<T> {
        let whose = self.round.pop_front()?;
        let own = self.waiting.get_mut(&whose)?;
        let one = own.pop_front();
        if own.is_empty() {
            self.waiting.remove(&whose);
        } else {
            self.round.push_back(whose);
        }
        one
    }
}

/// Lets a bounded number in at once, and those who wait in a fair order.
#[derive(Clone)]
pub struct Gate(Arc<Mutex<Places>>);

struct Places {
    free: usize,
    waiting: Fair<oneshot::Sender<Pass>>,
}

/// A place inside, given up when this is dropped.
pub struct Pass(Gate);

impl Gate {
    pub fn of(places: usize) -> Self {
        Self(Arc::new(Mutex::new(Places { free: places, waiting: Fair::default() })))
    }

    pub async fn enter(&self, whose: Whose) -> Pass {
        let called = {
            let mut places = self.places();
            if places.free > 0 {
                places.free -= 1;
                return Pass(self.clone());
            }
            let (call, called) = oneshot::channel();
            places.waiting.push(whose, call);
            called
        };
        called.await.expect("who waits is called before the gate is gone")
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass {
    // A waiter that is gone is skipped. A `Pass` that reaches nobody is dropped with its channel
    // and so comes back here: the lock must be released before, or that drop would deadlock.
    fn drop(&mut self) {
        loop {
            let mut places = self.0.places();
            let Some(call) = places.waiting.pop() else {
                places.free += 1;
                return;
            };
            drop(places);
            if call.is_closed() {
                continue;
            }
            drop(call.send(Pass(self.0.clone())));
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn workspace(name: &str) -> Whose {
        Some(domain::Workspace::named(name).id)
    }

    #[test]
    fn a_workspace_that_asks_a_hundred_times_waits_after_each_for_the_others() {
        let mut fair = Fair::default();
        for n in 0..100 {
            fair.push(workspace("a"), ("a", n));
        }
        fair.push(workspace("b"), ("b", 0));
        fair.push(None, ("engine", 0));
        fair.push(workspace("b"), ("b", 1));
        let first: Vec<_> = std::iter::from_fn(|| fair.pop()).take(6).collect();
        assert_eq!(first, [("a", 0), ("b", 0), ("engine", 0), ("a", 1), ("b", 1), ("a", 2)]);
        assert_eq!(std::iter::from_fn(|| fair.pop()).count(), 97);
        assert!(fair.waiting.is_empty(), "nothing is kept of those who wait no longer");
    }

    fn poll<F: Future<Output = Pass>>(entering: std::pin::Pin<&mut F>) -> Option<Pass> {
        match entering.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(pass) => Some(pass),
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_place_goes_to_who_waits_and_is_not_lost_with_who_stopped_waiting() {
        let gate = Gate::of(1);
        let mut entering = pin!(gate.enter(None));
        let inside = poll(entering.as_mut()).expect("a free place");
        let mut called = Box::pin(gate.enter(workspace("a")));
        assert!(poll(called.as_mut()).is_none());
        let mut gone = Box::pin(gate.enter(workspace("b")));
        assert!(poll(gone.as_mut()).is_none());
        let mut last = Box::pin(gate.enter(workspace("c")));
        assert!(poll(last.as_mut()).is_none());
        drop(gone);
        // The first is called, but stops waiting before the call arrives; the second is passed
        // over.
        drop(inside);
        assert!(poll(last.as_mut()).is_none(), "the place is the first one's");
        drop(called);
        let inside = poll(last.as_mut()).expect("the place of the one that went");
        drop(inside);
        assert_eq!(gate.places().free, 1);
    }
}
