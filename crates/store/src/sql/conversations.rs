//! What operators read and do: lists, transcripts, takeover, return, a message of their own.

use async_trait::async_trait;
use domain::{
    Burst, ChannelId, Conversation, ConversationId, EventId, NewOutbound, OutboundId, Owner, Role,
    Session, SessionId, Statement, Timer, Timestamp, TurnId, WorkspaceId,
};
use serde_json::json;

use super::inbox::make_due;
use super::load::{read_conversation, timer};
use super::setup::audit;
use super::turns::add_outbound;
use super::{Driver, Param, Sql, SqlStore, Tx, drafts, listing, live, sessions, transcript, work};
use crate::{
    ConversationFilter, Conversations, Lease, Line, LinePlace, LiveKind, Point, Said, SentLine,
    StoreError, StoreResult, Summary, Transcript, TurnDetail, statement,
};

const FIND: Sql = Sql::both(
    "SELECT conversation_id FROM contact_identities \
     WHERE workspace_id = ?1 AND channel_id = ?2 AND external_id = ?3",
);

const ARMED: Sql = Sql::both(
    "SELECT id, key, armed_at, due_at, condition, payload FROM timers \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND status = 'armed' ORDER BY due_at",
);

const LOCK_ANY: Sql = Sql {
    sqlite: "SELECT 1 FROM lanes WHERE workspace_id = ?1 AND conversation_id = ?2",
    postgres: "SELECT 1 FROM lanes WHERE workspace_id = ?1 AND conversation_id = ?2 FOR UPDATE",
};

const CHANGE_OWNER: Sql = Sql::both(
    "UPDATE conversations SET owner = ?3, assignee = ?4, epoch = epoch + 1 \
     WHERE workspace_id = ?1 AND id = ?2 AND (owner <> ?3 OR coalesce(assignee, '') <> coalesce(?4, ''))",
);

// Raising the version makes a turn that is under way run again on what is true now.
const TOUCH_SESSION: Sql = Sql::both(
    "UPDATE agent_sessions SET version = version + 1, turn_count = turn_count + 1, \
            status = coalesce(?3, status), updated_at = ?4 \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND status <> 'closed'",
);

const NOTE_LINE: Sql = Sql::both(
    "INSERT INTO agent_turns (workspace_id, session_id, turn_number, id, role, content, \
            tools_called, created_at, outbound_id) \
     SELECT s.workspace_id, s.id, s.turn_count, ?3, ?4, ?5, ?6, ?7, ?8 FROM agent_sessions s \
     WHERE s.workspace_id = ?1 AND s.conversation_id = ?2 AND s.status <> 'closed'",
);

const SAID: Sql =
    Sql::both("SELECT conversation_id, content FROM outbox WHERE workspace_id = ?1 AND id = ?2");

const STIR: Sql =
    Sql::both("UPDATE conversations SET active_at = ?3 WHERE workspace_id = ?1 AND id = ?2");

const ADD_ACT: Sql = Sql::both(
    "INSERT INTO webhook_inbox (workspace_id, id, channel_id, external_id, conversation_id, kind, \
            status, payload, sent_at, received_at) \
     SELECT c.workspace_id, ?3, c.channel_id, ?4, c.id, 'operator', 'pending', ?5, ?6, ?6 \
     FROM conversations c WHERE c.workspace_id = ?1 AND c.id = ?2",
);

// A held lane is written too, unchanged: its holder, about to give it up, must wait and then see
// the message.
pub(super) const WAKE_FOR_SEND: Sql = Sql::both(
    "UPDATE lanes SET wake_at = CASE WHEN holder IS NOT NULL THEN wake_at \
                 WHEN wake_at IS NULL OR wake_at > ?3 THEN ?3 ELSE wake_at END \
     WHERE workspace_id = ?1 AND conversation_id = ?2",
);

