//! The rows that must be there before messages come: workspaces, channels, the versions of their
//! agents, and their shops.

use std::collections::BTreeSet;
use std::future::ready;
use std::sync::Arc;

use agents::Agent;
use config::Config;
use domain::{Channel, Clock, IdSource, Timestamp, Workspace};
use futures::{StreamExt, TryStreamExt, stream};
use pack::Pack;
use runner::Roster;
use store::{Deeds, Packs, Setup, StoredPack};

use crate::{DEMO, HostError};

/// The names of the agents that channels have.
pub fn agents(config: &Config) -> BTreeSet<&str> {
    config.channels.iter().map(|channel| channel.channel.agent.as_str()).collect()
}

/// Workspaces that are worked on at once: their writes share commits, and a start with hundreds of them
/// waits for few.
const AT_ONCE: usize = 64;

/// Does the work of each workspace, of many at once. An error names its workspace.
async fn each<W>(work: Vec<W>) -> Result<(), HostError>
where
    W: Future<Output = Result<(), HostError>>,
{
    stream::iter(work).buffer_unordered(AT_ONCE).try_for_each(|()| ready(Ok(()))).await
}

/// Makes sure every configured workspace and channel has its rows, and that what its agents are
/// made from is kept before a session begins with it.
pub(crate) async fn ensure(
    config: &Config,
    setup: &(dyn Setup + Sync),
    packs: &(dyn Packs + Sync),
    roster: &dyn Roster,
    clock: &dyn Clock,
) -> Result<(), HostError> {
    let workspaces = config.workspaces();
    let ensure = |workspace| ensure_one(config, setup, packs, roster, clock, workspace);
    each(workspaces.iter().map(ensure).collect()).await
}

/// Makes the rows of a workspace first, since its versions refer to them.
async fn ensure_one(
    config: &Config,
    setup: &(dyn Setup + Sync),
    packs: &(dyn Packs + Sync),
    roster: &dyn Roster,
    clock: &dyn Clock,
    workspace: &Workspace,
) -> Result<(), HostError> {
    let channels: Vec<Channel> = config
        .channels
        .iter()
        .map(|channel| channel.channel.clone())
        .filter(|channel| channel.workspace == workspace.id)
        .collect();
    let ensured = setup.ensure(workspace, &channels, clock.now()).await;
    ensured.map_err(|error| of(workspace, error))?;
    let names: BTreeSet<_> = channels.iter().map(|channel| channel.agent.as_str()).collect();
    for agent in names.into_iter().filter_map(|name| roster.current(name)) {
        keep(packs, workspace, &*agent, clock).await?;
    }
    Ok(())
}

/// An error that names the workspace it is of.
fn of(workspace: &Workspace, error: impl Into<HostError>) -> HostError {
    HostError::Workspace { slug: workspace.slug.clone(), source: Box::new(error.into()) }
}

/// Keeps what an agent is made from, so that its sessions find it again.
async fn keep(
    packs: &(dyn Packs + Sync),
    workspace: &Workspace,
    agent: &dyn Agent,
    clock: &dyn Clock,
) -> Result<(), HostError> {
    let Some(source) = agent.source() else { return Ok(()) };
    let (name, version) = (agent.name().to_owned(), agent.version().to_owned());
    let pack = StoredPack { name, version, source: source.clone() };
    let kept = packs.keep_pack(workspace.id, &pack, clock.now()).await;
    kept.map_err(|error| of(workspace, error))
}

/// The packs, each under the name that channels know it by.
pub(crate) fn packs_by_name<'c>(
    config: &'c Config,
    packs: &'c [Arc<Pack>],
) -> impl Iterator<Item = (&'c str, &'c Arc<Pack>)> {
    agents(config).into_iter().filter(|name| *name != DEMO).zip(packs)
}

/// Opens a pack's shop in every workspace that uses it.
pub(crate) async fn open_shops(
    config: &Config,
    deeds: &(dyn Deeds + Sync),
    name: &str,
    pack: &Pack,
    ids: &dyn IdSource,
    now: Timestamp,
) -> Result<(), HostError> {
    let workspaces = workspaces_of(config, name);
    let open = |workspace| open_shop(deeds, workspace, pack, ids, now);
    each(workspaces.iter().map(open).collect()).await
}

