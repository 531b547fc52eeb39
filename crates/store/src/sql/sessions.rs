//! A session with its state, as it is stored: read, opened, saved, closed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use domain::{
    ConversationId, SeenIntent, Session, SessionState, SessionStatus, Timestamp, WorkspaceId,
};
use serde::{Deserialize, Serialize};

use super::{Param, Row, Sql, Statement, Tx};
use crate::{Lease, SessionWrite, StoreError, StoreResult, TurnCommit, statement};

const FIND: Sql = Sql::each(
    "SELECT s.id, s.agent_id, s.agent_version, s.version, s.status, s.current_mode, s.created_at, \
            s.last_activity_at, d.intents_vistos, d.templates_enviados, d.datos_capturados, \
            d.pack_seleccionado, d.proactive_started_at, d.first_data_at, d.min_data_at, \
            d.ofrecer_promos_at, d.scratch, d.proposal, d.choices, d.milestones \
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

// Most turns leave status and mode as they are, so this text does not set them: SQLite rewrites an
// index for every column that is set, even to the same value.
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
            ofrecer_promos_at, scratch, proposal, choices, milestones, updated_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
);

const SAVE_STATE: Sql = Sql::each(
    "UPDATE session_state SET intents_vistos = ?3, templates_enviados = ?4, \
            datos_capturados = ?5, pack_seleccionado = ?6, proactive_started_at = ?7, \
            first_data_at = ?8, min_data_at = ?9, ofrecer_promos_at = ?10, scratch = ?11, \
            proposal = ?12, choices = ?13, milestones = ?14, updated_at = ?15 \
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
        state: state(row)?,
    })
}

// The columns keep these names, because customers' own reports read them; every other choice and
// milestone is in `choices` and `milestones`. No other module knows the difference.
const CHOICE: &str = "pack_seleccionado";
const MILESTONES: [&str; 4] =
    ["proactive_started_at", "first_data_at", "min_data_at", "ofrecer_promos_at"];

fn state(row: &Row) -> StoreResult<SessionState> {
    let mut choices: BTreeMap<String, String> = row.json(18)?;
    if let Some(option) = row.opt_text(11)? {
        choices.insert(CHOICE.to_owned(), option.to_owned());
    }
    let mut milestones: BTreeMap<String, Timestamp> = row.json(19)?;
    for (column, name) in (12..).zip(MILESTONES) {
        if let Some(at) = row.opt_time(column)? {
            milestones.insert(name.to_owned(), at);
        }
    }
    let seen: Vec<StoredIntent<'_>> = row.json(8)?;
    Ok(SessionState {
        data: row.json(10)?,
        sent: row.json(9)?,
        seen: seen.into_iter().map(StoredIntent::read).collect(),
        choices,
        milestones,
        memory: row.json(16)?,
        proposal: row.opt_json(17)?,
    })
}

/// An element of `intents_vistos`.
#[derive(Serialize, Deserialize)]
struct StoredIntent<'a> {
    intent: Cow<'a, str>,
    orden: u32,
    timestamp: Timestamp,
}

impl<'a> StoredIntent<'a> {
    fn of(seen: &'a SeenIntent) -> Self {
        let SeenIntent { intent, order, timestamp } = seen;
        Self { intent: intent.into(), orden: *order, timestamp: *timestamp }
    }

    fn read(self) -> SeenIntent {
        let Self { intent, orden, timestamp } = self;
        SeenIntent { intent: intent.into_owned(), order: orden, timestamp }
    }
}

/// The entries that have no column of their own, as one document.
fn others<T: Serialize>(all: &BTreeMap<String, T>, columns: &[&str]) -> Param {
    let others = all.iter().filter(|(name, _)| !columns.contains(&name.as_str()));
    Param::json(&others.collect::<BTreeMap<_, _>>())
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
    let [proactive, first_data, min_data, promos] =
        MILESTONES.map(|name| state.milestones.get(name).copied());
    tx.write(statement!(
        sql,
        workspace,
        session.id,
        Param::json(&state.seen.iter().map(StoredIntent::of).collect::<Vec<_>>()),
        Param::json(&state.sent),
        Param::json(&state.data),
        state.choices.get(CHOICE),
        proactive,
        first_data,
        min_data,
        promos,
        Param::json(&state.memory),
        state.proposal.as_ref().map(Param::json),
        others(&state.choices, &[CHOICE]),
        others(&state.milestones, &MILESTONES),
        now
    ));
}
