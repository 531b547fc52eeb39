//! The channels that a node serves, and who answers on them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use channels::Sender;
use domain::{
    Channel, ChannelId, ChannelKind, Pace, SessionId, SessionStatus, Timestamp, WorkspaceId,
};
use sentences::Sentences;
use store::SessionWrite;

use crate::Roster;

/// A channel with its way out; none where the reader reads the store.
#[derive(Clone)]
pub struct Outlet {
    pub channel: Channel,
    pub sender: Option<Arc<dyn Sender>>,
    pub pace: Pace,
}

/// The configured channels by their ids.
pub struct Connected {
    by_id: HashMap<ChannelId, Outlet>,
    workspaces: HashSet<WorkspaceId>,
    roster: Arc<dyn Roster>,
}

impl Connected {
    pub(crate) fn new(outlets: Vec<Outlet>, roster: Arc<dyn Roster>) -> Self {
        let workspaces = outlets.iter().map(|outlet| outlet.channel.workspace).collect();
        let by_id = |outlet: Outlet| (outlet.channel.id.clone(), outlet);
        Self { by_id: outlets.into_iter().map(by_id).collect(), workspaces, roster }
    }

    pub fn outlet(&self, channel: &ChannelId) -> Option<&Outlet> {
        self.by_id.get(channel)
    }

    /// Whether a channel of the workspace is among them.
    pub fn serves(&self, workspace: WorkspaceId) -> bool {
        self.workspaces.contains(&workspace)
    }

    /// The name under which the customers of a channel see its agent.
    pub fn title(&self, outlet: &Outlet) -> String {
        let name = &outlet.channel.agent;
        self.roster.current(name).map_or_else(|| name.clone(), |agent| agent.title().to_owned())
    }

    /// The engine's own sentences, as the customers of a channel read them.
    pub fn sentences(&self, channel: &Channel) -> Arc<Sentences> {
        let agent = self.roster.current(&channel.agent);
        Arc::clone(agent.as_ref().map_or(Sentences::plain(), |agent| agent.sentences()))
    }

    /// Webchat channels by name.
    pub fn webchats(&self) -> Vec<&ChannelId> {
        let webchat = |outlet: &&Outlet| outlet.channel.kind == ChannelKind::Webchat;
        let mut ids: Vec<_> =
            self.by_id.values().filter(webchat).map(|outlet| &outlet.channel.id).collect();
        ids.sort_unstable();
        ids
    }

    /// A session that begins with the channel's agent as it is now.
    pub(crate) fn new_session(
        &self,
        id: SessionId,
        outlet: &Outlet,
        opened_at: Timestamp,
    ) -> SessionWrite {
        let name = &outlet.channel.agent;
        let agent = self.roster.current(name);
        let (mode, version) = agent
            .as_ref()
            .map_or((agents::ONLY_MODE, ""), |agent| (agent.initial_mode(), agent.version()));
        SessionWrite {
            id,
            read_version: None,
            read_status: SessionStatus::Active,
            read_mode: mode.to_owned(),
            agent: name.clone(),
            agent_version: version.to_owned(),
            status: SessionStatus::Active,
            mode: mode.to_owned(),
            state: Default::default(),
            opened_at,
            closes: None,
        }
    }
}
