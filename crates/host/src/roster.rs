//! The agents that answer while serving: packs that reload when their folder changes, and the last good
//! version of one that no longer reads.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, Weak};

use agents::{Agent, DemoAgent};
use domain::Ticks;
use pack::{Pack, Source, Stamp};
use runner::Roster;
use store::StoredPack;
use tools::Registry;

use crate::packs::{self, Opened, Place};
use crate::toolbox::{Missing, Toolbox};
use crate::{HostError, with_causes};

/// The agent that is code.
pub const DEMO: &str = "demo";

pub struct PackRoster {
    ticks: Arc<dyn Ticks>,
    toolbox: Toolbox,
    agents: RwLock<Agents>,
}

/// An agent's name and version.
type Version = (String, String);

/// Versions of an agent that are kept at hand beside the current one: those that sessions asked for
/// last. Each holds a pack and what was learnt from it, some ten megabytes; one that is asked for
/// again is made again from what is stored.
const OLD_AT_HAND: usize = 2;

#[derive(Default)]
struct Agents {
    current: BTreeMap<String, Arc<dyn Agent>>,
    versions: HashMap<Version, Held>,
    /// The tools of each version, and whose they are: a turn under way finds them as long as it holds
    /// its agent.
    tools: HashMap<Version, (Weak<dyn Agent>, Registry)>,
    /// How often versions were asked for.
    asked: AtomicU64,
    /// The folders that are watched, and how they looked when last read.
    watched: BTreeMap<String, (PathBuf, Stamp)>,
}

/// A version at hand.
struct Held {
    agent: Arc<dyn Agent>,
    /// The number of the last time that it was asked for.
    asked: AtomicU64,
}

impl Agents {
    fn hold(&mut self, key: Version, agent: Arc<dyn Agent>) {
        let asked = AtomicU64::new(self.next());
        self.versions.insert(key, Held { agent, asked });
    }

    fn next(&self) -> u64 {
        self.asked.fetch_add(1, Ordering::Relaxed)
    }

    fn version(&self, key: &Version) -> Option<Arc<dyn Agent>> {
        let held = self.versions.get(key)?;
        held.asked.store(self.next(), Ordering::Relaxed);
        Some(Arc::clone(&held.agent))
    }

