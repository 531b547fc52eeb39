//! Messages that the business wrote from its own phone: noted once, after which a person owns the
//! conversation. An old one is only noted.

use domain::{Channel, Owner, Role, SESSION_WINDOW_MS, Timestamp};
use serde_json::json;

use super::conversations::{key, note};
use super::senders::{Meeting, conversation_with};
use super::setup::audit;
use super::{Sql, Tx, handoffs, live, notes, ownership, sessions};
use crate::{Echoed, LiveKind, PhoneEcho, StoreResult, statement};

/// The assignee of a conversation that was answered from the phone.
const PHONE: &str = "phone";

const KNOWN_ARRIVAL: Sql = Sql::both(
    "SELECT 1 FROM webhook_inbox WHERE workspace_id = ?1 AND channel_id = ?2 AND external_id = ?3",
);

const SENT_BY_US: Sql = Sql::both(
    "SELECT 1 FROM outbox WHERE workspace_id = ?1 AND conversation_id = ?2 AND provider_ref = ?3",
);

const KEEP_ECHO: Sql = Sql::both(
    "INSERT INTO webhook_inbox (workspace_id, id, channel_id, external_id, conversation_id, kind, \
            status, payload, sent_at, received_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, 'operator', 'done', ?6, ?7, ?8)",
);

pub(super) const STATEMENTS: &[Sql] = &[KNOWN_ARRIVAL, SENT_BY_US, KEEP_ECHO];

/// Notes an echo. `None` while a message of the bot is on its way, because that message's
/// reference, known only afterwards, may be this echo's.
pub(super) async fn echo<T: Tx>(
    tx: &mut T,
    channel: &Channel,
    echo: &PhoneEcho,
    now: Timestamp,
) -> StoreResult<Option<Echoed>> {
    let (workspace, external_id) = (channel.workspace, &echo.external_id);
    tx.scope(workspace);
    let PhoneEcho { to: who, contact, conversation, .. } = echo;
    let (contact, conversation, at) = (*contact, *conversation, echo.sent_at.min(now));
    let id =
        conversation_with(tx, &Meeting { channel, who, contact, conversation, at, now }).await?;
    let conversation = ownership::locked(tx, workspace, id).await?;
    let known = statement!(KNOWN_ARRIVAL, workspace, &channel.id, external_id);
    if !tx.query(known).await?.is_empty() {
        return Ok(Some(Echoed::Duplicate));
    }
    if !tx.query(statement!(SENT_BY_US, workspace, id, external_id)).await?.is_empty() {
        ownership::drop_wish(tx, workspace, id, PHONE, now).await?;
        return Ok(Some(Echoed::Ours));
    }
    // An old echo says nothing of the present owner, because it has long been answered or given up;
    // nor can it be the message on its way.
    let is_old = now.since_ms(echo.sent_at) > SESSION_WINDOW_MS;
    if !is_old && ownership::waits(tx, workspace, id, PHONE, now).await? {
        return Ok(None);
    }
    let payload = json!({ "act": "wrote", "by": PHONE, "text": echo.text });
    let (event, sent_at) = (echo.event, echo.sent_at);
    tx.write(statement!(
        KEEP_ECHO,
        workspace,
        event,
        &channel.id,
        external_id,
        id,
        payload,
        sent_at,
        now
    ));
    if is_old {
        let line = format!("{} [sent {sent_at}]", echo.text.reveal());
        let said = (Role::Assistant, line.as_str());
        notes::add_line(tx, workspace, id, &echo.session, said, now).await?;
        audit(tx, workspace, PHONE, "echo.old", id, json!({ "event": event }), now);
        live::tell(tx, workspace, LiveKind::Said, Some(id), event, json!({ "by": PHONE }), now);
        return Ok(Some(Echoed::Old));
    }
    if sessions::read(tx, key(workspace, id)).await?.is_none() {
        sessions::open(tx, workspace, id, &echo.session, 0, now);
    }
    // An operator who has taken the conversation keeps it, because the phone is only another way to
    // write.
    if conversation.owner == Owner::Human && conversation.assignee.is_some() {
        ownership::touch_session(tx, workspace, id, None, now);
    } else {
        ownership::make_owner(tx, workspace, id, PHONE, now).await?;
    }
    handoffs::mark_announced(tx, workspace, id, now);
    note(tx, workspace, id, Role::Assistant, echo.text.reveal(), None, now);
    ownership::raise_active_at(tx, workspace, id, now);
    let detail = json!({ "event": event, "from": conversation.owner.as_str() });
    audit(tx, workspace, PHONE, "echo", id, detail, now);
    live::tell(tx, workspace, LiveKind::Said, Some(id), event, json!({ "by": PHONE }), now);
    Ok(Some(Echoed::Noted))
}
