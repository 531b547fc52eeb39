//! The tasks replayed with no model on a store: each call a journaled step of the real engine.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use agents::{Agent, AgentError, Context, Outcome, ToolError, TurnInput};
use anyhow::Result;
use async_trait::async_trait;
use domain::EventKind;
use runner::Settings;
use serde_json::Value;

use super::report::{Report, Tally};
use super::task::Task;
use super::world::World;
use super::{hall, retail};
use crate::database::Database;
use crate::stopwatch::Stopwatch;
use crate::tally::Tally as Turns;

const AGENT: &str = "replay";

pub(super) async fn replay(
    name: &str,
    database: &Database,
    world: &World,
    tasks: &[Task],
) -> Result<Report> {
    let store = database.open().await?;
    hall::furnish(&*store, world, tasks, AGENT).await?;
    let agent = Arc::new(Replay::of(tasks));
    let engine = hall::engine(
        Arc::clone(&store),
        agent.clone(),
        tasks.len(),
        Vec::new(),
        Settings::default(),
    )?;
    let watch = Stopwatch::start();
    for place in 0..tasks.len() {
        hall::say(&engine, place, 0, place.to_string()).await?;
    }
    let running = tokio::spawn(Arc::clone(&engine).run(hall::DRAIN));
    agent.turns.finish(&engine).await?;
    let seconds = watch.seconds();
    engine.stop();
    running.await?;
    let registry = retail::registry()?;
    let mut tally = Tally::default();
    for (place, task) in tasks.iter().enumerate() {
        let left = hall::left(&*store, place).await?;
        tally.compare(world, &registry, task, &agent.ended(place), &left);
    }
    Ok(Report { run: name.to_owned(), seconds, tally, ordeal: None })
}

/// Makes the calls of the task whose place it is told, and notes how they end.
struct Replay {
    tasks: Vec<Task>,
    turns: Turns,
    ended: Mutex<BTreeMap<usize, Vec<Result<Value, String>>>>,
}

impl Replay {
    fn of(tasks: &[Task]) -> Self {
        let turns = Turns::of(tasks.len() as u64);
        Self { tasks: tasks.to_vec(), turns, ended: Mutex::default() }
    }

    fn ended(&self, place: usize) -> Vec<Result<Value, String>> {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.remove(&place).unwrap_or_default()
    }
}

#[async_trait]
impl Agent for Replay {
    fn name(&self) -> &str {
        AGENT
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        self.turns.turn(input.contact.id);
        let place = asked(input).ok_or_else(|| AgentError { reason: "no task".to_owned() })?;
        let mut all = Vec::new();
        for call in &self.tasks[place].calls {
            let ended = context.call(&call.name, call.arguments.clone()).await;
            if ended == Err(ToolError::Interrupted) {
                return Err(AgentError { reason: "interrupted".to_owned() });
            }
            all.push(ended.map_err(|error| error.to_string()));
        }
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).insert(place, all);
        let mut outcome = Outcome::unchanged(&input.mode, &input.state);
        outcome.reply("Listo.");
        Ok(outcome)
    }
}

/// The place that the customer's message names.
fn asked(input: &TurnInput) -> Option<usize> {
    let EventKind::Message(content) = &input.events.first()?.kind else { return None };
    content.words()?.parse().ok()
}
