//! Conversations as operators see them: lists, transcripts, takeover and return.

use async_trait::async_trait;
use domain::{
    Author, Channel, ChannelId, ContactId, Conversation, ConversationId, DeliveryStatus, EventId,
    HandoffId, Identity, NewOutbound, OutboundId, Owner, Pii, ReplyOption, Role, Session,
    SessionId, SessionStatus, Step, StepKind, Timer, Timestamp, ToolUse, TurnId, TurnTrace,
    WorkspaceId,
};
use serde::Serialize;
use serde_json::Value;

use crate::{LedgerLine, SessionWrite, StoreResult};

/// A conversation as lists show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    pub id: ConversationId,
    pub channel: ChannelId,
    pub contact_id: ContactId,
    /// The contact's name.
    pub contact: Option<Pii>,
    pub phone: Option<Pii>,
    pub owner: Owner,
    pub assignee: Option<String>,
    pub last_customer_message_at: Option<Timestamp>,
    /// When something last happened in the conversation.
    pub active_at: Timestamp,
    /// The open handoff of the conversation.
    pub handoff: Option<HandoffId>,
    /// The newest session of the conversation, if there has been one.
    pub session: Option<SessionSummary>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionSummary {
    pub agent: String,
    pub mode: String,
    pub status: SessionStatus,
    pub last_line: Option<LastLine>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LastLine {
    pub role: Role,
    pub text: Pii,
    pub at: Timestamp,
}

/// The conversations to list; a field that is `None` does not matter.
#[derive(Clone, Debug, Default)]
pub struct ConversationFilter {
    pub owner: Option<Owner>,
    pub assignee: Option<String>,
    pub channel: Option<ChannelId>,
    /// The mode of the newest session.
    pub mode: Option<String>,
    /// The status of the newest session.
    pub status: Option<SessionStatus>,
    /// Words that those of the contact's name begin with, or how their phone or address begins or
    /// ends.
    pub contact: Option<String>,
    /// Whether a handoff is open in the conversation.
    pub has_handoff: Option<bool>,
    /// Conversations after this place.
    pub after: Option<(Timestamp, ConversationId)>,
    pub limit: u32,
}

impl ConversationFilter {
    /// The newest of all conversations.
    pub fn newest(limit: u32) -> Self {
        Self { limit, ..Self::default() }
    }
}

/// A page of conversations.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Listing {
    pub conversations: Vec<Summary>,
    /// Where the search ended, if more matches may follow: among very many conversations that do
    /// not match, only a bounded number is searched at once.
    pub looked_to: Option<(Timestamp, ConversationId)>,
}

/// A line of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    pub session: SessionId,
    pub number: i64,
    pub at: Timestamp,
    pub role: Role,
    pub content: Pii,
    pub turn: TurnId,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolUse>,
    /// The turn's explanation, on the turn's first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<TurnTrace>,
    /// The delivery of the line's message, if a message says the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
}

/// A line's message, on its way to the customer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Delivery {
    pub message: OutboundId,
    pub author: Author,
    pub status: DeliveryStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A line's place in its conversation: the session's beginning, the session, the line's number.
pub type LinePlace = (Timestamp, SessionId, i64);

/// The steps of a turn, and the calls to models it paid for.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TurnDetail {
    pub steps: Vec<TurnStep>,
    pub calls: Vec<LedgerLine>,
}

/// A recorded step, with its input.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnStep {
    #[serde(flatten)]
    pub step: Step,
    pub kind: StepKind,
    pub input: Value,
}

/// The last lines of a session, and the number of its lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Said {
    /// Oldest first.
    pub lines: Vec<Line>,
    pub total: u32,
}

/// The lines so far, and the cursor from which [`Conversations::sent_after`] goes on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Transcript {
    pub lines: Vec<Line>,
    pub cursor: i64,
}

/// As many messages as a reader who kept up has missed: looking for no more is a short read, and a reader who
/// gets so many may have more to catch up with.
pub const FEW_LINES: u32 = 8;

/// A message that was sent, under its place in the outbox.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SentLine {
    pub cursor: i64,
    pub at: Timestamp,
    pub author: Author,
    pub text: Pii,
    /// The options from which the customer may pick an answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<ReplyOption>,
}

/// An operator's words on giving a conversation back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GiveBack {
    /// An account of the time in between, for the agent.
    pub note: Option<String>,
    /// The mode the agent should go on in.
    pub mode: Option<String>,
    /// A message for the customer.
    pub message: Option<String>,
}