    /// Lets go of the versions of an agent that were not asked for longest, but never of the current.
    fn let_go(&mut self, name: &str) {
        let current = self.current.get(name).map(|agent| agent.version().to_owned());
        let old = |(key, _): &(&Version, &Held)| key.0 == name && Some(&key.1) != current.as_ref();
        let asked =
            |(key, held): (&Version, &Held)| (held.asked.load(Ordering::Relaxed), key.clone());
        let mut old: Vec<_> = self.versions.iter().filter(old).map(asked).collect();
        old.sort_unstable_by_key(|(asked, _)| std::cmp::Reverse(*asked));
        for (_, key) in old.into_iter().skip(OLD_AT_HAND) {
            self.versions.remove(&key);
        }
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
        ticks: Arc<dyn Ticks>,
    ) -> Result<(Self, Vec<Arc<Pack>>), HostError> {
        let roster = Self { ticks, toolbox, agents: RwLock::default() };
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

    fn ready(&self, opened: &Opened, name: &str, missing: Missing) -> Result<Ready, HostError> {
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
        let mut agents = self.agents.write().unwrap_or_else(PoisonError::into_inner);
        agents.watched.insert(name.to_owned(), (folder.to_owned(), Source::stamp(folder)));
    }

    /// Reads a pack again at the next look, although nothing changes meanwhile.
    pub fn look_again(&self, name: &str) {
        let mut agents = self.agents.write().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, stamp)) = agents.watched.get_mut(name) {
            *stamp = Stamp::default();
        }
    }

    /// Makes an agent current; sessions under way keep the version they began with.
    pub fn adopt(&self, Ready { agent, tools, .. }: Ready) {
        let mut agents = self.agents.write().unwrap_or_else(PoisonError::into_inner);
        agents.tools.insert(version(&*agent), (Arc::downgrade(&agent), tools));
        drop(agents);
        self.make_current(agent);
    }

    fn make_current(&self, agent: Arc<dyn Agent>) {
        let mut agents = self.agents.write().unwrap_or_else(PoisonError::into_inner);
        let name = agent.name().to_owned();
        agents.hold(version(&*agent), Arc::clone(&agent));
        agents.current.insert(name.clone(), agent);
        agents.let_go(&name);
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
        self.agents().version(&(name.to_owned(), version.to_owned()))
    }

    fn revive(&self, name: &str, stored: &StoredPack) -> Option<Arc<dyn Agent>> {
        let opened = Opened::read(Source::new(stored.source.clone())).ok()?;
        // A system that an old version calls may be gone from the configuration; the version is held as it was.
        let Ready { agent, tools, .. } = self.ready(&opened, name, Missing::StandIn).ok()?;
        // Under the version it was stored as: what a version is made of may be counted otherwise
        // by another build.
        let key = (name.to_owned(), stored.version.clone());
        let mut agents = self.agents.write().unwrap_or_else(PoisonError::into_inner);
        let owner = || Arc::downgrade(&agent);
        agents.tools.insert(version(&*agent), (owner(), tools.clone()));
        agents.tools.insert(key.clone(), (owner(), tools));
        agents.hold(key, Arc::clone(&agent));
        agents.let_go(name);
        Some(agent)
    }

    fn tools(&self, name: &str, version: &str) -> Option<Registry> {
        let agents = self.agents();
        agents.tools.get(&(name.to_owned(), version.to_owned())).map(|(_, tools)| tools.clone())
    }
}

#[cfg(test)]
mod tests {
    use domain::{Caller, ContactId, ConversationId, SessionId, WorkspaceId};
    use serde_json::json;
    use tools::{Class, Prepared};
    use uuid::Uuid;

    use super::*;
    use crate::ticks::SystemTicks;

    const HELD: &str = "tools: [{ name: turno.tomar, class: suggest }]\n";
    const CALLS: &str = "http:\n  - { name: envios.cotizar, description: x, system: lejos, \
                         method: GET, path: /x, class: execute }\n";

