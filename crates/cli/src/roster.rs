//! Who answers while serving: packs that reload when their folder changes, and the last good
//! version of one that no longer reads.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use agents::{Agent, DemoAgent};
use anyhow::Result;
use domain::Ticks;
use pack::{Source, Stamp};
use runner::Roster;
use store::StoredPack;

use crate::packs::{self, Opened, Place};

/// The agent that is code.
const DEMO: &str = "demo";

pub(crate) struct PackRoster {
    ticks: Arc<dyn Ticks>,
    agents: RwLock<Agents>,
}

#[derive(Default)]
struct Agents {
    current: BTreeMap<String, Arc<dyn Agent>>,
    versions: HashMap<(String, String), Arc<dyn Agent>>,
    /// The folders that are watched, and how they looked when last read.
    watched: BTreeMap<String, (PathBuf, Stamp)>,
}

/// What became of a pack whose folder has changed.
pub(crate) enum Change {
    /// A new version, which is not current before it is kept.
    Read(Arc<dyn Agent>),
    /// It no longer reads; the last good version answers on.
    Refused { name: String, why: String },
}

impl PackRoster {
    /// Reads the packs of these names; each must read.
    pub(crate) fn load<'n>(
        names: impl IntoIterator<Item = &'n str>,
        folder: &Path,
        ticks: Arc<dyn Ticks>,
    ) -> Result<Self> {
        let roster = Self { ticks, agents: RwLock::default() };
        roster.adopt(Arc::new(DemoAgent));
        for name in names.into_iter().filter(|name| *name != DEMO) {
            let place = packs::find(name, folder)?;
            if let Place::Folder(folder) = &place {
                roster.watch(name, folder);
            }
            let opened = place.open()?;
            for warning in &opened.warnings {
                tracing::warn!("{}", packs::line(&place.folder(), warning));
            }
            roster.adopt(opened.agent(name, Arc::clone(&roster.ticks))?);
        }
        Ok(roster)
    }

    fn watch(&self, name: &str, folder: &Path) {
        let mut agents = self.agents.write().unwrap_or_else(PoisonError::into_inner);
        agents.watched.insert(name.to_owned(), (folder.to_owned(), Source::stamp(folder)));
    }

    /// Reads a pack again at the next look, although nothing changes meanwhile.
    pub(crate) fn look_again(&self, name: &str) {
        let mut agents = self.agents.write().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, stamp)) = agents.watched.get_mut(name) {
            *stamp = Stamp::default();
        }
    }

    /// Makes an agent current; sessions under way keep the version they began with.
    pub(crate) fn adopt(&self, agent: Arc<dyn Agent>) {
        let mut agents = self.agents.write().unwrap_or_else(PoisonError::into_inner);
        let key = (agent.name().to_owned(), agent.version().to_owned());
        agents.versions.insert(key, Arc::clone(&agent));
        agents.current.insert(agent.name().to_owned(), agent);
    }

    /// Reads the packs whose folders have changed since they were last looked at.
    pub(crate) fn changes(&self) -> Vec<Change> {
        let watched = self.agents().watched.clone();
        let mut changes = Vec::new();
        for (name, (folder, seen)) in watched {
            let stamp = Source::stamp(&folder);
            if stamp == seen {
                continue;
            }
            self.watch(&name, &folder);
            changes.extend(self.reread(&name, folder));
        }
        changes
    }

    fn reread(&self, name: &str, folder: PathBuf) -> Option<Change> {
        let read = Place::Folder(folder).open().map_err(anyhow::Error::from);
        let agent = read.and_then(|opened| opened.agent(name, Arc::clone(&self.ticks)));
        match agent {
            Ok(agent) => {
                let current = self.current(name);
                let is_new = current.is_none_or(|current| current.version() != agent.version());
                is_new.then_some(Change::Read(agent))
            }
            Err(why) => Some(Change::Refused { name: name.to_owned(), why: why.to_string() }),
        }
    }

    fn agents(&self) -> RwLockReadGuard<'_, Agents> {
        self.agents.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Roster for PackRoster {
    fn names(&self) -> Vec<String> {
        self.agents().current.keys().cloned().collect()
    }

    fn current(&self, name: &str) -> Option<Arc<dyn Agent>> {
        self.agents().current.get(name).cloned()
    }

    fn version(&self, name: &str, version: &str) -> Option<Arc<dyn Agent>> {
        self.agents().versions.get(&(name.to_owned(), version.to_owned())).cloned()
    }

    fn revive(&self, name: &str, stored: &StoredPack) -> Option<Arc<dyn Agent>> {
        let source = Source::new(stored.source.clone());
        let loaded = pack::read(&source).ok()?;
        let opened = Opened { source, pack: Arc::new(loaded.pack), warnings: loaded.warnings };
        let agent = opened.agent(name, Arc::clone(&self.ticks)).ok()?;
        // Under the version it was stored as: what a version is made of may be counted otherwise
        // by another build.
        let key = (name.to_owned(), stored.version.clone());
        let mut agents = self.agents.write().unwrap_or_else(PoisonError::into_inner);
        agents.versions.insert(key, Arc::clone(&agent));
        Some(agent)
    }
}
