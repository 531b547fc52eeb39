//! The places for lanes that are worked on at once, and for files that are fetched, shared out by
//! workspace.
//!
//! A workspace may have as many as there are workers, all workspaces together twice as many, and
//! each only as long as more are free than it has. So a workspace that is alone has all the
//! workers, two that want all they can get have the same, and the next to come finds places free,
//! however slow the models, tools and channels of the others are. A lane that waits for its
//! workspace's models steps aside meanwhile: lanes that need no model go on.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::WorkspaceId;
use tokio::sync::Notify;

pub(crate) struct Places {
    each: usize,
    all: usize,
    state: Mutex<State>,
    /// Told when a place is given back after somebody was refused.
    freed: Notify,
    /// Told when the last place is given back.
    emptied: Notify,
}

#[derive(Default)]
struct State {
    taken: usize,
    by_workspace: HashMap<WorkspaceId, usize>,
    /// Lanes that stepped aside, of each workspace.
    aside: HashMap<WorkspaceId, usize>,
    /// Workspaces that have lanes waiting for a place: what comes new stands behind those.
    behind: HashSet<WorkspaceId>,
    /// Whether somebody was refused since the last place became free.
    refused: bool,
}

/// A lane that is worked on; free again when dropped.
pub(crate) struct Place {
    places: Arc<Places>,
    workspace: WorkspaceId,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.leave(self.workspace);
    }
}

/// A lane that stepped aside; it has its place again when dropped.
pub(crate) struct Aside<'a> {
    places: &'a Places,
    workspace: WorkspaceId,
}

impl Drop for Aside<'_> {
    fn drop(&mut self) {
        let mut state = self.places.lock();
        remove_one(&mut state.aside, self.workspace);
        state.enter(self.workspace, 1);
    }
}

impl Places {
    pub(crate) fn new(workers: usize) -> Arc<Self> {
        let (state, freed, emptied) = Default::default();
        Arc::new(Self { each: workers, all: workers.saturating_mul(2), state, freed, emptied })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole between statements, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many places are taken.
    pub(crate) fn taken(&self) -> usize {
        self.lock().taken
    }

    /// How many places are free for workspaces that have none.
    pub(crate) fn free(&self) -> usize {
        let mut state = self.lock();
        let free = self.all.saturating_sub(state.taken);
        state.refused |= free == 0;
        free
    }

    /// How many more places the workspace may take.
    pub(crate) fn of(&self, workspace: WorkspaceId) -> usize {
        let mut state = self.lock();
        let more = self.more(&state, workspace);
        if more == 0 {
            state.refuse(workspace);
        }
        more
    }

    /// All lanes that waited and have room were claimed.
    pub(crate) fn caught_up(&self) {
        let state = &mut *self.lock();
        let mut behind = std::mem::take(&mut state.behind);
        behind.retain(|workspace| self.more(state, *workspace) == 0);
        state.behind = behind;
    }

    fn more(&self, state: &State, workspace: WorkspaceId) -> usize {
        let has = state.by_workspace.get(&workspace).copied().unwrap_or(0);
        // Each place it takes is one less that is free.
        let beyond = (self.all + 1).saturating_sub(state.taken + has) / 2;
        self.each.saturating_sub(has).min(beyond)
    }

    /// Takes as many places for new lanes of the workspace as it may, up to `most`.
    pub(crate) fn take(self: &Arc<Self>, workspace: WorkspaceId, most: usize) -> Vec<Place> {
        let count = {
            let mut state = self.lock();
            let is_behind = state.behind.contains(&workspace);
            let more = if is_behind { 0 } else { self.more(&state, workspace) };
            if more < most {
                state.refuse(workspace);
            }
            let count = more.min(most);
            state.enter(workspace, count);
            count
        };
        (0..count).map(|_| Place { places: Arc::clone(self), workspace }).collect()
    }

    /// Takes a place for a lane that is already claimed.
    pub(crate) fn enter(self: &Arc<Self>, workspace: WorkspaceId) -> Place {
        self.lock().enter(workspace, 1);
        Place { places: Arc::clone(self), workspace }
    }

    /// Gives a lane's place to others until the awaited thing has come. `None` if the lane has no
    /// place, or if as many of its workspace have stepped aside as may work: they are held in
    /// memory all the same.
    pub(crate) fn step_aside(&self, workspace: WorkspaceId) -> Option<Aside<'_>> {
        {
            let mut state = self.lock();
            let has_place = state.by_workspace.contains_key(&workspace);
            if !has_place || state.aside.get(&workspace).is_some_and(|aside| *aside >= self.each) {
                return None;
            }
            *state.aside.entry(workspace).or_default() += 1;
        }
        self.leave(workspace);
        Some(Aside { places: self, workspace })
    }

