//! Handoffs as they are stored: opened by a turn's commit, assigned, resolved, read back.

use async_trait::async_trait;
use domain::{
    ConversationId, Handoff, HandoffId, HandoffRequest, HandoffStatus, SessionId, Timestamp,
    Trigger, WorkspaceId,
};
use serde_json::json;
use uuid::Uuid;

use super::ownership::locked;
use super::setup::audit;
use super::{Driver, Look, Row, Sql, SqlStore, Tx, briefing, live, work};
use crate::{
    HandoffFilter, Handoffs, LiveKind, Notice, OpenHandoff, Point, StoreError, StoreResult,
    TurnCommit, statement,
};

macro_rules! select {
    ($($rest:literal)*) => {
        concat!(
            "SELECT id, conversation_id, session_id, contact_id, trigger_type, trigger_reason, \
                    context, status, assigned_to, assigned_at, resolved_at, resolution, created_at \
             FROM handoffs WHERE workspace_id = ?1 ",
            $($rest),*
        )
    };
}

macro_rules! page {
    () => {
        "AND coalesce(assigned_to, '') = coalesce(?3, assigned_to, '') AND id < ?2 \
         ORDER BY id DESC LIMIT ?4"
    };
}

const GET: Sql = Sql::both(select!("AND id = ?2"));

const LIST: Sql = Sql::both(concat!(select!(""), page!()));

const LIST_OF_STATUS: Sql = Sql::both(concat!(select!("AND status = ?5 "), page!()));

const FIND_OPEN: Sql = Sql::both(
    "SELECT id, status, CASE WHEN told_at IS NULL THEN attending END FROM handoffs \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND status <> 'resolved'",
);

// A conversation has at most one open handoff; a second request is dropped and the first keeps its
// id.
const OPEN: Sql = Sql::both(
    "INSERT INTO handoffs (workspace_id, id, conversation_id, session_id, contact_id, trigger_type, \
            trigger_reason, context, attending, status, created_at) \
     SELECT ?1, ?2, c.id, ?4, c.contact_id, ?5, ?6, ?7, ?8, 'pending', ?9 \
     FROM conversations c WHERE c.workspace_id = ?1 AND c.id = ?3 \
     ON CONFLICT (conversation_id) WHERE status <> 'resolved' DO NOTHING",
);

// Re-assigning to the same operator keeps the original `assigned_at`.
const ASSIGN: Sql = Sql::both(
    "UPDATE handoffs SET status = 'assigned', assigned_to = ?3, \
            assigned_at = CASE WHEN assigned_to = ?3 THEN assigned_at ELSE ?4 END \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND status <> 'resolved' RETURNING id",
);

const PASS_ON: Sql = Sql::both(
    "UPDATE conversations SET assignee = ?3 \
     WHERE workspace_id = ?1 AND id = ?2 AND owner = 'human' AND assignee IS NOT NULL",
);

const RESOLVE: Sql = Sql::both(
    "UPDATE handoffs SET status = 'resolved', resolution = ?3, resolved_at = ?4 \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND status <> 'resolved' RETURNING id",
);

const MARK_ANNOUNCED: Sql = Sql::both(
    "UPDATE handoffs SET told_at = ?3 \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND status <> 'resolved' \
            AND told_at IS NULL",
);

const ANNOUNCE: Sql = Sql::both(
    "UPDATE handoffs SET told_at = ?3 \
     WHERE workspace_id = ?1 AND id = ?2 AND status <> 'resolved' AND told_at IS NULL",
);

const STILL_PENDING: Sql =
    Sql::both("SELECT 1 FROM handoffs WHERE workspace_id = ?1 AND id = ?2 AND status = 'pending'");

pub(super) const STATEMENTS: &[Sql] =
    &[FIND_OPEN, OPEN, MARK_ANNOUNCED, ANNOUNCE, STILL_PENDING, GET, ASSIGN, PASS_ON, RESOLVE];

