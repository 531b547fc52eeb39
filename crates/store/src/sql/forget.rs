//! Deleted messages: the words go from every place that holds them.

use domain::{Channel, Content, ConversationId, EventId, OutboundId, Role, Timestamp, WorkspaceId};
use serde_json::json;

use super::setup::audit;
use super::{Param, Sql, Tx, media};
use crate::{Deleted, StoreResult, statement};

const GONE: &str = "[deleted]";

const FIND_ARRIVAL: Sql = Sql {
    sqlite: "SELECT id, conversation_id, payload, received_at FROM webhook_inbox \
             WHERE workspace_id = ?1 AND channel_id = ?2 AND external_id = ?3 AND kind = 'message'",
    postgres: "SELECT id, conversation_id, payload, received_at FROM webhook_inbox \
               WHERE workspace_id = ?1 AND channel_id = ?2 AND external_id = ?3 \
               AND kind = 'message' FOR UPDATE",
    each: false,
};

// Marks a deleted arrival as done, so that a message taken back before its turn is not answered.
const FORGET_ARRIVAL: Sql = Sql::both(
    "UPDATE webhook_inbox SET payload = ?3, status = 'done', reason = NULL \
     WHERE workspace_id = ?1 AND id = ?2",
);

// Records the deletion of a message that has not come yet, so that the message is a known copy when
// it comes.
const ADD_GONE: Sql = Sql::both(
    "INSERT INTO webhook_inbox (workspace_id, id, channel_id, external_id, kind, status, payload, \
            sent_at, received_at) \
     VALUES (?1, ?2, ?3, ?4, 'message', 'done', ?5, ?6, ?6) \
     ON CONFLICT (workspace_id, channel_id, external_id) DO NOTHING",
);

const FIND_SENT: Sql = Sql::both(
    "SELECT id, conversation_id, content, created_at FROM outbox \
     WHERE workspace_id = ?1 AND provider_ref = ?2",
);

const FORGET_SENT: Sql = Sql::both(
    "UPDATE outbox SET content = ?3, approved = NULL, options = NULL \
     WHERE workspace_id = ?1 AND id = ?2",
);

// A transcript line has no message id: the line is the first with the same words since the message
// came. `CROSS JOIN` has SQLite begin with the conversation's sessions, because it would otherwise
// read all lines of the workspace.
const FORGET_LINE: Sql = Sql::both(
    "UPDATE agent_turns SET content = ?6 \
     WHERE workspace_id = ?1 AND (session_id, turn_number) IN \
            (SELECT t.session_id, t.turn_number FROM agent_sessions s CROSS JOIN agent_turns t \
             WHERE t.workspace_id = s.workspace_id AND t.session_id = s.id \
                 AND s.workspace_id = ?1 AND s.conversation_id = ?2 AND t.role = ?3 \
                 AND t.content = ?4 AND t.created_at >= ?5 \
             ORDER BY t.created_at, t.turn_number LIMIT 1)",
);

// The words from before an edit stand in a line that is older than the edit: the last line with
// them goes.
const FORGET_EARLIER_LINE: Sql = Sql::both(
    "UPDATE agent_turns SET content = ?6 \
     WHERE workspace_id = ?1 AND (session_id, turn_number) IN \
            (SELECT t.session_id, t.turn_number FROM agent_sessions s CROSS JOIN agent_turns t \
             WHERE t.workspace_id = s.workspace_id AND t.session_id = s.id \
                 AND s.workspace_id = ?1 AND s.conversation_id = ?2 AND t.role = ?3 \
                 AND t.content = ?4 AND t.created_at < ?5 \
             ORDER BY t.created_at DESC, t.turn_number DESC LIMIT 1)",
);

pub(super) const STATEMENTS: &[Sql] = &[
    FIND_ARRIVAL,
    FORGET_ARRIVAL,
    ADD_GONE,
    FIND_SENT,
    FORGET_SENT,
    FORGET_LINE,
    FORGET_EARLIER_LINE,
];

const DELETED: &str = "deleted";

/// Whether a message was taken back.
pub(super) fn is_gone(content: &Content) -> bool {
    matches!(content, Content::Other { kind } if kind == DELETED)
}

pub(super) async fn forget<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    messages: &[Deleted],
    now: Timestamp,
) -> StoreResult<()> {
    tx.scope(channel.workspace);
    for message in messages {
        if !forget_sent(tx, channel.workspace, &message.external_id, now).await? {
            forget_arrival(tx, channel, message, now).await?;
        }
    }
    Ok(())
}

async fn forget_sent<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    provider_ref: &str,
    now: Timestamp,
) -> StoreResult<bool> {
    let found = tx.query(statement!(FIND_SENT, workspace, provider_ref)).await?;
    let Some(row) = found.first() else { return Ok(false) };
    let (id, conversation): (OutboundId, ConversationId) = (row.uuid(0)?, row.uuid(1)?);
    tx.write(statement!(FORGET_SENT, workspace, id, GONE));
    forget_line(tx, workspace, conversation, Role::Assistant, row.text(2)?, row.time(3)?);
    audit(tx, workspace, "provider", "message.deleted", id, json!({}), now);
    Ok(true)
}

async fn forget_arrival<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    message: &Deleted,
    now: Timestamp,
) -> StoreResult<()> {
    let workspace = channel.workspace;
    let gone = Param::json(&Content::Other { kind: DELETED.to_owned() });
    let find = statement!(FIND_ARRIVAL, workspace, &channel.id, &message.external_id);
    let found = tx.query(find).await?;
    let Some(row) = found.first() else {
        let (event, id) = (message.event, &message.external_id);
        tx.write(statement!(ADD_GONE, workspace, event, &channel.id, id, gone, now));
        return Ok(());
    };
    let event: EventId = row.uuid(0)?;
    let content: Option<Content> = row.json(2).ok();
    if let (Some(content), false) = (&content, row.is_null(1)) {
        let (conversation, since) = (row.uuid(1)?, row.time(3)?);
        let role = if content.is_said() { Role::User } else { Role::System };
        forget_line(tx, workspace, conversation, role, &content.in_words(), since);
        for before in content.before_edits() {
            let (role, earlier) = (role.as_str(), FORGET_EARLIER_LINE);
            tx.write(statement!(earlier, workspace, conversation, role, before, since, GONE));
        }
    }
    tx.write(statement!(FORGET_ARRIVAL, workspace, event, gone));
    media::forget(tx, workspace, event, now);
    audit(tx, workspace, "customer", "message.deleted", event, json!({}), now);
    Ok(())
}

fn forget_line<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    conversation: ConversationId,
    role: Role,
    words: &str,
    since: Timestamp,
) {
    let role = role.as_str();
    tx.write(statement!(FORGET_LINE, workspace, conversation, role, words, since, GONE));
}
