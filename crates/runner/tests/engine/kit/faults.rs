//! A driver that passes every transaction on, and dies, fails or lets the test act where told to.

use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard};

use domain::{ConversationId, Timestamp, WorkspaceId};
use store::sql::{Driver, Look, TxFuture};
use store::{Durability, Point, Signals, StoreError, StoreResult, When};
use tokio::sync::Notify;

use super::Gate;

/// Which fault happens at which hit. Hits are `turn.commit:before`, `tool.call:after` and so on; a
/// plan is carried out once.
#[derive(Default)]
enum Plan {
    #[default]
    None,
    /// Never comes back from there: the process is gone.
    Crash(Place),
    /// The database is away: before, nothing was written; after, it was, but nobody learns of it.
    Unavailable(Place),
    /// Waits at the gate.
    Wait(Place, Gate),
    /// Time passes there.
    Do(Place, Box<dyn FnOnce() + Send>),
}

enum Place {
    Number(usize),
    Named(String),
}

impl Place {
    fn is(&self, number: usize, name: &str) -> bool {
        match self {
            Self::Number(wanted) => *wanted == number,
            Self::Named(wanted) => wanted == name,
        }
    }
}

#[derive(Clone, Default)]
pub(crate) struct Faults(Arc<Inner>);

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    crashed: Notify,
}

#[derive(Default)]
struct State {
    hits: Vec<String>,
    plan: Plan,
    is_away: bool,
    time_is_paused: bool,
}

impl Faults {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap()
    }

    fn plan(&self, plan: Plan) {
        let mut state = self.lock();
        state.hits.clear();
        state.plan = plan;
    }

    /// Every hit since the last plan.
    pub(crate) fn hits(&self) -> Vec<String> {
        self.lock().hits.clone()
    }

    /// Waits until somebody has come by there since the last plan.
    pub(crate) async fn passed(&self, name: &str) {
        while !self.lock().hits.iter().any(|hit| hit == name) {
            tokio::task::yield_now().await;
        }
    }

    pub(crate) fn none(&self) {
        self.plan(Plan::None);
    }

    pub(crate) fn crash_at_hit(&self, number: usize) {
        self.plan(Plan::Crash(Place::Number(number)));
    }

    pub(crate) fn crash_at(&self, name: &str) {
        self.plan(Plan::Crash(Place::Named(name.to_owned())));
    }

    pub(crate) fn unavailable_at_hit(&self, number: usize) {
        self.plan(Plan::Unavailable(Place::Number(number)));
    }

    pub(crate) fn wait_at_hit(&self, number: usize) -> Gate {
        let gate = Gate::closed_for(1);
        self.plan(Plan::Wait(Place::Number(number), gate.clone()));
        gate
    }

    pub(crate) fn wait_at(&self, name: &str) -> Gate {
        let gate = Gate::closed_for(1);
        self.plan(Plan::Wait(Place::Named(name.to_owned()), gate.clone()));
        gate
    }

    pub(crate) fn act_at(&self, name: &str, act: impl FnOnce() + Send + 'static) {
        self.plan(Plan::Do(Place::Named(name.to_owned()), Box::new(act)));
    }

    /// The database is away from now on, or back.
    pub(crate) fn is_away(&self, away: bool) {
        self.lock().is_away = away;
    }

    /// Runs `work` until it ends or the planned crash ends it; true if it crashed.
    pub(crate) async fn until_crash(&self, work: impl Future<Output = ()>) -> bool {
        tokio::select! {
            biased;
            () = self.0.crashed.notified() => true,
            () = work => false,
        }
    }

    /// Called wherever something could happen.
    pub(crate) async fn hit(&self, name: &str, when: When) -> StoreResult<()> {
        let plan = {
            let mut state = self.lock();
            if std::mem::take(&mut state.time_is_paused) {
                tokio::time::resume();
            }
            let hit = format!("{name}:{}", when.name());
            let number = state.hits.len();
            let due = match &state.plan {
                Plan::None => false,
                Plan::Crash(place)
                | Plan::Unavailable(place)
                | Plan::Wait(place, _)
                | Plan::Do(place, _) => place.is(number, &hit),
            };
            state.hits.push(hit);
            if state.is_away && when == When::Before {
                return Err(StoreError::Unavailable("away".into()));
            }
            if due { std::mem::take(&mut state.plan) } else { Plan::None }
        };
        match plan {
            Plan::None => {}
            Plan::Crash(_) => {
                self.0.crashed.notify_one();
                pending::<()>().await;
            }
            Plan::Unavailable(_) => {
                // A caller that waits before trying again does so in no time, up to the next hit.
                tokio::time::pause();
                self.lock().time_is_paused = true;
                return Err(StoreError::Unavailable("planned".into()));
            }
            Plan::Wait(_, gate) => gate.pass().await,
            Plan::Do(_, act) => act(),
        }
        Ok(())
    }
}

pub(crate) struct Faulty<D> {
    pub(crate) inner: D,
    pub(crate) faults: Faults,
}

impl<D: Driver> Driver for Faulty<D> {
    type Tx = D::Tx;

    async fn write<R, W>(&self, point: Point, work: W) -> StoreResult<R>
    where
        R: Send + 'static,
        W: for<'t> Fn(&'t mut Self::Tx) -> TxFuture<'t, R> + Send + Sync + 'static,
    {
        self.faults.hit(point.name(), When::Before).await?;
        let result = self.inner.write(point, work).await?;
        self.faults.hit(point.name(), When::After).await?;
        Ok(result)
    }

    async fn read<R, W>(&self, look: Look, work: W) -> StoreResult<R>
    where
        R: Send + 'static,
        W: for<'t> Fn(&'t mut Self::Tx) -> TxFuture<'t, R> + Send + Sync + 'static,
    {
        self.inner.read(look, work).await
    }

    fn wake_lanes(&self) {
        self.inner.wake_lanes();
    }

    fn announce_lines(&self, conversation: ConversationId) {
        self.inner.announce_lines(conversation);
    }

    fn announce_live(&self, workspace: WorkspaceId) {
        self.inner.announce_live(workspace);
    }

    fn signals(&self) -> &Signals {
        self.inner.signals()
    }

    async fn durability(&self, now: Timestamp) -> StoreResult<Durability> {
        self.inner.durability(now).await
    }
}