    /// A folder of packs with `registro` in it, which has these tools.
    fn packs(tools: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let (name, source) = crate::built_in::find("registro").unwrap();
        for (path, text) in source.iter().chain([("tools.yaml", tools)]) {
            let file = folder.path().join(name).join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        folder
    }

    fn load(packs: &Path) -> Result<PackRoster, HostError> {
        let ticks = Arc::new(SystemTicks::start());
        Ok(PackRoster::load(["registro"], packs, Toolbox::indoors(), ticks)?.0)
    }

    fn class(registry: &Registry) -> Class {
        registry.get("turno.tomar").unwrap().spec().class
    }

    #[test]
    fn each_version_keeps_the_tools_it_came_with() {
        let packs = packs(HELD);
        let roster = load(packs.path()).unwrap();
        let first = roster.current("registro").unwrap();
        std::fs::write(packs.path().join("registro/tools.yaml"), "tools: []\n").unwrap();
        let changes = roster.changes();
        let [Change::Read(_)] = &changes[..] else { panic!("it reads") };
        for change in changes {
            let Change::Read(ready) = change else { continue };
            roster.adopt(ready);
        }
        let second = roster.current("registro").unwrap();
        assert_ne!(first.version(), second.version());
        let tools = |agent: &Arc<dyn Agent>| roster.tools("registro", agent.version()).unwrap();
        assert_eq!(class(&tools(&first)), Class::Suggest);
        assert_eq!(class(&tools(&second)), Class::Execute);
        assert!(roster.tools("demo", "").is_none(), "the demo has the engine's own");
        assert!(roster.tools("registro", "otra").is_none());
    }

    #[test]
    fn of_many_versions_the_current_and_those_asked_for_last_are_at_hand() {
        let packs = packs(HELD);
        let roster = load(packs.path()).unwrap();
        let mut versions = vec![roster.current("registro").unwrap().version().to_owned()];
        let under_way = roster.current("registro").unwrap();
        for edit in 1..12 {
            let text = format!("# {edit}\n{HELD}");
            std::fs::write(packs.path().join("registro/tools.yaml"), text).unwrap();
            for change in roster.changes() {
                let Change::Read(ready) = change else { panic!("it reads") };
                versions.push(ready.agent.version().to_owned());
                roster.adopt(ready);
            }
            // A session of the first version goes on.
            assert!(roster.version("registro", &versions[0]).is_some(), "edit {edit}");
        }
        assert_eq!(versions.len(), 12);
        let at_hand = |version: &&String| roster.agents().version(&key(version)).is_some();
        let held: Vec<_> = versions.iter().filter(at_hand).collect();
        assert_eq!(held, [&versions[0], &versions[10], &versions[11]]);
        assert_eq!(roster.agents().versions.len(), 1 + held.len(), "and the demo");
        assert_eq!(roster.agents().tools.len(), held.len());

        // A version that was let go is made again; what a turn holds keeps its tools.
        let name = "registro".to_owned();
        for version in ["de-antes", "de-mucho-antes"] {
            let source = under_way.source().unwrap().clone();
            let stored = StoredPack { name: name.clone(), version: version.to_owned(), source };
            roster.revive("registro", &stored).unwrap();
        }
        assert!(roster.version("registro", &versions[0]).is_none());
        assert!(roster.tools("registro", under_way.version()).is_some());
    }

    fn key(version: &str) -> Version {
        ("registro".to_owned(), version.to_owned())
    }

    #[test]
    fn a_version_made_again_is_held_as_it_was_and_reaches_nothing_that_is_gone() {
        let packs = packs("tools: []\n");
        let roster = load(packs.path()).unwrap();
        let mut source: BTreeMap<String, String> =
            roster.current("registro").unwrap().source().unwrap().clone();
        source.insert("tools.yaml".to_owned(), format!("{HELD}{CALLS}"));
        let (name, version) = ("registro".to_owned(), "de-antes".to_owned());
        let revived = roster.revive("registro", &StoredPack { name, version, source }).unwrap();
        // The engine asks by what this build calls the version.
        for version in ["de-antes", revived.version()] {
            let tools = roster.tools("registro", version).unwrap();
            assert_eq!(class(&tools), Class::Suggest, "{version}");
            let caller = Caller {
                workspace: WorkspaceId(Uuid::nil()),
                conversation: ConversationId(Uuid::nil()),
                contact: ContactId(Uuid::nil()),
                session: SessionId(Uuid::nil()),
                authority: domain::Authority::Person,
            };
            let prepared = tools.prepare(&caller, "envios.cotizar", &json!({}));
            assert!(matches!(prepared, Ok(Prepared::Outside(_))), "{version}");
        }
    }

    #[test]
    fn a_pack_that_calls_an_unknown_system_neither_starts_nor_is_taken_up() {
        let error = load(packs(CALLS).path()).err().expect("it does not start");
        let error = with_causes(&error);
        for part in ["`registro`", "`envios.cotizar`", "`lejos`", "`systems:`"] {
            assert!(error.contains(part), "{error}");
        }
        let packs = packs(HELD);
        let roster = load(packs.path()).unwrap();
        std::fs::write(packs.path().join("registro/tools.yaml"), CALLS).unwrap();
        let changes = roster.changes();
        let [Change::Refused { why, .. }] = &changes[..] else { panic!("it is refused") };
        assert!(why.contains("`lejos`"), "{why}");
    }
}
