//! The agents that answer while serving: packs that reload when their folder changes, and the last good
//! version of one that no longer reads.

mod at_hand;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use agents::{Agent, DemoAgent};
use domain::{Clock, Ticks, Timestamp};
use pack::{Pack, Source, Stamp};
use runner::Roster;
use store::StoredPack;
use tools::Registry;

use crate::packs::{self, BadPack, Opened, Place};
use crate::toolbox::{Missing, Toolbox};
use crate::{HostError, with_causes};
use at_hand::{AtHand, Version};

/// The agent that is code.
pub const DEMO: &str = "demo";

pub struct PackRoster {
    clock: Arc<dyn Clock>,
    ticks: Arc<dyn Ticks>,
    toolbox: Toolbox,
    agents: RwLock<Agents>,
}

#[derive(Default)]
struct Agents {
    current: BTreeMap<String, Arc<dyn Agent>>,
    versions: AtHand,
    /// The tools of each version, and whose they are: a turn under way finds them as long as it holds
    /// its agent.
    tools: HashMap<Version, (Weak<dyn Agent>, Registry)>,
    /// The folders that are watched, and how they looked when last read.
    watched: BTreeMap<String, (PathBuf, Stamp)>,
}

impl Agents {
    /// Holds a version, in the place of one that nobody asks for if there are many.
    fn hold(&mut self, key: Version, agent: Arc<dyn Agent>, now: Timestamp) {
        let name = key.0.clone();
        self.versions.hold(key, agent, now);
        self.versions.keep_some(&name, self.current.get(&name));
        self.forget_tools();
    }

    fn forget_tools(&mut self) {
        self.tools.retain(|_, (agent, _)| agent.strong_count() > 0);
    }
}

/// A pack's agent, with the tools of its version.
pub struct Ready {
    pub agent: Arc<dyn Agent>,
    pub pack: Arc<Pack>,
    tools: Registry,
}

/// The fate of a pack whose folder has changed.
pub enum Change {
    /// A new version, which is not current before it is kept.
    Read(Ready),
    /// The folder no longer reads; the last good version answers on.
    Refused { name: String, why: String },
}

