//! Edited messages: the new words take the place of the old ones if nobody has answered yet, or
//! else are a message of their own.

use domain::{Channel, Content, ConversationId, EventId, Pii, Timestamp, WorkspaceId};
use uuid::Uuid;

use super::inbox::{ADD_ARRIVAL, PENDING};
use super::{Param, Row, Sql, Tx, forget, media};
use crate::{Accepted, Arrival, StoreResult, statement};

// The mark that an edit was stored, under the edit's own external id, so that a second copy of the
// edit is known.
const KEEP_EDIT: Sql = Sql::both(
    "INSERT INTO webhook_inbox (workspace_id, id, channel_id, external_id, conversation_id, kind, \
            status, payload, sent_at, received_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, 'message', 'done', ?6, ?7, ?7) \
     ON CONFLICT (workspace_id, channel_id, external_id) DO NOTHING RETURNING 1",
);

const FIND_ORIGINAL: Sql = Sql {
    sqlite: "SELECT id, conversation_id, payload, status, sent_at, received_at \
             FROM webhook_inbox WHERE workspace_id = ?1 AND channel_id = ?2 AND external_id = ?3 \
             AND kind = 'message'",
    postgres: "SELECT id, conversation_id, payload, status, sent_at, received_at \
               FROM webhook_inbox WHERE workspace_id = ?1 AND channel_id = ?2 \
               AND external_id = ?3 AND kind = 'message' FOR UPDATE",
    each: false,
};

// The row gets a new id, so that a turn that is answering the old words conflicts and runs again.
const APPLY_EDIT: Sql = Sql::both(
    "UPDATE webhook_inbox SET id = ?3, payload = ?4, status = 'pending', reason = NULL, \
            quarantines = 0, open_turn = NULL, sent_at = ?5, received_at = ?6 \
     WHERE workspace_id = ?1 AND id = ?2",
);

pub(super) const STATEMENTS: &[Sql] = &[KEEP_EDIT, FIND_ORIGINAL, APPLY_EDIT];

/// Stores an edit. The message keeps its first external id, under which later edits and a deletion
/// find it.
pub(super) async fn accept<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    arrival: &Arrival,
    original: &str,
    conversation: ConversationId,
    now: Timestamp,
) -> StoreResult<Accepted> {
    let workspace = channel.workspace;
    let mut accepted =
        Accepted { conversation, duplicate: true, set_aside: false, brought_file: false };
    let mark = Param::json(&Content::Other { kind: "edit".to_owned() });
    let id = Uuid::new_v5(&arrival.event.0, b"edit");
    let own = &arrival.item.external_id;
    let keep = statement!(KEEP_EDIT, workspace, id, &channel.id, own, conversation, mark, now);
    if tx.query(keep).await?.is_empty() {
        return Ok(accepted);
    }
    let find = statement!(FIND_ORIGINAL, workspace, &channel.id, original);
    let found = tx.query(find).await?;
    let Some(row) = found.first() else {
        accepted.duplicate = false;
        accepted.brought_file = arrival.item.content.file().is_some();
        add(tx, channel, arrival, original, conversation, now);
        return Ok(accepted);
    };
    // A deleted message stays deleted even if its edit arrives later, and only the message's own
    // sender may edit it.
    let stored: Option<Content> = row.json(2).ok();
    let is_own = !row.is_null(1) && row.uuid::<ConversationId>(1)? == conversation;
    if !is_own || stored.as_ref().is_some_and(forget::is_gone) {
        return Ok(accepted);
    }
    accepted.duplicate = false;
    apply_edit(tx, workspace, arrival, row, stored, now)?;
    Ok(accepted)
}

/// Adds the edited text as a new message, because the original never came or is forgotten. The row
/// gets the original's external id, so that the original is a known copy should it still come.
fn add<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    arrival: &Arrival,
    original: &str,
    conversation: ConversationId,
    now: Timestamp,
) {
    let now_says = Box::new(arrival.item.content.clone());
    let payload = Param::json(&Content::Edited { before: None, now: now_says });
    tx.write(statement!(
        ADD_ARRIVAL,
        channel.workspace,
        arrival.event,
        &channel.id,
        original,
        conversation,
        payload,
        arrival.item.sent_at.unwrap_or(now),
        now,
        PENDING,
        Param::Null
    ));
}

fn apply_edit<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    arrival: &Arrival,
    row: &Row,
    stored: Option<Content>,
    now: Timestamp,
) -> StoreResult<()> {
    let id: EventId = row.uuid(0)?;
    let before = stored.map(|stored| Pii::new(stored.in_words()));
    let now_says = Box::new(arrival.item.content.clone());
    let payload = Param::json(&Content::Edited { before, now: now_says });
    // A message that still waits keeps its place among those of the customer.
    let (sent_at, received_at) = if row.text(3)? == PENDING {
        (row.time(4)?, row.time(5)?)
    } else {
        (arrival.item.sent_at.unwrap_or(now), now)
    };
    tx.write(statement!(APPLY_EDIT, workspace, id, arrival.event, payload, sent_at, received_at));
    media::follow(tx, workspace, id, arrival.event);
    Ok(())
}
