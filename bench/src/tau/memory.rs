//! The tasks replayed on records in memory: no store, no engine, no model.

use anyhow::{Context, Result, bail};
use domain::{ContactId, ConversationId, SessionId, WorkspaceId};
use serde_json::Value;
use store::{DeedError, MemoryRecords};
use tools::{Caller, Prepared, Registry};
use uuid::Uuid;

use super::report::{Report, Tally};
use super::task::Task;
use super::world::World;
use super::{documents, retail};
use crate::stopwatch::Stopwatch;

pub(super) async fn replay(world: &World, tasks: &[Task]) -> Result<Report> {
    let registry = retail::registry()?;
    let mut tally = Tally::default();
    let watch = Stopwatch::start();
    for task in tasks {
        let mut records = MemoryRecords::default();
        documents::put(&mut records, &task.part(world)).await?;
        let mut ended = Vec::new();
        for call in &task.calls {
            ended.push(act(&registry, &mut records, &call.name, &call.arguments).await?);
        }
        let left = documents::left(&mut records).await?;
        tally.compare(world, &registry, task, &ended, &left);
    }
    Ok(Report { run: "memory".to_owned(), seconds: watch.seconds(), tally, ordeal: None })
}

/// Calls a tool as the engine does: checked, and with no trace of a call that is refused.
async fn act(
    registry: &Registry,
    records: &mut MemoryRecords,
    name: &str,
    input: &Value,
) -> Result<Result<Value, String>> {
    let deed = match registry.prepare(&caller(), name, input) {
        Ok(Prepared::Local { deed, .. }) => deed,
        Ok(_) => bail!("`{name}` is not a local tool"),
        Err(refusal) => return Ok(Err(refusal.to_string())),
    };
    let before = records.clone();
    match deed.run(records).await {
        Ok(output) => Ok(Ok(output)),
        Err(DeedError::Refused(reason)) => {
            *records = before;
            Ok(Err(reason))
        }
        Err(DeedError::Store(error)) => Err(error).context("a record that cannot be read"),
    }
}

fn caller() -> Caller {
    Caller {
        workspace: WorkspaceId::from_slug("tau"),
        conversation: ConversationId(Uuid::nil()),
        contact: ContactId(Uuid::nil()),
        session: SessionId(Uuid::nil()),
    }
}
