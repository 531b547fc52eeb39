//! A node's work beside its turns: prunes what is past, indexes contacts, keeps the database's time.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use config::{Config, Database};
use domain::{Clock, SystemClock, Timestamp, WorkspaceId};
use store::{Conversations, Inbox, Live, Store, StoreResult};

use crate::agree_on_time;

const UPKEEP: Duration = Duration::from_secs(30);
const PRUNE_EVERY_MS: i64 = 6 * 60 * 60 * 1000;
/// How long operators who were away can go on where they were.
const KEEP_LIVE_DAYS: i64 = 7;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

pub(crate) async fn upkeep(config: Arc<Config>, clock: SystemClock, store: Arc<dyn Store>) {
    let mut pruned = HashMap::new();
    loop {
        for workspace in config.workspaces() {
            let now = clock.now();
            let last = pruned.entry(workspace.id).or_insert(now.plus_ms(-PRUNE_EVERY_MS));
            if now.since_ms(*last) < PRUNE_EVERY_MS {
                continue;
            }
            *last = now;
            let before = now.plus_ms(-config.retention_days * DAY_MS);
            match prune_inbox(&*store, workspace.id, before).await {
                Ok(0) => {}
                Ok(rows) => tracing::info!(workspace = workspace.slug, rows, "inbox pruned"),
                Err(error) => tracing::warn!(%error, "inbox not pruned"),
            }
            if let Err(error) = index_contacts(&*store, workspace.id).await {
                tracing::warn!(%error, "not all contacts can be searched for");
            }
            let before = now.plus_ms(-KEEP_LIVE_DAYS * DAY_MS);
            if let Err(error) = prune_live(&*store, workspace.id, before).await {
                tracing::warn!(%error, "live events not pruned");
            }
        }
        tokio::time::sleep(UPKEEP).await;
        if matches!(config.database, Database::Postgres { .. }) {
            agree_on_time(&clock, &*store).await;
        }
    }
}

/// Some at a time, so that nobody waits long for the writer.
async fn prune_inbox(
    inbox: &(dyn Inbox + Sync),
    workspace: WorkspaceId,
    before: Timestamp,
) -> StoreResult<u64> {
    let (mut rows, mut place) = (0, None);
    loop {
        let piece = inbox.prune(workspace, before, place).await?;
        rows += piece.rows;
        place = piece.next;
        if place.is_none() {
            return Ok(rows);
        }
    }
}

async fn prune_live(
    live: &(dyn Live + Sync),
    workspace: WorkspaceId,
    before: Timestamp,
) -> StoreResult<()> {
    while live.prune_live(workspace, before).await? > 0 {}
    Ok(())
}

/// Indexes contacts of before there was a search, and whom a process left undone when it died.
async fn index_contacts(
    conversations: &(dyn Conversations + Sync),
    workspace: WorkspaceId,
) -> StoreResult<()> {
    while conversations.index_contacts(workspace).await? > 0 {}
    Ok(())
}
