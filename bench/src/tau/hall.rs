//! A workspace and a channel for each task, so that each has the database as it was.

use std::sync::Arc;
use std::time::Duration;

use agents::Agent;
use anyhow::{Context, Result};
use domain::{
    Burst, Channel, ChannelKind, Clock, Content, Identity, Inbound, SystemClock, SystemIds,
    Workspace,
};
use llm::{Limits, ModelSource, Models, Prices, jitter};
use runner::{Engine, Fixed, IntakeError, Outlet, Parts, Settings};
use store::{DeedError, Store};
use uuid::Uuid;

use super::documents::{Fill, Left, ReadLeft};
use super::retail;
use super::task::Task;
use super::world::World;
use crate::stopwatch::Stopwatch;

/// How long an engine may go on with turns when it is told to stop.
pub(super) const DRAIN: Duration = Duration::from_secs(10);

/// The name of a task's workspace and of its channel, by the task's place.
pub(super) fn name(place: usize) -> String {
    format!("tau-{place}")
}

fn channel(place: usize, agent: &str) -> Channel {
    Channel {
        id: name(place).as_str().into(),
        workspace: Workspace::named(&name(place)).id,
        kind: ChannelKind::Webchat,
        agent: agent.to_owned(),
        burst: Burst { max_messages: 1, ..Burst::default() },
    }
}

/// Makes the workspaces, each with the records that its task may touch.
pub(super) async fn furnish(
    store: &dyn Store,
    world: &World,
    tasks: &[Task],
    agent: &str,
) -> Result<()> {
    let clock = SystemClock::default();
    for (place, task) in tasks.iter().enumerate() {
        let workspace = Workspace::named(&name(place));
        store.ensure(&workspace, &[channel(place, agent)], clock.now()).await?;
        let id = Uuid::new_v5(&workspace.id.0, b"fill");
        let fill = Arc::new(Fill(task.part(world)));
        let filled =
            store.perform(workspace.id, "bench", "fill", &task.id, id, fill, clock.now()).await;
        filled.with_context(|| format!("cannot fill the workspace of {}", task.id))?;
    }
    Ok(())
}

/// Reads the records that a task has left in its workspace.
pub(super) async fn left(store: &dyn Store, place: usize) -> Result<Left> {
    let (workspace, now) = (Workspace::named(&name(place)).id, SystemClock::default().now());
    let read: Result<_, DeedError> = store.consult(workspace, Arc::new(ReadLeft), now).await;
    Ok(serde_json::from_value(read?)?)
}

/// An engine that serves every task's channel with the benchmark's tools.
pub(super) fn engine(
    store: Arc<dyn Store>,
    agent: Arc<dyn Agent>,
    places: usize,
    models: Vec<ModelSource>,
    settings: Settings,
) -> Result<Arc<Engine>> {
    let clock = SystemClock::default();
    let ids = Arc::new(SystemIds::new(clock.clone()));
    let chance = jitter(ids.clone());
    let models =
        Models::new(models, Prices::default(), Limits::default(), Arc::new(clock.clone()), chance);
    let outlet = |place| Outlet {
        channel: channel(place, agent.name()),
        sender: None,
        pace: domain::Pace::default(),
    };
    Ok(Engine::new(Parts {
        store,
        ids,
        clock: Arc::new(clock),
        ticks: Arc::new(Stopwatch::start()),
        outlets: (0..places).map(outlet).collect(),
        roster: Arc::new(Fixed(vec![agent])),
        tools: retail::registry()?,
        models: Arc::new(models),
        settings,
    }))
}

/// Takes a customer's message in; a copy of one that came before changes nothing.
pub(super) async fn say(
    engine: &Arc<Engine>,
    place: usize,
    part: usize,
    text: String,
) -> Result<(), IntakeError> {
    let inbound = Inbound {
        external_id: format!("{}/{part}", name(place)),
        from: Identity { external_id: name(place).into(), name: None, phone: None, alias: None },
        content: Content::text(text),
        edits: None,
        sent_at: None,
    };
    engine.intake().ingest(&name(place).as_str().into(), vec![inbound]).await.map(drop)
}
