//! Notes: lines outside any turn, which disturb no turn that is under way.

use domain::{
    Channel, ConversationId, Role, SessionId, SessionStatus, Timestamp, TurnId, WorkspaceId,
};
use serde_json::json;
use uuid::Uuid;

use super::{Param, Sql, Tx, live, senders, sessions};
use crate::{Accepted, Arrival, LiveKind, SessionWrite, StoreResult, statement};

const KEEP: Sql = Sql::both(
    "INSERT INTO webhook_inbox (workspace_id, id, channel_id, external_id, conversation_id, kind, \
            status, payload, sent_at, received_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, 'message', 'done', ?6, ?7, ?8) \
     ON CONFLICT (workspace_id, channel_id, external_id) DO NOTHING RETURNING 1",
);

// The session's version stays, because a turn under way has read nothing that a note changes.
const MAKE_ROOM: Sql = Sql::both(
    "UPDATE agent_sessions SET turn_count = turn_count + 1 \
     WHERE workspace_id = ?1 AND id = (SELECT s.id FROM agent_sessions s \
            WHERE s.workspace_id = ?1 AND s.conversation_id = ?2 \
            ORDER BY s.created_at DESC LIMIT 1) \
     RETURNING id",
);

const ADD_LINE: Sql = Sql::both(
    "INSERT INTO agent_turns (workspace_id, session_id, turn_number, id, role, content, \
            tools_called, created_at) \
     SELECT s.workspace_id, s.id, s.turn_count, ?3, ?4, ?5, ?6, ?7 FROM agent_sessions s \
     WHERE s.workspace_id = ?1 AND s.id = ?2",
);

pub(super) const STATEMENTS: &[Sql] = &[MAKE_ROOM, ADD_LINE, KEEP];

pub(super) async fn note<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    notes: &[Arrival],
    place: &SessionWrite,
    now: Timestamp,
) -> StoreResult<Vec<Accepted>> {
    let workspace = channel.workspace;
    tx.scope(workspace);
    let conversations = senders::conversations(tx, channel, notes, now).await?;
    let of = |note: &Arrival| conversations[note.item.from.external_id.reveal().as_str()];
    let keep = |note: &Arrival| {
        let (payload, sent_at) = (Param::json(&note.item.content), note.item.sent_at);
        let (id, at) = (&note.item.external_id, sent_at.unwrap_or(now));
        statement!(KEEP, workspace, note.event, &channel.id, id, of(note), payload, at, now)
    };
    let kept = tx.query_all(notes.iter().map(keep).collect()).await?;
    let accepted: Vec<_> = notes
        .iter()
        .zip(kept)
        .map(|(note, rows)| Accepted {
            conversation: of(note),
            duplicate: rows.is_empty(),
            set_aside: false,
            brought_file: false,
        })
        .collect();
    let mut fresh: Vec<_> = notes
        .iter()
        .zip(&accepted)
        .filter(|(_, one)| !one.duplicate)
        .map(|(note, _)| note)
        .collect();
    // Every node takes the conversations in the same order, so that two deliveries never deadlock.
    fresh.sort_by_key(|note| of(note));
    for note in fresh {
        let place = SessionWrite { id: SessionId(note.event.0), ..place.clone() };
        let words = note.item.content.in_words();
        add_line(tx, workspace, of(note), &place, (Role::System, &words), now).await?;
        let told = json!({ "heard": 1, "timers": 0, "replies": 0, "mode": null });
        live::tell(tx, workspace, LiveKind::Turn, Some(of(note)), note.event, told, now);
    }
    Ok(accepted)
}

/// Adds a line to the last session, even an ended one, because a session of its own would stand in
/// lists as the last. A conversation without any session gets a closed one.
pub(super) async fn add_line<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    conversation: ConversationId,
    place: &SessionWrite,
    (role, text): (Role, &str),
    now: Timestamp,
) -> StoreResult<()> {
    let room = tx.query(statement!(MAKE_ROOM, workspace, conversation)).await?;
    let session: SessionId = match room.first() {
        Some(row) => row.uuid(0)?,
        None => {
            let place = SessionWrite { status: SessionStatus::Closed, ..place.clone() };
            sessions::open(tx, workspace, conversation, &place, 1, now);
            place.id
        }
    };
    let (turn, tools) = (TurnId(Uuid::nil()), Param::json(&Vec::<()>::new()));
    tx.write(statement!(ADD_LINE, workspace, session, turn, role.as_str(), text, tools, now));
    Ok(())
}
