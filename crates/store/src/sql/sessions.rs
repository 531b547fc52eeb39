//! A session with its state, as it is stored: read, opened, saved, closed.

use domain::{ConversationId, Session, SessionState, SessionStatus, Timestamp, WorkspaceId};

use super::{Param, Row, Sql, Statement, Tx};
use crate::{Lease, SessionWrite, StoreError, StoreResult, TurnCommit, statement};

const FIND: Sql = Sql::each(
    "SELECT s.id, s.agent_id, s.agent_version, s.version, s.status, s.current_mode, s.created_at, \
            s.last_activity_at, d.intents_vistos, d.templates_enviados, d.datos_capturados, \
            d.pack_seleccionado, d.proactive_started_at, d.first_data_at, d.min_data_at, \
            d.ofrecer_promos_at, d.scratch, d.proposal \
     FROM agent_sessions s JOIN session_state d ON d.workspace_id = s.workspace_id \
          AND d.session_id = s.id \
     WHERE s.workspace_id = ?1 AND s.conversation_id = ?2 AND s.status <> 'closed' \
     ORDER BY s.created_at DESC LIMIT 1",
);

const OPEN: Sql = Sql::each(
    "INSERT INTO agent_sessions (workspace_id, id, agent_id, agent_version, conversation_id, \
            contact_id, version, status, current_mode, turn_count, created_at, updated_at, \
            last_activity_at) \
     SELECT ?1, ?2, ?3, ?4, ?5, c.contact_id, 1, ?6, ?7, ?8, ?10, ?9, ?9 \
     FROM conversations c WHERE c.workspace_id = ?1 AND c.id = ?5 \
     ON CONFLICT DO NOTHING",
);

// Most turns leave status and mode as they are. SQLite would write their indexes anew for a status or
// a mode that is set, be it the same.
const SAVE: Sql = Sql::each(
    "UPDATE agent_sessions SET version = version + 1, agent_version = ?4, \
            turn_count = turn_count + ?5, updated_at = ?6, last_activity_at = ?6 \
     WHERE workspace_id = ?1 AND id = ?2 AND version = ?3",
);

const SAVE_PLACE: Sql = Sql::each(
    "UPDATE agent_sessions SET status = ?3, current_mode = ?4 WHERE workspace_id = ?1 AND id = ?2",
);

const CLOSE: Sql = Sql::both(
    "UPDATE agent_sessions SET status = 'closed', version = version + 1, updated_at = ?3 \
     WHERE workspace_id = ?1 AND id = ?2",
);

const ADD_STATE: Sql = Sql::each(
    "INSERT INTO session_state (workspace_id, session_id, intents_vistos, templates_enviados, \
            datos_capturados, pack_seleccionado, proactive_started_at, first_data_at, min_data_at, \
            ofrecer_promos_at, scratch, proposal, updated_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
);

const SAVE_STATE: Sql = Sql::each(
    "UPDATE session_state SET intents_vistos = ?3, templates_enviados = ?4, \
            datos_capturados = ?5, pack_seleccionado = ?6, proactive_started_at = ?7, \
            first_data_at = ?8, min_data_at = ?9, ofrecer_promos_at = ?10, scratch = ?11, \
            proposal = ?12, updated_at = ?13 \
     WHERE workspace_id = ?1 AND session_id = ?2",
);

/// Statements that are run for many at once.
pub(super) const EACH: &[Sql] = &[FIND, OPEN, SAVE, SAVE_PLACE, ADD_STATE, SAVE_STATE];

pub(super) const STATEMENTS: &[Sql] = &[CLOSE];

/// Finds a conversation's open session.
pub(super) fn find(lease: Lease) -> Statement {
    statement!(FIND, lease.workspace, lease.conversation)
}

pub(super) async fn read<T: Tx>(tx: &mut T, lease: Lease) -> StoreResult<Option<Session>> {
    tx.query(find(lease)).await?.first().map(session).transpose()
}

pub(super) fn session(row: &Row) -> StoreResult<Session> {
    Ok(Session {
        id: row.uuid(0)?,
        agent: row.text(1)?.to_owned(),
        agent_version: row.text(2)?.to_owned(),
        version: row.int(3)?,
        status: row.word(4, SessionStatus::parse)?,
        mode: row.text(5)?.to_owned(),
        created_at: row.time(6)?,
        last_activity_at: row.time(7)?,
        state: SessionState {
            intents_vistos: row.json(8)?,
            templates_enviados: row.json(9)?,
            datos_capturados: row.json(10)?,
            pack_seleccionado: row.opt_text(11)?.map(str::to_owned),
            proactive_started_at: row.opt_time(12)?,
            first_data_at: row.opt_time(13)?,
            min_data_at: row.opt_time(14)?,
            ofrecer_promos_at: row.opt_time(15)?,
            scratch: row.json(16)?,
            proposal: row.opt_json(17)?,
        },
    })
}

/// The session as this commit leaves it, once its guards have held.
pub(super) fn after(turn: &TurnCommit, write: &SessionWrite) -> Session {
    Session {
        id: write.id,
        agent: write.agent.clone(),
        agent_version: write.agent_version.clone(),
        version: write.read_version.map_or(1, |version| version + 1),
        status: write.status,
        mode: write.mode.clone(),
        created_at: write.opened_at,
        last_activity_at: turn.now,
        state: write.state.clone(),
    }
}

/// Saves the session and makes room in its count for the turn's entries.
pub(super) fn save<T: Tx>(tx: &mut T, turn: &TurnCommit, session: &SessionWrite, entries: i64) {
    let (workspace, now) = (turn.lease.workspace, turn.now);
    if let Some(closed) = session.closes {
        tx.write(statement!(CLOSE, workspace, closed, now));
    }
    let Some(version) = session.read_version else {
        return open(tx, workspace, turn.lease.conversation, session, entries, now);
    };
    let save =
        statement!(SAVE, workspace, session.id, version, &session.agent_version, entries, now);
    tx.guard(save, StoreError::VersionConflict);
    if session.status != session.read_status || session.mode != session.read_mode {
        let status = session.status.as_str();
        tx.write(statement!(SAVE_PLACE, workspace, session.id, status, &session.mode));
    }
    put_state(tx, SAVE_STATE, workspace, session, now);
}

pub(super) fn open<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    conversation: ConversationId,
    session: &SessionWrite,
    entries: i64,
    now: Timestamp,
) {
    let open = statement!(
        OPEN,
        workspace,
        session.id,
        &session.agent,
        &session.agent_version,
        conversation,
        session.status.as_str(),
        &session.mode,
        entries,
        now,
        session.opened_at
    );
    tx.guard(open, StoreError::VersionConflict);
    put_state(tx, ADD_STATE, workspace, session, now);
}

fn put_state<T: Tx>(
    tx: &mut T,
    sql: Sql,
    workspace: WorkspaceId,
    session: &SessionWrite,
    now: Timestamp,
) {
    let state = &session.state;
    tx.write(statement!(
        sql,
        workspace,
        session.id,
        Param::json(&state.intents_vistos),
        Param::json(&state.templates_enviados),
        Param::json(&state.datos_capturados),
        state.pack_seleccionado.as_ref(),
        state.proactive_started_at,
        state.first_data_at,
        state.min_data_at,
        state.ofrecer_promos_at,
        Param::json(&state.scratch),
        state.proposal.as_ref().map(Param::json),
        now
    ));
}
