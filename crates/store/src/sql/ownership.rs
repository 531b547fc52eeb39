//! Ownership of a conversation: takeover by a person, and return to the bot.

use domain::{
    Burst, Conversation, ConversationId, EventId, OperatorEvent, Owner, Role, SessionStatus,
    Timestamp, WorkspaceId,
};
use serde_json::json;

use super::conversations::{WAKE_FOR_SEND, key, note};
use super::inbox::make_due;
use super::load::read_conversation;
use super::setup::audit;
use super::status::rank;
use super::{Param, Sql, Tx, drafts, handoffs, live};
use crate::{GiveBack, LiveKind, StoreError, StoreResult, statement};

pub(super) const LOCK_ANY: Sql = Sql {
    sqlite: "SELECT 1 FROM lanes WHERE workspace_id = ?1 AND conversation_id = ?2",
    postgres: "SELECT 1 FROM lanes WHERE workspace_id = ?1 AND conversation_id = ?2 FOR UPDATE",
    each: false,
};

const CHANGE_OWNER: Sql = Sql::both(
    "UPDATE conversations SET owner = ?3, assignee = ?4, epoch = epoch + 1, taking_by = NULL, \
            taking_at = NULL \
     WHERE workspace_id = ?1 AND id = ?2 AND (owner <> ?3 OR coalesce(assignee, '') <> coalesce(?4, ''))",
);

macro_rules! touch_session {
    ($sessions:literal) => {
        concat!(
            "UPDATE ",
            $sessions,
            " SET version = version + 1, turn_count = turn_count + 1, \
                    status = coalesce(?3, status), updated_at = ?4 \
             WHERE workspace_id = ?1 AND conversation_id = ?2 AND status <> 'closed'"
        )
    };
}

// Raising the version makes a turn that is under way run again on the new facts. SQLite is told the
// index, because it would otherwise read all sessions of the workspace.
const TOUCH_SESSION: Sql = Sql {
    sqlite: touch_session!("agent_sessions INDEXED BY agent_sessions_conversation"),
    postgres: touch_session!("agent_sessions"),
    each: false,
};

const ADD_ACT: Sql = Sql::both(
    "INSERT INTO webhook_inbox (workspace_id, id, channel_id, external_id, conversation_id, kind, \
            status, payload, sent_at, received_at) \
     SELECT c.workspace_id, ?3, c.channel_id, ?4, c.id, 'operator', 'pending', ?5, ?6, ?6 \
     FROM conversations c WHERE c.workspace_id = ?1 AND c.id = ?2",
);

// A message of the bot is on its way only while its holder's lease runs: afterwards the holder must
// renew the lease before it sends, whatever it has intended.
const ON_ITS_WAY: Sql = Sql::both(concat!(
    "SELECT 1 FROM outbox o JOIN lanes l ON l.workspace_id = o.workspace_id \
          AND l.conversation_id = o.conversation_id \
     WHERE o.workspace_id = ?1 AND o.conversation_id = ?2 AND o.rank <= ",
    rank!(sending),
    " \
            AND o.status = 'sending' AND o.author <> 'operator' \
            AND l.holder IS NOT NULL AND l.wake_at > ?3",
));

// Raising the fence ends an expired lease for good, because otherwise its holder could still renew
// it.
const END_LEASE: Sql = Sql::both(
    "UPDATE lanes SET fence = fence + 1 \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND holder IS NOT NULL AND wake_at <= ?3",
);

const RECORD_WISH: Sql = Sql::both(
    "UPDATE conversations SET taking_by = ?3, taking_at = ?4 WHERE workspace_id = ?1 AND id = ?2",
);

const DROP_WISH: Sql = Sql::both(
    "UPDATE conversations SET taking_by = NULL, taking_at = NULL \
     WHERE workspace_id = ?1 AND id = ?2 AND taking_by = ?3",
);

const SEND_SOON: Sql = Sql::both(concat!(
    "UPDATE outbox SET next_attempt_at = ?3 \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND rank <= ",
    rank!(sending),
    " AND status = 'queued' \
            AND author <> 'operator' AND next_attempt_at > ?3 RETURNING 1",
));

const RAISE_ACTIVE_AT: Sql =
    Sql::both("UPDATE conversations SET active_at = ?3 WHERE workspace_id = ?1 AND id = ?2");

pub(super) const STATEMENTS: &[Sql] = &[
    LOCK_ANY,
    CHANGE_OWNER,
    TOUCH_SESSION,
    ADD_ACT,
    ON_ITS_WAY,
    END_LEASE,
    RECORD_WISH,
    DROP_WISH,
    SEND_SOON,
    RAISE_ACTIVE_AT,
];

/// Locks the lane before the conversation, as every commit of a turn does, so that the two never
/// deadlock.
pub(super) async fn locked<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
) -> StoreResult<Conversation> {
    tx.scope(workspace);
    tx.guard(statement!(LOCK_ANY, workspace, id), StoreError::NotFound("conversation"));
    read_conversation(tx, key(workspace, id)).await
}