/// A message that the business sent to a customer from its own phone.
#[derive(Clone, Debug)]
pub struct PhoneEcho {
    /// Unique on its channel for ever: a second copy changes nothing.
    pub external_id: String,
    /// The customer it went to.
    pub to: Identity,
    pub text: Pii,
    pub sent_at: Timestamp,
    pub event: EventId,
    /// Used when the customer is not known yet.
    pub contact: ContactId,
    pub conversation: ConversationId,
    /// Opened if there is no session to hold the line.
    pub session: SessionWrite,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echoed {
    /// Written down; the conversation is a person's.
    Noted,
    /// Noted only, because the message is too old to say who owns the conversation.
    Old,
    /// A second copy, which changed nothing.
    Duplicate,
    /// We sent it ourselves: nothing was changed.
    Ours,
}

impl Echoed {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Noted => "noted",
            Self::Old => "old",
            Self::Duplicate => "duplicate",
            Self::Ours => "ours",
        }
    }
}

#[async_trait]
pub trait Conversations {
    /// Newest activity first.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: &ConversationFilter,
    ) -> StoreResult<Listing>;

    /// Writes down the search terms of contacts without any, a bounded number at once; returns how
    /// many contacts got theirs.
    async fn index_contacts(&self, workspace: WorkspaceId) -> StoreResult<u64>;

    /// A conversation as the list shows it.
    async fn summary(&self, workspace: WorkspaceId, id: ConversationId) -> StoreResult<Summary>;

    async fn get(&self, workspace: WorkspaceId, id: ConversationId) -> StoreResult<Conversation>;

    /// The conversation's open session, if it has one.
    async fn session(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
    ) -> StoreResult<Option<Session>>;

    /// The conversation of an identity on a channel, if it has ever written.
    async fn find(
        &self,
        workspace: WorkspaceId,
        channel: &ChannelId,
        external_id: &str,
    ) -> StoreResult<Option<ConversationId>>;

    /// The last `limit` lines, oldest first.
    async fn transcript(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        limit: u32,
    ) -> StoreResult<Transcript>;

    /// The lines before a place, newest first, each with its place.
    async fn lines_before(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        before: Option<LinePlace>,
        limit: u32,
    ) -> StoreResult<Vec<(LinePlace, Line)>>;

    /// The steps and costs of each of these turns, in their order.
    async fn turn_details(
        &self,
        workspace: WorkspaceId,
        turns: &[TurnId],
    ) -> StoreResult<Vec<TurnDetail>>;

    /// The last lines of one session.
    async fn said(
        &self,
        workspace: WorkspaceId,
        session: SessionId,
        last: u32,
    ) -> StoreResult<Said>;

    /// The messages sent to the customer after `cursor`, oldest first, at most `limit`. Reading more than
    /// [`FEW_LINES`] waits for other long reads.
    async fn sent_after(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        cursor: i64,
        limit: u32,
    ) -> StoreResult<Vec<SentLine>>;

    /// Armed timers, soonest first.
    async fn timers(&self, workspace: WorkspaceId, id: ConversationId) -> StoreResult<Vec<Timer>>;

    /// Makes a human the owner: from this commit on no message of the bot leaves. While a message
    /// is on its way this is `OnItsWay`, and no other begins to leave for a while: [`take_over`]
    /// repeats the call until it succeeds.
    ///
    /// [`take_over`]: crate::take_over
    async fn take(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        by: &str,
        now: Timestamp,
    ) -> StoreResult<()>;

    /// Gives the conversation back to the bot and tells it so, as an event in the lane.
    async fn give_back(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        by: &str,
        back: GiveBack,
        event: EventId,
        now: Timestamp,
    ) -> StoreResult<()>;

    /// Notes a message that the business wrote from its own phone, and makes a human the owner,
    /// unless the message is older than a session's window. `OnItsWay` while a message of the bot
    /// is being sent, because this echo may be of that message.
    async fn echo(&self, channel: &Channel, echo: PhoneEcho, now: Timestamp)
    -> StoreResult<Echoed>;

    /// Queues an operator's message; refused while the bot owns the conversation.
    async fn say(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        by: &str,
        message: NewOutbound,
        delivers_by_commit: bool,
        now: Timestamp,
    ) -> StoreResult<()>;
}
