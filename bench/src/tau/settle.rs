//! Holds what a process that was killed has left on record against the tasks.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use serde_json::Value;

use super::report::{Ordeal, Tally};
use super::script::Script;
use super::side::{Side, Step};
use super::task::Task;
use super::world::World;
use super::{hall, retail};
use crate::database::Database;

/// Nothing given up, every answer and reply once, every step once, and all as recorded.
pub(super) async fn settle(
    database: &Database,
    side: &Side,
    world: &World,
    tasks: &[Task],
    ordeal: &mut Ordeal,
) -> Result<Tally> {
    let set_aside = side.set_aside().await?;
    ensure!(set_aside.is_empty(), "messages were given up: {set_aside:?}");
    let registry = retail::registry()?;
    let store = database.open().await?;
    let (answers, replies) = (side.answers().await?, side.replies().await?);
    let mut steps = side.steps().await?;
    let mut tally = Tally::default();
    for (place, task) in tasks.iter().enumerate() {
        let (script, workspace) = (Script::of(place, task), hall::name(place));
        let count = |of: &BTreeMap<String, i64>| of.get(&workspace).copied().unwrap_or_default();
        ordeal.messages += script.messages();
        ordeal.answers += u64::try_from(count(&answers))?;
        tally.expect(task, "answers on record", count(&answers), script.total());
        tally.expect(task, "replies", count(&replies), script.messages());
        let mut taken = steps.remove(&workspace).unwrap_or_default();
        let ended = ended(task, &mut taken);
        tally.expect(task, "steps too many", i64::try_from(taken.len())?, 0);
        tally.compare(world, &registry, task, &ended, &hall::left(&*store, place).await?);
    }
    Ok(tally)
}

/// How the calls of a task ended, taken from its steps; what is left of those nobody asked for.
fn ended(task: &Task, steps: &mut Vec<Step>) -> Vec<Result<Value, String>> {
    let mut ended = Vec::new();
    for call in &task.calls {
        let same = |step: &Step| step.tool == call.name && step.input == call.arguments;
        if let Some(place) = steps.iter().position(same) {
            ended.push(steps.remove(place).ended);
        }
    }
    ended
}