async fn open_shop(
    deeds: &(dyn Deeds + Sync),
    workspace: &Workspace,
    pack: &Pack,
    ids: &dyn IdSource,
    now: Timestamp,
) -> Result<(), HostError> {
    let opened = shop::open(deeds, workspace.id, pack, ids, now).await;
    opened.map_err(|error| of(workspace, error))
}

/// The workspaces that have a channel with this agent.
fn workspaces_of(config: &Config, agent: &str) -> Vec<Workspace> {
    let mut workspaces = config.workspaces();
    let used = |workspace: &Workspace| {
        let mut channels = config.channels.iter().map(|channel| &channel.channel);
        channels.any(|channel| channel.workspace == workspace.id && channel.agent == agent)
    };
    workspaces.retain(used);
    workspaces
}

/// Keeps a new version in every workspace that uses it.
pub(crate) async fn keep_everywhere(
    config: &Config,
    packs: &(dyn Packs + Sync),
    agent: &dyn Agent,
    clock: &dyn Clock,
) -> Result<(), HostError> {
    let workspaces = workspaces_of(config, agent.name());
    each(workspaces.iter().map(|workspace| keep(packs, workspace, agent, clock)).collect()).await
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use agents::{AgentError, DemoAgent, Outcome, TurnInput};
    use domain::{SystemClock, WorkspaceId};
    use runner::Fixed;
    use store::{Durability, Signals, Stats, StoreError, StoreResult};

    use super::*;

    struct Packed(BTreeMap<String, String>);

    #[async_trait::async_trait]
    impl Agent for Packed {
        fn name(&self) -> &str {
            "registro"
        }

        fn version(&self) -> &str {
            "v1"
        }

        fn source(&self) -> Option<&BTreeMap<String, String>> {
            Some(&self.0)
        }

        async fn turn(
            &self,
            input: &TurnInput,
            _context: &mut dyn agents::Context,
        ) -> Result<Outcome, AgentError> {
            Ok(Outcome::unchanged(&input.mode, &input.state))
        }
    }

    #[tokio::test]
    async fn what_an_agent_is_made_from_is_kept_where_a_channel_uses_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("recado.yaml");
        let text = "channels:\n\
             - { id: uno, kind: webchat, workspace: ana, agent: registro }\n\
             - { id: dos, kind: webchat, workspace: beto, agent: registro }\n\
             - { id: tres, kind: webchat, workspace: clara, agent: demo }\n";
        std::fs::write(&file, text).unwrap();
        let config = config::load(Some(&file), &config::Environment::default()).unwrap();
        let path = folder.path().join("recado.db");
        let options = store_sqlite::Options { path, takes_over_lanes: false };
        let store = store_sqlite::open(&options).unwrap();
        let source: BTreeMap<_, _> =
            [("pack.yaml".to_owned(), "agent: registro".to_owned())].into();
        let roster = Fixed(vec![Arc::new(DemoAgent), Arc::new(Packed(source.clone()))]);
        // Once per start.
        for _ in 0..2 {
            ensure(&config, &store, &store, &roster, &SystemClock::default()).await.unwrap();
        }
        let kept = StoredPack { name: "registro".to_owned(), version: "v1".to_owned(), source };
        for (slug, expected) in [("ana", Some(&kept)), ("beto", Some(&kept)), ("clara", None)] {
            let workspace = WorkspaceId::from_slug(slug);
            let found = store::Packs::pack(&store, workspace, "registro", "v1").await.unwrap();
            assert_eq!(found.as_ref(), expected, "{slug}");
        }
    }

    /// A store that lets others go first in every call, and notes what is done for whom.
    #[derive(Default)]
    struct Slow {
        done: Mutex<Vec<(WorkspaceId, &'static str)>>,
        under_way: AtomicUsize,
        most: AtomicUsize,
        /// The workspace whose rows cannot be made.
        broken: Option<WorkspaceId>,
    }

    impl Slow {
        async fn take(&self, workspace: WorkspaceId, what: &'static str) -> StoreResult<()> {
            let under_way = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(under_way, Ordering::SeqCst);
            tokio::task::yield_now().await;
            self.under_way.fetch_sub(1, Ordering::SeqCst);
            self.done.lock().unwrap().push((workspace, what));
            match self.broken == Some(workspace) {
                true => Err(StoreError::Busy),
                false => Ok(()),
            }
        }
    }

    #[async_trait::async_trait]
    impl Packs for Slow {
        async fn keep_pack(
            &self,
            workspace: WorkspaceId,
            pack: &StoredPack,
            _now: Timestamp,
        ) -> StoreResult<()> {
            assert_eq!((pack.name.as_str(), pack.version.as_str()), ("registro", "v1"));
            self.take(workspace, "pack").await
        }

        async fn pack(
            &self,
            _workspace: WorkspaceId,
            _name: &str,
            _version: &str,
        ) -> StoreResult<Option<StoredPack>> {
            unreachable!("nothing is read")
        }
    }

    #[async_trait::async_trait]
    impl Setup for Slow {
        async fn ensure(
            &self,
            workspace: &Workspace,
            channels: &[Channel],
            _now: Timestamp,
        ) -> StoreResult<()> {
            assert!(channels.iter().all(|channel| channel.workspace == workspace.id));
            self.take(workspace.id, "rows").await
        }

        async fn visitor_secret(
            &self,
            _workspace: WorkspaceId,
            _proposed: &str,
            _now: Timestamp,
        ) -> StoreResult<String> {
            unreachable!("the server asks for it")
        }

        async fn workspace(&self, _id: WorkspaceId) -> StoreResult<Option<Workspace>> {
            unreachable!("nothing is read")
        }

        async fn ping(&self) -> StoreResult<()> {
            unreachable!("nothing is read")
        }

        async fn durability(&self, _now: Timestamp) -> StoreResult<Durability> {
            unreachable!("nothing is read")
        }

        async fn stats(&self, _now: Timestamp) -> StoreResult<Stats> {
            unreachable!("nothing is read")
        }

        fn signals(&self) -> &Signals {
            unreachable!("nothing is woken")
        }
    }

    /// A configuration of 200 workspaces.
    fn many() -> Config {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("recado.yaml");
        let channel = |number| {
            format!("- {{ id: c{number}, kind: webchat, workspace: w{number}, agent: registro }}\n")
        };
        let channels: String = (0..200).map(channel).collect();
        std::fs::write(&file, format!("channels:\n{channels}")).unwrap();
        config::load(Some(&file), &config::Environment::default()).unwrap()
    }

    async fn start(store: &Slow) -> Result<(), HostError> {
        let roster = Fixed(vec![Arc::new(Packed(BTreeMap::new()))]);
        ensure(&many(), store, store, &roster, &SystemClock::default()).await
    }

    #[tokio::test]
    async fn many_workspaces_are_made_ready_at_once_and_each_in_its_order() {
        let store = Slow::default();
        start(&store).await.unwrap();
        assert_eq!(store.most.load(Ordering::SeqCst), AT_ONCE);
        let done = store.done.into_inner().unwrap();
        for workspace in many().workspaces() {
            let own: Vec<_> =
                done.iter().filter(|one| one.0 == workspace.id).map(|one| one.1).collect();
            assert_eq!(own, ["rows", "pack"], "{}", workspace.slug);
        }
        let store = Slow::default();
        let agent = Packed(BTreeMap::new());
        keep_everywhere(&many(), &store, &agent, &SystemClock::default()).await.unwrap();
        assert_eq!(store.most.load(Ordering::SeqCst), AT_ONCE);
    }

    #[tokio::test]
    async fn the_workspace_that_cannot_be_made_ready_is_named() {
        let broken = Some(WorkspaceId::from_slug("w77"));
        let store = Slow { broken, ..Slow::default() };
        let error = start(&store).await.unwrap_err();
        let error = crate::with_causes(&error);
        assert!(error.starts_with("the workspace `w77`: "), "{error}");
    }
}
