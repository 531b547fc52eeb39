//! Conversations for operators: lists, transcripts, an operator's own message.

use async_trait::async_trait;
use domain::{
    Channel, ChannelId, Conversation, ConversationId, EventId, NewOutbound, OutboundId, Owner,
    Role, Session, SessionId, Timer, Timestamp, TurnId, WorkspaceId,
};
use serde_json::json;

use super::load::{read_conversation, timer};
use super::ownership::locked;
use super::setup::audit;
use super::turns::add_outbound;
use super::{
    Driver, Look, Param, Sql, SqlStore, Tx, handoffs, listing, live, ownership, phone, sessions,
    terms, transcript, work,
};
use crate::{
    ConversationFilter, Conversations, Echoed, FEW_LINES, GiveBack, Lease, Line, LinePlace,
    Listing, LiveKind, PhoneEcho, Point, Said, SentLine, StoreError, StoreResult, Summary,
    Transcript, TurnDetail, statement,
};

const FIND: Sql = Sql::both(
    "SELECT conversation_id FROM contact_identities \
     WHERE workspace_id = ?1 AND channel_id = ?2 AND external_id = ?3",
);

const ARMED: Sql = Sql::both(
    "SELECT id, key, armed_at, due_at, condition, payload FROM timers \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND status = 'armed' ORDER BY due_at",
);

// Sorted as the index is, because SQLite would otherwise read all sessions of the workspace.
const NOTE_LINE: Sql = Sql::both(
    "INSERT INTO agent_turns (workspace_id, session_id, turn_number, id, role, content, \
            tools_called, created_at, outbound_id) \
     SELECT s.workspace_id, s.id, s.turn_count, ?3, ?4, ?5, ?6, ?7, ?8 FROM agent_sessions s \
     WHERE s.workspace_id = ?1 AND s.conversation_id = ?2 AND s.status <> 'closed' \
     ORDER BY s.created_at",
);

const FIND_MESSAGE: Sql =
    Sql::both("SELECT conversation_id, content FROM outbox WHERE workspace_id = ?1 AND id = ?2");

// A held lane is written too, unchanged: its holder, if it is giving the lane up, then waits for
// this row and sees the message. A lane in its workspace's queue leaves it, because the next claim
// takes that lane or puts it back in the place that the message deserves.
pub(super) const WAKE_FOR_SEND: Sql = Sql::both(
    "UPDATE lanes SET queued = CASE WHEN holder IS NOT NULL THEN queued ELSE 0 END, \
            wake_at = CASE WHEN holder IS NOT NULL THEN wake_at \
                 WHEN wake_at IS NULL OR wake_at > ?3 THEN ?3 ELSE wake_at END \
     WHERE workspace_id = ?1 AND conversation_id = ?2",
);

pub(super) const STATEMENTS: &[Sql] = &[FIND, ARMED, NOTE_LINE, FIND_MESSAGE, WAKE_FOR_SEND];