/// Makes a person the owner. `None` if a message of the bot is on its way: then only the wish to
/// take over is recorded.
pub(super) async fn take_over<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    by: &str,
    now: Timestamp,
) -> StoreResult<Option<()>> {
    let conversation = locked(tx, workspace, id).await?;
    if conversation.owner == Owner::Human && conversation.assignee.as_deref() == Some(by) {
        return Ok(Some(()));
    }
    if waits(tx, workspace, id, by, now).await? {
        return Ok(None);
    }
    make_owner(tx, workspace, id, by, now).await?;
    note(tx, workspace, id, Role::System, &format!("{by} took the conversation over"), None, now);
    audit(tx, workspace, by, "take", id, json!({ "from": conversation.owner.as_str() }), now);
    Ok(Some(()))
}

/// Whether a message of the bot is on its way. If so, the wish is recorded and no other send begins
/// until it lapses; if not, the lease is ended, so that no earlier holder can send any more.
pub(super) async fn waits<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    by: &str,
    now: Timestamp,
) -> StoreResult<bool> {
    let waits = !tx.query(statement!(ON_ITS_WAY, workspace, id, now)).await?.is_empty();
    tx.write(match waits {
        true => statement!(RECORD_WISH, workspace, id, by, now),
        false => statement!(END_LEASE, workspace, id, now),
    });
    Ok(waits)
}

/// Withdraws the wish to take over: messages held back for it may leave.
pub(super) async fn drop_wish<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    by: &str,
    now: Timestamp,
) -> StoreResult<()> {
    tx.write(statement!(DROP_WISH, workspace, id, by));
    send_soon(tx, workspace, id, now).await
}

/// Makes a person the owner, with everything but the line in the transcript, for which room is
/// made.
pub(super) async fn make_owner<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    by: &str,
    now: Timestamp,
) -> StoreResult<()> {
    tx.write(statement!(CHANGE_OWNER, workspace, id, Owner::Human.as_str(), by));
    touch_session(tx, workspace, id, Some(SessionStatus::HandedOff), now);
    drafts::clear(tx, workspace, id);
    live::tell(tx, workspace, LiveKind::Taken, Some(id), id, json!({ "by": by }), now);
    handoffs::assign(tx, workspace, id, by, now).await?;
    // The bot's queued messages are due now, so that each is looked at and withheld.
    send_soon(tx, workspace, id, now).await
}

async fn send_soon<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    now: Timestamp,
) -> StoreResult<()> {
    if !tx.query(statement!(SEND_SOON, workspace, id, now)).await?.is_empty() {
        tx.write(statement!(WAKE_FOR_SEND, workspace, id, now));
    }
    Ok(())
}

/// Raises the conversation's `active_at`, for something said outside any turn.
pub(super) fn raise_active_at<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    now: Timestamp,
) {
    tx.write(statement!(RAISE_ACTIVE_AT, workspace, id, now));
}

/// Makes room for a line outside any turn.
pub(super) fn touch_session<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    status: Option<SessionStatus>,
    now: Timestamp,
) {
    tx.write(statement!(TOUCH_SESSION, workspace, id, status.map(SessionStatus::as_str), now));
}

pub(super) async fn give_back<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    by: &str,
    back: &GiveBack,
    event: EventId,
    now: Timestamp,
) -> StoreResult<()> {
    if locked(tx, workspace, id).await?.owner == Owner::Bot {
        return Err(StoreError::Refused("the bot already owns this conversation".into()));
    }
    return_to_bot(tx, workspace, id, by, back.note.as_deref(), now).await?;
    let GiveBack { note, mode, message } = back.clone();
    let act = OperatorEvent::Returned { by: by.to_owned(), note, mode, message };
    let external_id = format!("return/{event}");
    tx.write(statement!(ADD_ACT, workspace, id, event, external_id, Param::json(&act), now));
    make_due(tx, workspace, id, Burst::default(), now);
    Ok(())
}

/// Makes the bot the owner again; the caller decides what the bot does next.
pub(super) async fn return_to_bot<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    by: &str,
    resolution: Option<&str>,
    now: Timestamp,
) -> StoreResult<()> {
    tx.write(statement!(CHANGE_OWNER, workspace, id, Owner::Bot.as_str(), Param::Null));
    touch_session(tx, workspace, id, Some(SessionStatus::Active), now);
    note(tx, workspace, id, Role::System, &format!("{by} gave the conversation back"), None, now);
    live::tell(tx, workspace, LiveKind::Returned, Some(id), id, json!({ "by": by }), now);
    let handoff = handoffs::resolve(tx, workspace, id, resolution, now).await?;
    audit(tx, workspace, by, "return", id, json!({ "handoff": handoff }), now);
    Ok(())
}