    fn leave(&self, workspace: WorkspaceId) {
        let mut state = self.lock();
        state.taken -= 1;
        remove_one(&mut state.by_workspace, workspace);
        if std::mem::take(&mut state.refused) {
            self.freed.notify_one();
        }
        if state.is_empty() {
            self.emptied.notify_waiters();
        }
    }

    /// Returns once a place was given back since somebody was refused.
    pub(crate) async fn freed(&self) {
        self.freed.notified().await;
    }

    /// Returns once nobody has a place.
    pub(crate) async fn empty(&self) {
        loop {
            let emptied = self.emptied.notified();
            if self.lock().is_empty() {
                return;
            }
            emptied.await;
        }
    }
}

fn remove_one(counts: &mut HashMap<WorkspaceId, usize>, workspace: WorkspaceId) {
    if let Some(count) = counts.get_mut(&workspace) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&workspace);
        }
    }
}

impl State {
    fn refuse(&mut self, workspace: WorkspaceId) {
        self.refused = true;
        self.behind.insert(workspace);
    }

    fn is_empty(&self) -> bool {
        self.taken == 0 && self.aside.is_empty()
    }

    fn enter(&mut self, workspace: WorkspaceId, count: usize) {
        if count > 0 {
            self.taken += count;
            *self.by_workspace.entry(workspace).or_default() += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(slug: &str) -> WorkspaceId {
        WorkspaceId::from_slug(slug)
    }

    #[test]
    fn whoever_is_alone_has_all_the_workers_and_each_who_comes_next_finds_some_free() {
        let places = Places::new(8);
        let mut taken = Vec::new();
        for (slug, expected) in [("one", 8), ("two", 4), ("three", 2), ("four", 1), ("five", 1)] {
            assert_eq!(places.of(named(slug)), expected, "{slug}");
            taken.push(places.take(named(slug), usize::MAX));
            assert_eq!(taken.last().unwrap().len(), expected, "{slug}");
        }
        assert_eq!((places.taken(), places.free(), places.of(named("six"))), (16, 0, 0));
    }

    #[test]
    fn those_who_want_all_they_can_get_come_to_have_the_same() {
        let places = Places::new(300);
        let slugs = ["one", "two", "three"].map(named);
        let mut taken: HashMap<_, Vec<Place>> =
            slugs.iter().map(|one| (*one, places.take(*one, usize::MAX))).collect();
        for _ in 0..2_000 {
            for one in slugs {
                taken.get_mut(&one).unwrap().pop();
                places.caught_up();
                taken.get_mut(&one).unwrap().extend(places.take(one, usize::MAX));
            }
        }
        let counts: Vec<_> = slugs.iter().map(|one| taken[one].len()).collect();
        assert!(counts.iter().all(|count| (149..=151).contains(count)), "{counts:?}");
    }

    #[test]
    fn who_steps_aside_leaves_its_place_to_others_and_has_it_again_afterwards() {
        let (places, one) = (Places::new(2), named("one"));
        assert!(places.step_aside(one).is_none(), "it has no place");
        let taken = places.take(one, 2);
        let aside: Vec<_> = (0..2).filter_map(|_| places.step_aside(one)).collect();
        assert_eq!((aside.len(), places.taken(), places.of(one)), (2, 0, 2));
        places.caught_up();
        let more = places.take(one, 2);
        assert!(places.step_aside(one).is_none(), "as many as may work have stepped aside");
        drop(aside);
        assert_eq!((places.taken(), places.of(one)), (4, 0));
        drop((taken, more));
        let state = places.lock();
        assert!(state.is_empty() && state.by_workspace.is_empty());
    }

    #[test]
    fn one_worker_is_enough_for_everybody_in_turn() {
        let places = Places::new(1);
        let one = places.take(named("one"), 5);
        assert_eq!((one.len(), places.of(named("one")), places.of(named("two"))), (1, 0, 1));
        drop(one);
        assert_eq!((places.taken(), places.of(named("one"))), (0, 1));
        assert!(places.take(named("one"), 1).is_empty(), "four wait that came before");
        places.caught_up();
        assert_eq!(places.take(named("one"), 1).len(), 1);
        assert!(places.lock().by_workspace.is_empty());
    }
}
