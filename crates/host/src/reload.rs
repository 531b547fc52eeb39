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

/// Takes up edits of the packs. A version is current once it is kept; one that does not read
/// leaves the last good one in place and says so.
pub(crate) struct Reload {
    pub(crate) config: Arc<Config>,
    pub(crate) clock: SystemClock,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) roster: Arc<PackRoster>,
    pub(crate) models: Arc<Models>,
    /// Called after a pack was read, which takes several times the memory that it leaves in use.
    pub(crate) after_reading: fn(),
}

impl Reload {
    pub(crate) async fn run(self) {
        loop {
            tokio::time::sleep(LOOK_AT_PACKS).await;
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
