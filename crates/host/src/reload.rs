//! Edits of the packs, taken up while serving.

use std::sync::Arc;
use std::time::Duration;

use config::Config;
use domain::{Clock, SystemClock, SystemIds};
use llm::Models;
use store::Store;

use crate::roster::{Change, PackRoster, Ready};
use crate::{models, provision};

/// How often the packs' folders are looked at.
const LOOK_AT_PACKS: Duration = Duration::from_secs(1);

/// Versions that nobody asks for are let go once in so many looks: each minute.
const LOOKS_A_SWEEP: u32 = 60;

/// Takes up edits of the packs. A version is current once it is kept; one that does not read
/// leaves the last good one in place and says so.
pub(crate) struct Reload {
    pub(crate) config: Arc<Config>,
    pub(crate) clock: SystemClock,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) roster: Arc<PackRoster>,
    pub(crate) models: Arc<Models>,
    /// Gives memory back: called after a pack was read, which takes several times the memory that it
    /// leaves in use, and after versions were let go.
    pub(crate) after_reading: fn(),
}

impl Reload {
    pub(crate) async fn run(self) {
        let mut looks = 0;
        loop {
            tokio::time::sleep(LOOK_AT_PACKS).await;
            looks = (looks + 1) % LOOKS_A_SWEEP;
            if looks == 0 {
                self.sweep();
            }
            let looking = Arc::clone(&self.roster);
            let changes = tokio::task::spawn_blocking(move || looking.changes()).await;
            for change in changes.unwrap_or_default() {
                match change {
                    Change::Read(ready) => self.take_up(ready).await,
                    Change::Refused { name, why } => tracing::error!(
                        pack = name,
                        "not reloaded, the last good version answers on:\n{why}"
                    ),
                }
            }
        }
    }

    fn sweep(&self) {
        let swept = self.roster.sweep();
        if swept > 0 {
            tracing::debug!(swept, "versions that no session asks for were let go");
            (self.after_reading)();
        }
    }

    async fn take_up(&self, ready: Ready) {
        let agent = Arc::clone(&ready.agent);
        let kept =
            provision::keep_everywhere(&self.config, &*self.store, &*agent, &self.clock).await;
        match kept {
            Ok(()) => {
                tracing::info!(pack = agent.name(), version = agent.version(), "reloaded");
                let ids = SystemIds::new(self.clock.clone());
                let (store, now) = (&*self.store, self.clock.now());
                let opened = provision::open_shops(
                    &self.config,
                    store,
                    agent.name(),
                    &ready.pack,
                    &ids,
                    now,
                );
                if let Err(error) = opened.await {
                    tracing::warn!(pack = agent.name(), %error, "its shop is as it was");
                }
                models::announce_components(&ready.pack, &self.models);
                self.roster.adopt(ready);
                (self.after_reading)();
            }
            Err(error) => {
                tracing::warn!(pack = agent.name(), %error, "not reloaded: it could not be kept");
                self.roster.look_again(agent.name());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use domain::{Timestamp, VirtualClock};
    use runner::Roster;
    use store::StoredPack;

    use super::*;
    use crate::{SystemTicks, Toolbox, open_scratch};

    static GIVEN_BACK: AtomicUsize = AtomicUsize::new(0);

    #[tokio::test(start_paused = true)]
    async fn versions_that_nobody_asks_for_are_let_go_each_minute_and_their_memory_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let config =
            Arc::new(config::load(None, &config::Environment::default()).expect("the demo's"));
        let time = VirtualClock::at(Timestamp::from_millis(1_780_000_000_000));
        let (by, ticks) = (Arc::new(time.clone()), Arc::new(SystemTicks::start()));
        let toolbox = Toolbox::indoors();
        let roster = PackRoster::load(["registro"], folder.path(), toolbox, by, ticks).unwrap().0;
        let source = roster.current("registro").unwrap().source().unwrap().clone();
        let (name, version) = ("registro".to_owned(), "de-antes".to_owned());
        roster.revive("registro", &StoredPack { name, version, source }).unwrap();
        let (clock, roster) = (SystemClock::default(), Arc::new(roster));
        let ids = Arc::new(SystemIds::new(clock.clone()));
        let reload = Reload {
            models: models::configured(&config, Arc::new(clock.clone()), ids).unwrap(),
            store: open_scratch(&folder.path().join("recado.db")).unwrap(),
            roster: Arc::clone(&roster),
            clock,
            config,
            after_reading: || {
                GIVEN_BACK.fetch_add(1, Ordering::SeqCst);
            },
        };
        tokio::spawn(reload.run());
        let given_back = || GIVEN_BACK.load(Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(60_500)).await;
        assert_eq!(given_back(), 0, "it was asked for a minute ago");
        time.advance_ms(11 * 60 * 1000);
        tokio::time::sleep(Duration::from_secs(59)).await;
        assert_eq!(given_back(), 0, "the next sweep is not yet");
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(given_back(), 1);
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(given_back(), 1, "nothing more to let go");
        assert!(roster.version("registro", "de-antes").is_none());
    }
}
