//! A trial: what may have ended earlier processes computes alone, so that one more end tells which.
//!
//! All lanes that were under way when a process ended go on at once, together, because most ends
//! are nobody's fault. A lane that was under way at so many ends that one more is the last computes
//! alone, and that is on record while it does: should the process end then, it was this lane, and
//! no other is blamed. Nobody computes while they wait for a model or a call outside, so those
//! waits are shared.

use std::sync::Arc;

use store::{Attempts, Lease, StoreResult};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::turn::TurnRunner;

/// After so many ends it stays alone while it waits, too: it may be a wait that ends the process.
const ALONE_TO_THE_END: u32 = 6;

pub(crate) struct Trial {
    lease: Lease,
    to_the_end: bool,
    suspects: Arc<Mutex<()>>,
    alone: Option<OwnedMutexGuard<()>>,
}

impl TurnRunner {
    /// Waits until a suspect may compute alone; none for a lane that is not suspect.
    pub(crate) async fn trial(
        &self,
        lease: Lease,
        attempts: Attempts,
    ) -> StoreResult<Option<Trial>> {
        let Attempts { failed, crashed, .. } = attempts;
        if crashed == 0 || failed + crashed + 1 < self.settings.turn_attempts {
            return Ok(None);
        }
        let to_the_end = crashed >= ALONE_TO_THE_END;
        let suspects = Arc::clone(&self.suspects);
        let mut trial = Trial { lease, to_the_end, suspects, alone: None };
        trial.compute(self).await?;
        Ok(Some(trial))
    }
}

impl Trial {
    /// Computes from here on, once no other suspect does.
    pub(crate) async fn compute(&mut self, runner: &TurnRunner) -> StoreResult<()> {
        if self.alone.is_none() {
            self.alone = Some(Arc::clone(&self.suspects).lock_owned().await);
            let record = || runner.store.try_alone(self.lease, true);
            runner.leases.patiently(self.lease, record).await?;
        }
        Ok(())
    }

    /// Waits from here on for somebody outside.
    pub(crate) async fn wait(&mut self, runner: &TurnRunner) -> StoreResult<()> {
        if self.to_the_end {
            return Ok(());
        }
        self.acquit(runner).await
    }

    /// Makes place for the next suspect, which is not to be blamed for this one.
    pub(crate) async fn acquit(&mut self, runner: &TurnRunner) -> StoreResult<()> {
        if self.alone.is_some() {
            let record = || runner.store.try_alone(self.lease, false);
            runner.leases.patiently(self.lease, record).await?;
            self.alone = None;
        }
        Ok(())
    }
}