impl PackRoster {
    /// Reads the packs of these names; each must read, and its tools be there. Gives the packs too.
    pub fn load<'n>(
        names: impl IntoIterator<Item = &'n str>,
        folder: &Path,
        toolbox: Toolbox,
        clock: Arc<dyn Clock>,
        ticks: Arc<dyn Ticks>,
    ) -> Result<(Self, Vec<Arc<Pack>>), HostError> {
        let roster = Self { clock, ticks, toolbox, agents: RwLock::default() };
        let mut read = Vec::new();
        roster.make_current(Arc::new(DemoAgent));
        for name in names.into_iter().filter(|name| *name != DEMO) {
            let place = packs::find(name, folder)?;
            if let Place::Folder(folder) = &place {
                roster.watch(name, folder);
            }
            let opened = place.open()?;
            for warning in &opened.warnings {
                tracing::warn!("{}", packs::line(&place.folder(), warning));
            }
            read.push(Arc::clone(&opened.pack));
            roster.adopt(roster.ready(&opened, name, Missing::Refuse)?);
        }
        Ok((roster, read))
    }

    pub(crate) fn ready(
        &self,
        opened: &Opened,
        name: &str,
        missing: Missing,
    ) -> Result<Ready, HostError> {
        let agent = opened.agent(name, Arc::clone(&self.ticks))?;
        let tools = self.toolbox.registry(&opened.pack.tools, missing);
        let tools = tools.map_err(|source| {
            let (pack, source) = (name.to_owned(), Box::new(source));
            HostError::PackTools { pack, source }
        })?;
        Ok(Ready { agent, pack: Arc::clone(&opened.pack), tools })
    }

    /// The engine's own tools, for agents that are no pack.
    pub fn own_tools(&self) -> Registry {
        self.toolbox.own()
    }

    fn watch(&self, name: &str, folder: &Path) {
        let mut agents = self.agents_mut();
        agents.watched.insert(name.to_owned(), (folder.to_owned(), Source::stamp(folder)));
    }

    /// Reads a pack again at the next look, although nothing changes meanwhile.
    pub fn look_again(&self, name: &str) {
        let mut agents = self.agents_mut();
        if let Some((_, stamp)) = agents.watched.get_mut(name) {
            *stamp = Stamp::default();
        }
    }

    /// Makes an agent current; sessions under way keep the version they began with.
    pub fn adopt(&self, Ready { agent, tools, .. }: Ready) {
        let mut agents = self.agents_mut();
        agents.tools.insert(version(&*agent), (Arc::downgrade(&agent), tools));
        drop(agents);
        self.make_current(agent);
    }

    fn make_current(&self, agent: Arc<dyn Agent>) {
        let mut agents = self.agents_mut();
        agents.current.insert(agent.name().to_owned(), Arc::clone(&agent));
        agents.hold(version(&*agent), agent, self.clock.now());
    }

    /// Lets go of the versions that no session asked for lately; how many they were. A session that
    /// comes back has its version made again.
    pub fn sweep(&self) -> usize {
        let mut agents = self.agents_mut();
        let Agents { versions, current, .. } = &mut *agents;
        let swept = versions.sweep(current, self.clock.now());
        agents.forget_tools();
        swept
    }

    /// Reads the packs whose folders have changed since they were last looked at.
    pub fn changes(&self) -> Vec<Change> {
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
        let read = Place::Folder(folder).open().map_err(HostError::from);
        let ready = read.and_then(|opened| self.ready(&opened, name, Missing::Refuse));
        match ready {
            Ok(ready) => {
                let current = self.current(name);
                let is_new =
                    current.is_none_or(|current| current.version() != ready.agent.version());
                is_new.then_some(Change::Read(ready))
            }
            Err(why) => Some(Change::Refused { name: name.to_owned(), why: with_causes(&why) }),
        }
    }

    fn agents(&self) -> RwLockReadGuard<'_, Agents> {
        self.agents.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn agents_mut(&self) -> RwLockWriteGuard<'_, Agents> {
        self.agents.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn made_again(&self, name: &str, stored: &StoredPack) -> Result<Ready, HostError> {
        let opened = Opened::revive(Source::new(stored.source.clone()));
        let bad = |findings: pack::Findings| {
            let folder = PathBuf::from(format!("{name}@{}", stored.version));
            BadPack { folder, findings: findings.into_vec() }
        };
        // A system that an old version calls may be gone from the configuration; the version is held as it was.
        self.ready(&opened.map_err(bad)?, name, Missing::StandIn)
    }
}

fn version(agent: &dyn Agent) -> Version {
    (agent.name().to_owned(), agent.version().to_owned())
}

impl Roster for PackRoster {
    fn names(&self) -> Vec<String> {
        self.agents().current.keys().cloned().collect()
    }

    fn current(&self, name: &str) -> Option<Arc<dyn Agent>> {
        self.agents().current.get(name).cloned()
    }

    fn version(&self, name: &str, version: &str) -> Option<Arc<dyn Agent>> {
        let key = (name.to_owned(), version.to_owned());
        self.agents().versions.get(&key, self.clock.now())
    }

    fn revive(&self, name: &str, stored: &StoredPack) -> Option<Arc<dyn Agent>> {
        let Ready { agent, tools, .. } = match self.made_again(name, stored) {
            Ok(ready) => ready,
            Err(error) => {
                let (version, why) = (&stored.version, with_causes(&error));
                tracing::warn!(pack = name, version, "this version cannot be made again:\n{why}");
                return None;
            }
        };
        // Under the version it was stored as: what a version is made of may be counted otherwise
        // by another build.
        let key = (name.to_owned(), stored.version.clone());
        let mut agents = self.agents_mut();
        let owner = || Arc::downgrade(&agent);
        agents.tools.insert(version(&*agent), (owner(), tools.clone()));
        agents.tools.insert(key.clone(), (owner(), tools));
        agents.hold(key, Arc::clone(&agent), self.clock.now());
        Some(agent)
    }

    fn tools(&self, name: &str, version: &str) -> Option<Registry> {
        let agents = self.agents();
        agents.tools.get(&(name.to_owned(), version.to_owned())).map(|(_, tools)| tools.clone())
    }
}
