//! Files that customers sent: claimed under a lease of their own, and their end recorded once.

use async_trait::async_trait;
use domain::{Channel, ConversationId, EventId, Media, Timestamp, WorkspaceId};

use super::{Driver, Look, Param, Row, Sql, SqlStore, Tx, work};
use crate::{
    ErrorBudget, MediaClaim, MediaEnd, MediaJob, MediaJobs, MediaRow, MediaStatus, Point,
    StoreResult, statement,
};

const ADD: Sql = Sql::both(
    "INSERT INTO media (workspace_id, id, channel_id, conversation_id, source, status, next_at, \
            created_at, updated_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, 'pending', ?6, ?6, ?6)",
);

const FORGET: Sql = Sql::both(
    "UPDATE media SET status = 'deleted', source = ?4, next_at = ?3, updated_at = ?3 \
     WHERE workspace_id = ?1 AND id = ?2",
);

const FOLLOW: Sql = Sql::both("UPDATE media SET id = ?3 WHERE workspace_id = ?1 AND id = ?2");

const FAILURES: Sql = Sql::both(
    "SELECT CAST(coalesce(sum(attempts), 0) AS bigint), max(failed_at) FROM media \
     WHERE workspace_id = ?1 AND channel_id = ?2 AND failed_at > ?3",
);

const DUE: Sql = Sql {
    sqlite: "SELECT id FROM media WHERE workspace_id = ?1 AND channel_id = ?2 AND next_at <= ?3 \
             ORDER BY next_at LIMIT ?4",
    // SKIP LOCKED, because a file that another node is just claiming need not be waited for.
    postgres: "SELECT id FROM media WHERE workspace_id = ?1 AND channel_id = ?2 AND next_at <= ?3 \
               ORDER BY next_at LIMIT ?4 FOR UPDATE SKIP LOCKED",
    each: false,
};

// The attempt's number is the fence: a later claim has a higher one.
const CLAIM: Sql = Sql::both(
    "UPDATE media SET attempts = attempts + 1, next_at = ?3 WHERE workspace_id = ?1 AND id = ?2 \
     RETURNING id, conversation_id, source, attempts, status, sha256, created_at",
);

const NEXT: Sql = Sql::both(
    "SELECT min(next_at) FROM media WHERE workspace_id = ?1 AND channel_id = ?2 \
            AND next_at IS NOT NULL",
);

// A file deleted meanwhile stays deleted: only its removal can still be recorded.
const RECORD_OUTCOME: Sql = Sql::both(
    "UPDATE media SET status = ?4, next_at = ?5, error = ?6, mime = coalesce(?7, mime), \
            sha256 = ?8, size = ?9, failed_at = coalesce(?10, failed_at), updated_at = ?11 \
     WHERE workspace_id = ?1 AND id = ?2 AND attempts = ?3 \
            AND (status = 'pending' OR (status = 'deleted' AND ?4 = 'deleted'))",
);

const COUNT_USES: Sql = Sql::both(
    "SELECT count(*) FROM media WHERE workspace_id = ?1 AND sha256 = ?2 AND status <> 'deleted'",
);

const OF_CONVERSATION: Sql = Sql::both(
    "SELECT id, source, status, attempts, mime, sha256, size, error, created_at FROM media \
     WHERE workspace_id = ?1 AND conversation_id = ?2 ORDER BY id",
);

pub(super) const STATEMENTS: &[Sql] = &[FOLLOW, ADD, FORGET];

/// Files are fetched beside the message path.
pub(super) const BESIDE: &[Sql] =
    &[FAILURES, DUE, CLAIM, NEXT, RECORD_OUTCOME, COUNT_USES, OF_CONVERSATION];

#[async_trait]
impl<D: Driver> MediaJobs for SqlStore<D> {
    async fn claim_media(
        &self,
        channel: &Channel,
        budget: ErrorBudget,
        now: Timestamp,
        until: Timestamp,
        max: u32,
    ) -> StoreResult<MediaClaim> {
        let channel = channel.clone();
        let _turn = self.turn_to_write(channel.workspace).await;
        self.driver
            .write(
                Point::MediaClaim,
                work!(|tx, channel| claim(tx, &channel, budget, now, until, max).await),
            )
            .await
    }

    async fn record_media(&self, job: &MediaJob, end: MediaEnd, now: Timestamp) -> StoreResult<()> {
        let job = job.clone();
        let _turn = self.turn_to_write(job.workspace).await;
        self.driver
            .write(
                Point::MediaRecord,
                work!(|tx, job, end| {
                    record_end(tx, &job, &end, now);
                    Ok(())
                }),
            )
            .await
    }