/// Lists for people, page by page.
pub(super) const BESIDE: &[Sql] = &[LIST, LIST_OF_STATUS];

#[async_trait]
impl<D: Driver> Handoffs for SqlStore<D> {
    async fn handoffs(
        &self,
        workspace: WorkspaceId,
        filter: HandoffFilter,
    ) -> StoreResult<Vec<HandoffRequest>> {
        self.driver
            .read(Look::long(workspace), work!(|tx, filter| list(tx, workspace, &filter).await))
            .await
    }

    async fn handoff(&self, workspace: WorkspaceId, id: HandoffId) -> StoreResult<HandoffRequest> {
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx| {
                    tx.scope(workspace);
                    get(tx, workspace, id).await
                }),
            )
            .await
    }

    async fn open_handoff(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> StoreResult<Option<OpenHandoff>> {
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx| {
                    tx.scope(workspace);
                    let rows = tx.query(statement!(FIND_OPEN, workspace, conversation)).await?;
                    rows.first().map(open_handoff).transpose()
                }),
            )
            .await
    }

    async fn assign_handoff(
        &self,
        workspace: WorkspaceId,
        id: HandoffId,
        by: &str,
        to: &str,
        now: Timestamp,
    ) -> StoreResult<()> {
        let (by, to) = (by.to_owned(), to.to_owned());
        let _turn = self.turn_to_write(workspace).await;
        self.driver
            .write(
                Point::HandoffAssign,
                work!(|tx, by, to| {
                    let conversation = still_open(tx, workspace, id).await?;
                    tx.write(statement!(PASS_ON, workspace, conversation, &*to));
                    assign(tx, workspace, conversation, &to, now).await?;
                    let detail = json!({ "to": &*to });
                    audit(tx, workspace, &by, "handoff.assign", id, detail, now);
                    Ok(())
                }),
            )
            .await
            .inspect(|()| self.driver.announce_live(workspace))
    }

    async fn resolve_handoff(
        &self,
        workspace: WorkspaceId,
        id: HandoffId,
        by: &str,
        resolution: &str,
        now: Timestamp,
    ) -> StoreResult<()> {
        let (by, resolution) = (by.to_owned(), resolution.to_owned());
        let _turn = self.turn_to_write(workspace).await;
        self.driver
            .write(
                Point::HandoffResolve,
                work!(|tx, by, resolution| {
                    let conversation = still_open(tx, workspace, id).await?;
                    resolve(tx, workspace, conversation, Some(&resolution), now).await?;
                    audit(tx, workspace, &by, "handoff.resolve", id, json!({}), now);
                    Ok(())
                }),
            )
            .await
            .inspect(|()| self.driver.announce_live(workspace))
    }
}

async fn list<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    filter: &HandoffFilter,
) -> StoreResult<Vec<HandoffRequest>> {
    tx.scope(workspace);
    let before = filter.before.unwrap_or(HandoffId(Uuid::max()));
    let (assignee, limit) = (filter.assignee.as_ref(), filter.limit);
    let list = match filter.status {
        None => statement!(LIST, workspace, before, assignee, limit),
        Some(status) => {
            let status = status.as_str();
            statement!(LIST_OF_STATUS, workspace, before, assignee, limit, status)
        }
    };
    tx.query(list).await?.iter().map(request).collect()
}

async fn get<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: HandoffId,
) -> StoreResult<HandoffRequest> {
    let rows = tx.query(statement!(GET, workspace, id)).await?;
    request(rows.first().ok_or(StoreError::NotFound("handoff"))?)
}

/// The conversation of a handoff that is not resolved, with its lane locked.
async fn still_open<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: HandoffId,
) -> StoreResult<ConversationId> {
    tx.scope(workspace);
    let conversation = get(tx, workspace, id).await?.conversation;
    locked(tx, workspace, conversation).await?;
    match get(tx, workspace, id).await?.status {
        HandoffStatus::Resolved => {
            Err(StoreError::Refused("this handoff is resolved already: nothing was changed".into()))
        }
        HandoffStatus::Pending | HandoffStatus::Assigned => Ok(conversation),
    }
}

