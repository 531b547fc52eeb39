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
    /// When something last happened in it.
    pub active_at: Timestamp,
    /// The handoff that is open in it.
    pub handoff: Option<HandoffId>,
    /// Of its newest session, if it has had one.
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

/// Which conversations to list; what is none does not matter.
#[derive(Clone, Debug, Default)]
pub struct ConversationFilter {
    pub owner: Option<Owner>,
    pub assignee: Option<String>,
    pub channel: Option<ChannelId>,
    /// The mode of the newest session.
    pub mode: Option<String>,
    /// The status of the newest session.
    pub status: Option<SessionStatus>,
    /// Words that those of the contact's name begin with, or how their phone or address begins or ends.
    pub contact: Option<String>,
    /// Whether a handoff is open in it.
    pub has_handoff: Option<bool>,
    /// Those after this one.
    pub after: Option<(Timestamp, ConversationId)>,
    pub limit: u32,
}

impl ConversationFilter {
    /// The newest of all.
    pub fn newest(limit: u32) -> Self {
        Self { limit, ..Self::default() }
    }
}

/// A page of conversations.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Listing {
    pub conversations: Vec<Summary>,
    /// Where looking ended, if there may be more of them behind it: of very many that do not match,
    /// only so many are looked through at once.
    pub looked_to: Option<(Timestamp, ConversationId)>,
}

/// One line of a transcript.
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
    /// Why the turn did what it did, on its first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<TurnTrace>,
    /// What became of the message that says it, where it is one.
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

/// What a turn did step by step, and what its models cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TurnDetail {
    pub steps: Vec<TurnStep>,
    pub calls: Vec<LedgerLine>,
}

/// A step as it is on record, with what it was asked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnStep {
    #[serde(flatten)]
    pub step: Step,
    pub kind: StepKind,
    pub input: Value,
}

/// The end of what was said in a session, and how many lines it has in all.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Said {
    /// Oldest first.
    pub lines: Vec<Line>,
    pub total: u32,
}

/// What was said so far, and where a reader of [`Conversations::sent_after`] goes on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Transcript {
    pub lines: Vec<Line>,
    pub cursor: i64,
}

/// A message that was sent, under its place in the outbox.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SentLine {
    pub cursor: i64,
    pub at: Timestamp,
    pub author: Author,
    pub text: Pii,
    /// What the customer may pick in answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<ReplyOption>,
}

/// What an operator says when giving a conversation back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GiveBack {
    /// What happened meanwhile.
    pub note: Option<String>,
    /// The mode the agent should go on in.
    pub mode: Option<String>,
    /// What the customer should be told.
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
    /// Opened if there is none to write it down in.
    pub session: SessionWrite,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echoed {
    /// Written down; the conversation is a person's.
    Noted,
    /// Written down; it is too long ago to say who has the conversation.
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

    /// Writes down what contacts are found by, where that is still to be done; how many it was done
    /// for, of a bounded number at once.
    async fn index_contacts(&self, workspace: WorkspaceId) -> StoreResult<u64>;

    /// One conversation as the list shows it.
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

    /// What each of these turns did, in their order.
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

    /// What was sent to the customer after `cursor`, oldest first.
    async fn sent_after(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        cursor: i64,
    ) -> StoreResult<Vec<SentLine>>;

    /// Armed timers, soonest first.
    async fn timers(&self, workspace: WorkspaceId, id: ConversationId) -> StoreResult<Vec<Timer>>;

    /// Makes a human the owner: from this commit on no message of the bot leaves. While one is on
    /// its way this is `OnItsWay`, and none begins to leave for a while: [`take_over`] asks again
    /// until it is done.
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

    /// Notes what the business wrote from its own phone, and makes a human the owner, unless it was
    /// written more than a session's window ago. `OnItsWay` while a message of the bot is: it may
    /// be the very one.
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
