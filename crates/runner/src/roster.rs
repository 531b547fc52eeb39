//! Agents by name and, for a session under way, by the version it began with.

use std::sync::Arc;

use agents::Agent;
use domain::Session;
use metrics::counter;
use store::StoredPack;
use tools::Registry;

use crate::failure::Failure;
use crate::turn::{Turn, TurnRunner};

/// A version names its content, so an agent of one version is the same in every workspace.
pub trait Roster: Send + Sync {
    /// The names of the agents there are, in order.
    fn names(&self) -> Vec<String>;

    /// The agent for new sessions. A version with a source is current only once it is kept in the
    /// store: a session that begins with it must find it again on any node.
    fn current(&self, name: &str) -> Option<Arc<dyn Agent>>;

    /// This version, if this node has it at hand.
    fn version(&self, name: &str, version: &str) -> Option<Arc<dyn Agent>>;

    /// Makes an agent again from what was stored of its version, and keeps it at hand under that
    /// version. `None` if this build cannot. The call may block, so it is made where blocking is
    /// allowed.
    fn revive(&self, name: &str, stored: &StoredPack) -> Option<Arc<dyn Agent>>;

    /// The tools of an agent's version, those of its pack among them; none has the engine's own.
    fn tools(&self, _name: &str, _version: &str) -> Option<Registry> {
        None
    }
}

/// Agents that never change while the process runs.
pub struct Fixed(pub Vec<Arc<dyn Agent>>);

impl Roster for Fixed {
    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.0.iter().map(|agent| agent.name().to_owned()).collect();
        names.sort_unstable();
        names
    }

    fn current(&self, name: &str) -> Option<Arc<dyn Agent>> {
        self.0.iter().find(|agent| agent.name() == name).cloned()
    }

    fn version(&self, name: &str, version: &str) -> Option<Arc<dyn Agent>> {
        self.current(name).filter(|agent| agent.version() == version)
    }

    fn revive(&self, _name: &str, _stored: &StoredPack) -> Option<Arc<dyn Agent>> {
        None
    }
}

/// The agent that answers a turn, with its tools.
pub(crate) struct Answering {
    pub(crate) agent: Arc<dyn Agent>,
    /// The version the session goes on with: the one it was stored under, which a newer build may
    /// call by another name.
    pub(crate) version: String,
    pub(crate) tools: Registry,
}

impl TurnRunner {
    /// The agent of the version that the turn's session began with; for a new session, the current.
    pub(crate) async fn answering(&self, turn: &Turn<'_>) -> Result<Answering, Failure> {
        let name = &turn.outlet.channel.agent;
        if let Some(session) = turn.session
            && let Some(agent) = self.pinned(turn, session).await?
        {
            let tools = self.tools_of(&*agent);
            return Ok(Answering { agent, version: session.agent_version.clone(), tools });
        }
        let missing = || Failure::Failed(format!("there is no agent `{name}` on this node"));
        let agent = self.roster.current(name).ok_or_else(missing)?;
        Ok(Answering { version: agent.version().to_owned(), tools: self.tools_of(&*agent), agent })
    }

    fn tools_of(&self, agent: &dyn Agent) -> Registry {
        let own = self.roster.tools(agent.name(), agent.version());
        own.unwrap_or_else(|| self.tools.clone())
    }

    /// `None` if the version is lost, here and in the store.
    async fn pinned(
        &self,
        turn: &Turn<'_>,
        session: &Session,
    ) -> Result<Option<Arc<dyn Agent>>, Failure> {
        let (name, version) = (&session.agent, &session.agent_version);
        let at_hand = || self.roster.version(name, version);
        if let Some(agent) = at_hand() {
            return Ok(Some(agent));
        }
        // After a deploy many sessions ask for the same version: it is made once.
        let _alone = self.reviving.lock().await;
        if let Some(agent) = at_hand() {
            return Ok(Some(agent));
        }
        let stored = self.store.pack(turn.work.lease.workspace, name, version).await;
        let revived = match stored.map_err(unread)? {
            Some(stored) => self.revive(stored).await?,
            None => None,
        };
        if revived.is_none() {
            let conversation = turn.work.lease.conversation;
            counter!("recado_agent_versions_lost_total").increment(1);
            tracing::warn!(%conversation, agent = name, version, "version lost, going on with the current one");
        }
        Ok(revived)
    }

    async fn revive(&self, stored: StoredPack) -> Result<Option<Arc<dyn Agent>>, Failure> {
        let roster = Arc::clone(&self.roster);
        let revive = move || roster.revive(&stored.name, &stored);
        // Joining fails when the roster panicked, and when the runtime ends, with all its turns.
        tokio::task::spawn_blocking(revive).await.map_err(|error| match error.try_into_panic() {
            Ok(panic) => Failure::panicked(&*panic),
            Err(error) => Failure::Failed(error.to_string()),
        })
    }
}

/// A database that is away spends no attempt; one that answers with nonsense does.
fn unread(error: store::StoreError) -> Failure {
    if error.is_transient() {
        Failure::Interrupted(error)
    } else {
        Failure::Failed(error.to_string())
    }
}