/// Opens a turn's handoff, before the turn itself is written, because the briefing shows what stood
/// before.
pub(super) async fn open<T: Tx>(
    tx: &mut T,
    turn: &TurnCommit,
    id: HandoffId,
    handoff: &Handoff,
) -> StoreResult<()> {
    let context = briefing::read(tx, turn, handoff).await?;
    let session = turn.session.as_ref().map_or(SessionId::of_turn(turn.turn), |one| one.id);
    tx.write(statement!(
        OPEN,
        turn.lease.workspace,
        id,
        turn.lease.conversation,
        session,
        handoff.trigger.as_str(),
        &handoff.reason,
        context,
        handoff.attending.as_ref(),
        turn.now
    ));
    live::tell_new_handoff(tx, turn.lease.workspace, id, handoff.trigger, turn.now);
    Ok(())
}

/// Sets the assignee of a conversation's open handoff and returns its id; `None` if no handoff is
/// open.
pub(super) async fn assign<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    conversation: ConversationId,
    to: &str,
    now: Timestamp,
) -> StoreResult<Option<HandoffId>> {
    let rows = tx.query(statement!(ASSIGN, workspace, conversation, to, now)).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let (id, kind): (HandoffId, _) = (row.uuid(0)?, LiveKind::HandoffAssigned);
    live::tell(tx, workspace, kind, Some(conversation), id, json!({ "to": to }), now);
    Ok(Some(id))
}

/// Resolves a conversation's open handoff and returns its id; `None` if no handoff is open.
pub(super) async fn resolve<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    conversation: ConversationId,
    resolution: Option<&str>,
    now: Timestamp,
) -> StoreResult<Option<HandoffId>> {
    let rows = tx.query(statement!(RESOLVE, workspace, conversation, resolution, now)).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let (id, kind): (HandoffId, _) = (row.uuid(0)?, LiveKind::HandoffResolved);
    live::tell(tx, workspace, kind, Some(conversation), id, json!({}), now);
    Ok(Some(id))
}

/// Marks the handoff as announced: an operator's own words tell the customer that somebody attends.
pub(super) fn mark_announced<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    conversation: ConversationId,
    now: Timestamp,
) {
    tx.write(statement!(MARK_ANNOUNCED, workspace, conversation, now));
}

/// Guards a commit that carries a notice: the commit counts only if the notice is still true and
/// was not sent before.
pub(super) fn announce<T: Tx>(tx: &mut T, workspace: WorkspaceId, notice: Notice, now: Timestamp) {
    let stands = match notice {
        Notice::Attending(id) => statement!(ANNOUNCE, workspace, id, now),
        Notice::Unattended(id) => statement!(STILL_PENDING, workspace, id),
    };
    tx.guard(stands, StoreError::VersionConflict);
}

fn request(row: &Row) -> StoreResult<HandoffRequest> {
    Ok(HandoffRequest {
        id: row.uuid(0)?,
        conversation: row.uuid(1)?,
        session: row.uuid(2)?,
        contact: row.uuid(3)?,
        trigger: row.word(4, Trigger::parse)?,
        reason: row.text(5)?.to_owned(),
        context: row.json(6)?,
        status: row.word(7, HandoffStatus::parse)?,
        assigned_to: row.opt_text(8)?.map(str::to_owned),
        assigned_at: row.opt_time(9)?,
        resolved_at: row.opt_time(10)?,
        resolution: row.opt_text(11)?.map(str::to_owned),
        created_at: row.time(12)?,
    })
}

fn open_handoff(row: &Row) -> StoreResult<OpenHandoff> {
    Ok(OpenHandoff {
        id: row.uuid(0)?,
        status: row.word(1, HandoffStatus::parse)?,
        attending: row.opt_text(2)?.map(str::to_owned),
    })
}