#[async_trait]
impl<D: Driver> Conversations for SqlStore<D> {
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: &ConversationFilter,
    ) -> StoreResult<Vec<Summary>> {
        let filter = filter.clone();
        self.driver.read(work!(|tx, filter| listing::list(tx, workspace, &filter).await)).await
    }

    async fn summary(&self, workspace: WorkspaceId, id: ConversationId) -> StoreResult<Summary> {
        self.driver.read(work!(|tx| listing::one(tx, workspace, id).await)).await
    }

    async fn get(&self, workspace: WorkspaceId, id: ConversationId) -> StoreResult<Conversation> {
        self.driver.read(work!(|tx| get(tx, workspace, id).await)).await
    }

    async fn session(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
    ) -> StoreResult<Option<Session>> {
        self.driver.read(work!(|tx| session(tx, workspace, id).await)).await
    }

    async fn find(
        &self,
        workspace: WorkspaceId,
        channel: &ChannelId,
        external_id: &str,
    ) -> StoreResult<Option<ConversationId>> {
        let (channel, external_id) = (channel.clone(), external_id.to_owned());
        self.driver
            .read(work!(|tx, channel, external_id| {
                tx.scope(workspace);
                let find = statement!(FIND, workspace, &*channel, &*external_id);
                tx.query(find).await?.first().map(|row| row.uuid(0)).transpose()
            }))
            .await
    }

    async fn transcript(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        limit: u32,
    ) -> StoreResult<Transcript> {
        self.driver.read(work!(|tx| transcript::transcript(tx, workspace, id, limit).await)).await
    }

    async fn lines_before(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        before: Option<LinePlace>,
        limit: u32,
    ) -> StoreResult<Vec<(LinePlace, Line)>> {
        self.driver
            .read(work!(|tx| transcript::before(tx, workspace, id, before, limit).await))
            .await
    }

    async fn turn_details(
        &self,
        workspace: WorkspaceId,
        turns: &[TurnId],
    ) -> StoreResult<Vec<TurnDetail>> {
        let turns = turns.to_vec();
        self.driver.read(work!(|tx, turns| transcript::details(tx, workspace, &turns).await)).await
    }

    async fn said(
        &self,
        workspace: WorkspaceId,
        session: SessionId,
        last: u32,
    ) -> StoreResult<Said> {
        self.driver.read(work!(|tx| transcript::said(tx, workspace, session, last).await)).await
    }

    async fn sent_after(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        cursor: i64,
    ) -> StoreResult<Vec<SentLine>> {
        self.driver.read(work!(|tx| transcript::sent_after(tx, workspace, id, cursor).await)).await
    }

    async fn timers(&self, workspace: WorkspaceId, id: ConversationId) -> StoreResult<Vec<Timer>> {
        self.driver
            .read(work!(|tx| {
                tx.scope(workspace);
                tx.query(statement!(ARMED, workspace, id)).await?.iter().map(timer).collect()
            }))
            .await
    }

    async fn take(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()> {
        let by = by.to_owned();
        self.driver
            .write(Point::ConversationTake, work!(|tx, by| take(tx, workspace, id, &by, now).await))
            .await?;
        // Whoever was shown a draft sees that it is gone.
        self.driver.announce_lines(id);
        self.driver.announce_live(workspace);
        Ok(())
    }

    async fn give_back(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        by: &str,
        note: Option<&str>,
        event: EventId,
        now: Timestamp,
    ) -> StoreResult<()> {
        let act = Statement::Returned { by: by.to_owned(), note: note.map(str::to_owned) };
        let by = by.to_owned();
        self.driver
            .write(
                Point::ConversationReturn,
                work!(|tx, by, act| give_back(tx, workspace, id, &by, &act, event, now).await),
            )
            .await?;
        self.driver.wake_lanes();
        self.driver.announce_live(workspace);
        Ok(())
    }

    async fn say(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        by: &str,
        message: NewOutbound,
        delivers_by_commit: bool,
        now: Timestamp,
    ) -> StoreResult<()> {
        let by = by.to_owned();
        self.driver
            .write(
                Point::ConversationSay,
                work!(|tx, by, message| {
                    say(tx, workspace, id, &by, &message, delivers_by_commit, now).await
                }),
            )
            .await?;
        self.driver.wake_lanes();
        self.driver.announce_live(workspace);
        if delivers_by_commit {
            self.driver.announce_lines(id);
        }
        Ok(())
    }
}

/// A lease only by name: the key of a conversation for readers, who hold no lane.
fn key(workspace: WorkspaceId, conversation: ConversationId) -> Lease {
    Lease { workspace, conversation, fence: 0, until: Timestamp::from_millis(0) }
}

async fn get<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
) -> StoreResult<Conversation> {
    tx.scope(workspace);
    read_conversation(tx, key(workspace, id)).await
}