    async fn keeps_media(&self, workspace: WorkspaceId, sha256: &str) -> StoreResult<bool> {
        let sha256 = sha256.to_owned();
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx, sha256| {
                    tx.scope(workspace);
                    let rows = tx.query(statement!(COUNT_USES, workspace, &*sha256)).await?;
                    rows.first().map_or(Ok(false), |row| Ok(row.int(0)? > 0))
                }),
            )
            .await
    }

    async fn media(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> StoreResult<Vec<MediaRow>> {
        self.driver
            .read(
                Look::long(workspace),
                work!(|tx| {
                    tx.scope(workspace);
                    let rows =
                        tx.query(statement!(OF_CONVERSATION, workspace, conversation)).await?;
                    rows.iter().map(media_row).collect()
                }),
            )
            .await
    }
}

/// Adds the file of a message, in the commit that takes the message in.
pub(super) fn add<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    event: EventId,
    conversation: ConversationId,
    file: &Media,
    now: Timestamp,
) {
    let source = Param::json(&Media { caption: None, ..file.clone() });
    tx.write(statement!(ADD, channel.workspace, event, &channel.id, conversation, source, now));
}

/// Moves a message's file to the message's new id.
pub(super) fn follow<T: Tx>(tx: &mut T, workspace: WorkspaceId, from: EventId, to: EventId) {
    tx.write(statement!(FOLLOW, workspace, from, to));
}

/// Forgets a message's file, in the commit that forgets the message; the file itself goes with the
/// next look at the jobs.
pub(super) fn forget<T: Tx>(tx: &mut T, workspace: WorkspaceId, event: EventId, now: Timestamp) {
    tx.write(statement!(FORGET, workspace, event, now, Param::json(&Media::default())));
}

async fn claim<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    budget: ErrorBudget,
    now: Timestamp,
    until: Timestamp,
    max: u32,
) -> StoreResult<MediaClaim> {
    let workspace = channel.workspace;
    tx.scope(workspace);
    let since = now.plus_ms(-budget.within_ms);
    let failures = tx.query(statement!(FAILURES, workspace, &channel.id, since)).await?;
    if let Some(row) = failures.first()
        && row.count(0)? >= budget.failures
        && let Some(last) = row.opt_time(1)?
        && last.plus_ms(budget.pause_ms) > now
    {
        let wake_at = Some(last.plus_ms(budget.pause_ms));
        return Ok(MediaClaim { jobs: Vec::new(), wake_at });
    }
    let due = tx.query(statement!(DUE, workspace, &channel.id, now, max)).await?;
    let ids: Vec<EventId> = due.iter().map(|row| row.uuid(0)).collect::<StoreResult<_>>()?;
    let take = |id: &EventId| statement!(CLAIM, workspace, *id, until);
    let rows = tx.query_all(ids.iter().map(take).collect()).await?.concat();
    let job = |row: &Row| {
        Ok(MediaJob {
            workspace,
            id: row.uuid(0)?,
            conversation: row.uuid(1)?,
            file: row.json(2)?,
            attempt: row.count(3)?,
            deleted: row.text(4)? == MediaStatus::Deleted.as_str(),
            sha256: row.opt_text(5)?.map(str::to_owned),
            since: row.time(6)?,
        })
    };
    let jobs = rows.iter().map(job).collect::<StoreResult<_>>()?;
    let rows = tx.query(statement!(NEXT, workspace, &channel.id)).await?;
    let wake_at = rows.first().map_or(Ok(None), |row| row.opt_time(0))?;
    Ok(MediaClaim { jobs, wake_at })
}

fn record_end<T: Tx>(tx: &mut T, job: &MediaJob, end: &MediaEnd, now: Timestamp) {
    tx.scope(job.workspace);
    let MediaEnd { status, retry_at, error, kept, failed } = end;
    let kept = kept.as_ref();
    tx.write(statement!(
        RECORD_OUTCOME,
        job.workspace,
        job.id,
        job.attempt,
        status.as_str(),
        *retry_at,
        error.as_ref(),
        kept.and_then(|kept| kept.mime.as_ref()),
        kept.map(|kept| &kept.sha256),
        kept.map(|kept| kept.size),
        failed.then_some(now),
        now
    ));
}

fn media_row(row: &Row) -> StoreResult<MediaRow> {
    Ok(MediaRow {
        id: row.uuid(0)?,
        file: row.json(1)?,
        status: row.word(2, MediaStatus::parse)?,
        attempts: row.count(3)?,
        mime: row.opt_text(4)?.map(str::to_owned),
        sha256: row.opt_text(5)?.map(str::to_owned),
        size: if row.is_null(6) { None } else { Some(row.int(6)?) },
        error: row.opt_text(7)?.map(str::to_owned),
        at: row.time(8)?,
    })
}