#[async_trait]
impl<D: Driver> Conversations for SqlStore<D> {
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: &ConversationFilter,
    ) -> StoreResult<Listing> {
        let filter = filter.clone();
        self.driver
            .read(
                Look::long(workspace),
                work!(|tx, filter| listing::list(tx, workspace, &filter).await),
            )
            .await
    }

    async fn index_contacts(&self, workspace: WorkspaceId) -> StoreResult<u64> {
        let _turn = self.turn_to_write(workspace).await;
        self.driver.write(Point::ContactIndex, work!(|tx| terms::fill(tx, workspace).await)).await
    }

    async fn summary(&self, workspace: WorkspaceId, id: ConversationId) -> StoreResult<Summary> {
        self.driver
            .read(Look::short(workspace), work!(|tx| listing::one(tx, workspace, id).await))
            .await
    }

    async fn get(&self, workspace: WorkspaceId, id: ConversationId) -> StoreResult<Conversation> {
        self.driver.read(Look::short(workspace), work!(|tx| get(tx, workspace, id).await)).await
    }

    async fn session(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
    ) -> StoreResult<Option<Session>> {
        self.driver.read(Look::short(workspace), work!(|tx| session(tx, workspace, id).await)).await
    }

    async fn find(
        &self,
        workspace: WorkspaceId,
        channel: &ChannelId,
        external_id: &str,
    ) -> StoreResult<Option<ConversationId>> {
        let (channel, external_id) = (channel.clone(), external_id.to_owned());
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx, channel, external_id| {
                    tx.scope(workspace);
                    let find = statement!(FIND, workspace, &*channel, &*external_id);
                    tx.query(find).await?.first().map(|row| row.uuid(0)).transpose()
                }),
            )
            .await
    }

    async fn transcript(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        limit: u32,
    ) -> StoreResult<Transcript> {
        self.driver
            .read(
                Look::long(workspace),
                work!(|tx| transcript::transcript(tx, workspace, id, limit).await),
            )
            .await
    }

    async fn lines_before(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        before: Option<LinePlace>,
        limit: u32,
    ) -> StoreResult<Vec<(LinePlace, Line)>> {
        self.driver
            .read(
                Look::long(workspace),
                work!(|tx| transcript::before(tx, workspace, id, before, limit).await),
            )
            .await
    }

    async fn turn_details(
        &self,
        workspace: WorkspaceId,
        turns: &[TurnId],
    ) -> StoreResult<Vec<TurnDetail>> {
        let turns = turns.to_vec();
        self.driver
            .read(
                Look::long(workspace),
                work!(|tx, turns| transcript::details(tx, workspace, &turns).await),
            )
            .await
    }

    async fn said(
        &self,
        workspace: WorkspaceId,
        session: SessionId,
        last: u32,
    ) -> StoreResult<Said> {
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx| transcript::said(tx, workspace, session, last).await),
            )
            .await
    }

    async fn sent_after(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        cursor: i64,
        limit: u32,
    ) -> StoreResult<Vec<SentLine>> {
        let look = if limit > FEW_LINES { Look::long } else { Look::short };
        self.driver
            .read(
                look(workspace),
                work!(|tx| transcript::sent_after(tx, workspace, id, cursor, limit).await),
            )
            .await
    }

    async fn timers(&self, workspace: WorkspaceId, id: ConversationId) -> StoreResult<Vec<Timer>> {
        self.driver
            .read(
                Look::short(workspace),
                work!(|tx| {
                    tx.scope(workspace);
                    tx.query(statement!(ARMED, workspace, id)).await?.iter().map(timer).collect()
                }),
            )
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
        let _turn = self.turn_to_write(workspace).await;
        let taken = self
            .driver
            .write(
                Point::ConversationTake,
                work!(|tx, by| ownership::take_over(tx, workspace, id, &by, now).await),
            )
            .await?;
        self.driver.wake_lanes();
        // Readers that show a draft are told, because the takeover has cleared it.
        self.driver.announce_lines(id);
        self.driver.announce_live(workspace);
        taken.ok_or(StoreError::OnItsWay)
    }

    async fn give_back(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        by: &str,
        back: GiveBack,
        event: EventId,
        now: Timestamp,
    ) -> StoreResult<()> {
        let by = by.to_owned();
        let _turn = self.turn_to_write(workspace).await;
        self.driver
            .write(
                Point::ConversationReturn,
                work!(|tx, by, back| {
                    ownership::give_back(tx, workspace, id, &by, &back, event, now).await
                }),
            )
            .await?;
        self.driver.wake_lanes();
        self.driver.announce_live(workspace);
        Ok(())
    }

    async fn echo(
        &self,
        channel: &Channel,
        echo: PhoneEcho,
        now: Timestamp,
    ) -> StoreResult<Echoed> {
        let (channel, workspace) = (channel.clone(), channel.workspace);
        let _turn = self.turn_to_arrive(workspace).await;
        let echoed = self
            .driver
            .write(
                Point::ConversationTake,
                work!(|tx, channel, echo| phone::echo(tx, &channel, &echo, now).await),
            )
            .await?;
        self.driver.wake_lanes();
        self.driver.announce_live(workspace);
        echoed.ok_or(StoreError::OnItsWay)
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
        let _turn = self.turn_to_write(workspace).await;
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

/// A `Lease` in name only: the key of a conversation for readers, who hold no lane.
pub(super) fn key(workspace: WorkspaceId, conversation: ConversationId) -> Lease {
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
    // A second copy of the operator's click changes nothing; an id may not be used for a second
    // message.
    if let Some(known) = tx.query(statement!(FIND_MESSAGE, workspace, message.id)).await?.first() {
        let same = known.uuid::<ConversationId>(0)? == id
            && known.text(1)? == message.text.reveal().as_str();
        let other = "this id belongs to another message: nothing was sent, use a new id".to_owned();
        return if same { Ok(()) } else { Err(StoreError::Refused(other)) };
    }
    add_outbound(tx, key(workspace, id), message, conversation.epoch, delivers_by_commit, now);
    handoffs::mark_announced(tx, workspace, id, now);
    ownership::touch_session(tx, workspace, id, None, now);
    note(tx, workspace, id, Role::Assistant, message.text.reveal(), Some(message.id), now);
    ownership::raise_active_at(tx, workspace, id, now);
    tx.write(statement!(WAKE_FOR_SEND, workspace, id, now));
    audit(tx, workspace, by, "say", id, json!({ "message": message.id }), now);
    live::tell(tx, workspace, LiveKind::Said, Some(id), message.id, json!({ "by": by }), now);
    Ok(())
}

/// Adds a line outside any turn; `touch_session` has made room for it.
pub(super) fn note<T: Tx>(
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