async fn session<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
) -> StoreResult<Option<Session>> {
    tx.scope(workspace);
    sessions::read(tx, key(workspace, id)).await
}

/// Locks the lane first, as every commit of a turn does, so that neither waits for the other.
async fn locked<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
) -> StoreResult<Conversation> {
    tx.scope(workspace);
    tx.guard(statement!(LOCK_ANY, workspace, id), StoreError::NotFound("conversation"));
    read_conversation(tx, key(workspace, id)).await
}

async fn take<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    by: &str,
    now: Timestamp,
) -> StoreResult<()> {
    let conversation = locked(tx, workspace, id).await?;
    if conversation.owner == Owner::Human && conversation.assignee.as_deref() == Some(by) {
        return Ok(());
    }
    tx.write(statement!(CHANGE_OWNER, workspace, id, Owner::Human.as_str(), by));
    tx.write(statement!(TOUCH_SESSION, workspace, id, "handed_off", now));
    drafts::clear(tx, workspace, id);
    note(tx, workspace, id, Role::System, &format!("{by} took the conversation over"), None, now);
    audit(tx, workspace, by, "take", id, json!({ "from": conversation.owner.as_str() }), now);
    live::tell(tx, workspace, LiveKind::Taken, Some(id), id, json!({ "by": by }), now);
    Ok(())
}

pub(super) async fn give_back<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    by: &str,
    act: &Statement,
    event: EventId,
    now: Timestamp,
) -> StoreResult<()> {
    if locked(tx, workspace, id).await?.owner == Owner::Bot {
        return Err(StoreError::Refused("the bot already owns this conversation".into()));
    }
    return_to_bot(tx, workspace, id, by, now);
    let external_id = format!("return/{event}");
    tx.write(statement!(ADD_ACT, workspace, id, event, external_id, Param::json(act), now));
    make_due(tx, workspace, id, Burst::default(), now);
    Ok(())
}

/// Makes the bot the owner again; what it is to do next is the caller's.
pub(super) fn return_to_bot<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    by: &str,
    now: Timestamp,
) {
    tx.write(statement!(CHANGE_OWNER, workspace, id, Owner::Bot.as_str(), Param::Null));
    tx.write(statement!(TOUCH_SESSION, workspace, id, "active", now));
    note(tx, workspace, id, Role::System, &format!("{by} gave the conversation back"), None, now);
    audit(tx, workspace, by, "return", id, json!({}), now);
    live::tell(tx, workspace, LiveKind::Returned, Some(id), id, json!({ "by": by }), now);
}

async fn say<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    by: &str,
    message: &NewOutbound,
    delivers_by_commit: bool,
    now: Timestamp,
) -> StoreResult<()> {
    let conversation = locked(tx, workspace, id).await?;
    if conversation.owner == Owner::Bot {
        return Err(StoreError::Refused(
            "the bot owns this conversation: take it over before writing in it".into(),
        ));
    }
    // A second copy of the operator's click changes nothing; a new message under its id is none.
    if let Some(known) = tx.query(statement!(SAID, workspace, message.id)).await?.first() {
        let same = known.uuid::<ConversationId>(0)? == id
            && known.text(1)? == message.text.reveal().as_str();
        let other = "this message's id was used for another one".to_owned();
        return if same { Ok(()) } else { Err(StoreError::Refused(other)) };
    }
    add_outbound(tx, key(workspace, id), message, conversation.epoch, delivers_by_commit, now);
    tx.write(statement!(TOUCH_SESSION, workspace, id, Param::Null, now));
    note(tx, workspace, id, Role::Assistant, message.text.reveal(), Some(message.id), now);
    tx.write(statement!(STIR, workspace, id, now));
    tx.write(statement!(WAKE_FOR_SEND, workspace, id, now));
    audit(tx, workspace, by, "say", id, json!({ "message": message.id }), now);
    live::tell(tx, workspace, LiveKind::Said, Some(id), message.id, json!({ "by": by }), now);
    Ok(())
}

/// A line outside any turn; `TOUCH_SESSION` has made room for it.
fn note<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    role: Role,
    text: &str,
    message: Option<OutboundId>,
    now: Timestamp,
) {
    let tools = Param::json(&Vec::<()>::new());
    let turn = TurnId(uuid::Uuid::nil());
    let role = role.as_str();
    tx.write(statement!(NOTE_LINE, workspace, id, turn, role, text, tools, now, message));
}
