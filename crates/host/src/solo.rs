//! An agent alone on a web chat: conversations that are tried out, in a terminal, in tests or by the
//! bench, run on the engine that serves.

use std::sync::Arc;

use agents::Agent;
use domain::{Channel, Clock, IdSource, Pace, Workspace};
use llm::Models;
use pack::Pack;
use runner::{Engine, Fixed, Outlet, Parts, Settings};
use store::Store;
use tools::Registry;

use crate::{HostError, SystemTicks};

/// The parts that a single agent needs to hold conversations.
pub struct SoloParts {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdSource>,
    pub agent: Arc<dyn Agent>,
    pub tools: Registry,
    pub models: Arc<Models>,
    /// The pack that opens the workspace's shop, if it has one.
    pub pack: Option<Arc<Pack>>,
}

/// An engine that serves one web chat, where a commit delivers.
pub struct Solo {
    pub store: Arc<dyn Store>,
    pub engine: Arc<Engine>,
    pub channel: Channel,
}

impl Solo {
    /// Makes the rows of the workspace, its channel and its shop, and an engine over them.
    pub async fn open(
        workspace: &Workspace,
        channel: Channel,
        parts: SoloParts,
    ) -> Result<Self, HostError> {
        let SoloParts { store, clock, ids, agent, tools, models, pack } = parts;
        store.ensure(workspace, std::slice::from_ref(&channel), clock.now()).await?;
        if let Some(pack) = &pack {
            shop::open(&*store, workspace.id, pack, &*ids, clock.now()).await?;
        }
        let engine = Engine::new(Parts {
            store: Arc::clone(&store),
            clock,
            ticks: Arc::new(SystemTicks::start()),
            ids,
            roster: Arc::new(Fixed(vec![agent])),
            outlets: vec![Outlet { channel: channel.clone(), sender: None, pace: Pace::default() }],
            tools,
            models,
            settings: Settings::default(),
        });
        Ok(Self { store, engine, channel })
    }
}
