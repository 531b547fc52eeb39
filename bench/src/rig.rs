//! The real engine inside this process, on a webchat channel, where a commit delivers.

use std::sync::Arc;
use std::time::Duration;

use agents::Agent;
use anyhow::Result;
use domain::{
    Burst, Channel, ChannelKind, Clock, Content, Identity, Inbound, SystemClock, SystemIds,
    Workspace,
};
use host::{Solo, SoloParts};
use llm::{Limits, ModelSource, Models, Prices, jitter};
use runner::Engine;
use store::Store;
use tokio::task::JoinHandle;
use tools::Registry;

use crate::database::Database;

pub(crate) const WORKSPACE: &str = "bench";
pub(crate) const CHANNEL: &str = "banco";

/// Messages taken in by one commit; filling the inbox is not measured.
const BATCH: usize = 500;
const DRAIN: Duration = Duration::from_secs(5);

pub(crate) fn channel(kind: ChannelKind, agent: &str) -> Channel {
    Channel {
        id: CHANNEL.into(),
        workspace: Workspace::named(WORKSPACE).id,
        kind,
        agent: agent.to_owned(),
        // A message is a turn, so that turns are counted.
        burst: Burst { max_messages: 1, ..Burst::default() },
    }
}

pub(crate) struct Rig {
    pub(crate) engine: Arc<Engine>,
    pub(crate) store: Arc<dyn Store>,
    channel: Channel,
}

/// The models an engine has, and how hard they may be pressed.
#[derive(Default)]
pub(crate) struct Lent {
    pub(crate) sources: Vec<ModelSource>,
    pub(crate) prices: Prices,
    pub(crate) limits: Limits,
}

impl Rig {
    pub(crate) async fn new(
        store: Arc<dyn Store>,
        agent: Arc<dyn Agent>,
        tools: Registry,
    ) -> Result<Self> {
        Self::lending(store, agent, tools, Lent::default()).await
    }

    pub(crate) async fn lending(
        store: Arc<dyn Store>,
        agent: Arc<dyn Agent>,
        tools: Registry,
        lent: Lent,
    ) -> Result<Self> {
        let clock = SystemClock::default();
        let channel = channel(ChannelKind::Webchat, agent.name());
        let ids = Arc::new(SystemIds::new(clock.clone()));
        let models = Models::new(
            lent.sources,
            lent.prices,
            lent.limits,
            Arc::new(clock.clone()),
            jitter(ids.clone()),
        );
        let parts = SoloParts {
            store,
            ids,
            clock: Arc::new(clock),
            agent,
            tools,
            models: Arc::new(models),
            pack: None,
        };
        let workspace = Workspace::named(WORKSPACE);
        let Solo { engine, channel, store } = Solo::open(&workspace, channel, parts).await?;
        Ok(Self { engine, store, channel })
    }

    /// Puts texts into the inbox, each with its sender, in this order.
    pub(crate) async fn take_in(&self, messages: Vec<(String, String)>) -> Result<()> {
        let mut number = 0;
        let mut inbound = |(from, text): (String, String)| {
            number += 1;
            Inbound {
                external_id: format!("{from}/{number}"),
                from: Identity::new(from),
                content: Content::text(text),
                edits: None,
                sent_at: None,
            }
        };
        let mut messages = messages.into_iter().map(&mut inbound).peekable();
        while messages.peek().is_some() {
            let batch: Vec<_> = messages.by_ref().take(BATCH).collect();
            self.engine.intake().ingest(&self.channel.id, batch).await?;
        }
        Ok(())
    }

    pub(crate) fn start(&self) -> JoinHandle<()> {
        tokio::spawn(Arc::clone(&self.engine).run(DRAIN))
    }

    pub(crate) async fn stop(&self, running: JoinHandle<()>) {
        self.engine.stop();
        // A panic of the engine would have shown as a stall before.
        let _ = running.await;
    }
}

/// Makes the rows of the workspace and its channel in an otherwise empty database.
pub(crate) async fn prepare(database: &Database, kind: ChannelKind, agent: &str) -> Result<()> {
    let store = database.open().await?;
    let channel = channel(kind, agent);
    let now = SystemClock::default().now();
    store.ensure(&Workspace::named(WORKSPACE), &[channel], now).await?;
    Ok(())
}
