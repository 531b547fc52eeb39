//! Conversations as lists show them: filtered, newest activity first, page by page.

use domain::{ConversationId, Owner, Role, SessionStatus, Timestamp, WorkspaceId};
use uuid::Uuid;

use super::{Row, Sql, Tx};
use crate::{
    ConversationFilter, LastLine, SessionSummary, StoreError, StoreResult, Summary, statement,
};

// The last line that somebody said: what is only noted, in brackets, changes nobody's turn to speak.
macro_rules! summaries {
    () => {
        "SELECT c.id, c.channel_id, c.contact_id, k.name, k.phone, c.owner, c.assignee, \
                c.last_customer_message_at, c.active_at, s.agent_id, s.current_mode, s.status, \
                t.role, t.content, t.created_at, h.id \
         FROM conversations c \
         JOIN contacts k ON k.workspace_id = c.workspace_id AND k.id = c.contact_id \
         LEFT JOIN agent_sessions s ON s.workspace_id = c.workspace_id AND s.id = \
              (SELECT n.id FROM agent_sessions n WHERE n.workspace_id = c.workspace_id \
                   AND n.conversation_id = c.id ORDER BY n.created_at DESC, n.id DESC LIMIT 1) \
         LEFT JOIN agent_turns t ON t.workspace_id = s.workspace_id AND t.session_id = s.id \
              AND t.turn_number = (SELECT x.turn_number FROM agent_turns x \
                   WHERE x.workspace_id = s.workspace_id AND x.session_id = s.id \
                   AND NOT (x.role = 'system' AND x.content LIKE '[%') \
                   ORDER BY x.turn_number DESC LIMIT 1) \
         LEFT JOIN handoffs h ON h.workspace_id = c.workspace_id AND h.conversation_id = c.id \
              AND h.status <> 'resolved' \
         WHERE c.workspace_id = ?1"
    };
}

const LIST: Sql = Sql::both(concat!(
    summaries!(),
    " AND c.active_at >= 0 AND (c.active_at, c.id) < (?2, ?3) \
      AND (CAST(?4 AS text) IS NULL OR c.owner = ?4) \
      AND (CAST(?5 AS text) IS NULL OR c.assignee = ?5) \
      AND (CAST(?6 AS text) IS NULL OR c.channel_id = ?6) \
      AND (CAST(?7 AS text) IS NULL OR s.current_mode = ?7) \
      AND (CAST(?8 AS text) IS NULL OR s.status = ?8) \
      AND (CAST(?9 AS text) IS NULL OR k.name LIKE ?9 ESCAPE '!' \
           OR lower(k.name) LIKE ?10 ESCAPE '!' OR k.phone LIKE ?9 ESCAPE '!' \
           OR c.address LIKE ?9 ESCAPE '!') \
      AND (CAST(?12 AS bigint) IS NULL OR (h.id IS NOT NULL) = (?12 = 1)) \
      ORDER BY c.active_at DESC, c.id DESC LIMIT ?11",
));

const ONE: Sql = Sql::both(concat!(summaries!(), " AND c.id = ?2"));

pub(super) async fn list<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    filter: &ConversationFilter,
) -> StoreResult<Vec<Summary>> {
    tx.scope(workspace);
    let end = (Timestamp::from_millis(i64::MAX), ConversationId(Uuid::max()));
    let (before, id) = filter.after.unwrap_or(end);
    let contact = filter.contact.as_deref();
    let rows = tx
        .query(statement!(
            LIST,
            workspace,
            before,
            id,
            filter.owner.map(Owner::as_str),
            filter.assignee.as_ref(),
            filter.channel.as_ref(),
            filter.mode.as_ref(),
            filter.status.map(SessionStatus::as_str),
            contact.map(part_of),
            contact.map(|text| part_of(&text.to_lowercase())),
            filter.limit,
            filter.has_handoff.map(i64::from)
        ))
        .await?;
    rows.iter().map(summary).collect()
}

pub(super) async fn one<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
) -> StoreResult<Summary> {
    tx.scope(workspace);
    let rows = tx.query(statement!(ONE, workspace, id)).await?;
    summary(rows.first().ok_or(StoreError::NotFound("conversation"))?)
}

/// A pattern for what holds this text, letter by letter.
fn part_of(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern + "%"
}

fn summary(row: &Row) -> StoreResult<Summary> {
    let last_line = match row.is_null(12) {
        true => None,
        false => Some(LastLine {
            role: row.word(12, Role::parse)?,
            text: row.pii(13)?,
            at: row.time(14)?,
        }),
    };
    let session = match row.is_null(9) {
        true => None,
        false => Some(SessionSummary {
            agent: row.text(9)?.to_owned(),
            mode: row.text(10)?.to_owned(),
            status: row.word(11, SessionStatus::parse)?,
            last_line,
        }),
    };
    Ok(Summary {
        id: row.uuid(0)?,
        channel: row.text(1)?.into(),
        contact_id: row.uuid(2)?,
        contact: row.opt_pii(3)?,
        phone: row.opt_pii(4)?,
        owner: row.word(5, Owner::parse)?,
        assignee: row.opt_text(6)?.map(str::to_owned),
        last_customer_message_at: row.opt_time(7)?,
        active_at: row.time(8)?,
        handoff: if row.is_null(15) { None } else { Some(row.uuid(15)?) },
        session,
    })
}
