//! The rows that must be there before messages come: workspaces, channels, the versions of their
//! agents, and their shops.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use agents::Agent;
use config::Config;
use domain::{Channel, Clock, IdSource, Timestamp, WorkspaceId};
use pack::Pack;
use runner::Roster;
use store::{Deeds, Packs, Store, StoredPack};

use crate::{DEMO, HostError};

/// The names of the agents that channels have.
pub fn agents(config: &Config) -> BTreeSet<&str> {
    config.channels.iter().map(|channel| channel.channel.agent.as_str()).collect()
}

/// Makes sure every configured workspace and channel has its rows, and that what its agents are
/// made from is kept before a session begins with it.
pub(crate) async fn ensure(
    config: &Config,
    store: &dyn Store,
    roster: &dyn Roster,
    clock: &dyn Clock,
) -> Result<(), HostError> {
    for workspace in config.workspaces() {
        let channels: Vec<Channel> = config
            .channels
            .iter()
            .map(|channel| channel.channel.clone())
            .filter(|channel| channel.workspace == workspace.id)
            .collect();
        store.ensure(&workspace, &channels, clock.now()).await?;
        let names: BTreeSet<_> = channels.iter().map(|channel| channel.agent.as_str()).collect();
        for agent in names.into_iter().filter_map(|name| roster.current(name)) {
            keep(store, workspace.id, &*agent, clock).await?;
        }
    }
    Ok(())
}

/// Keeps what an agent is made from, so that its sessions find it again.
async fn keep(
    packs: &(dyn Packs + Sync),
    workspace: WorkspaceId,
    agent: &dyn Agent,
    clock: &dyn Clock,
) -> Result<(), HostError> {
    if let Some(source) = agent.source() {
        let (name, version) = (agent.name().to_owned(), agent.version().to_owned());
        let pack = StoredPack { name, version, source: source.clone() };
        packs.keep_pack(workspace, &pack, clock.now()).await?;
    }
    Ok(())
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
    let used = config.channels.iter().filter(|channel| channel.channel.agent == name);
    let workspaces: HashSet<WorkspaceId> = used.map(|channel| channel.channel.workspace).collect();
    for workspace in workspaces {
        shop::open(deeds, workspace, pack, ids, now).await?;
    }
    Ok(())
}

/// Keeps a new version in every workspace that uses it.
pub(crate) async fn keep_everywhere(
    config: &Config,
    packs: &(dyn Packs + Sync),
    agent: &dyn Agent,
    clock: &dyn Clock,
) -> Result<(), HostError> {
    for workspace in config.workspaces() {
        let used = config.channels.iter().any(|channel| {
            channel.channel.workspace == workspace.id && channel.channel.agent == agent.name()
        });
        if used {
            keep(packs, workspace.id, agent, clock).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use agents::{AgentError, DemoAgent, Outcome, TurnInput};
    use domain::SystemClock;
    use runner::Fixed;

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
            ensure(&config, &store, &roster, &SystemClock::default()).await.unwrap();
        }
        let kept = StoredPack { name: "registro".to_owned(), version: "v1".to_owned(), source };
        for (slug, expected) in [("ana", Some(&kept)), ("beto", Some(&kept)), ("clara", None)] {
            let workspace = WorkspaceId::from_slug(slug);
            let found = store::Packs::pack(&store, workspace, "registro", "v1").await.unwrap();
            assert_eq!(found.as_ref(), expected, "{slug}");
        }
    }
}
