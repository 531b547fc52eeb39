//! A test's world: its own database, a clock that the test moves, and a few short words.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    ArmTimer, Author, Burst, Channel, ChannelKind, Clock, Content, ConversationId, EventId,
    EventKind, Identity, Inbound, NewOutbound, NodeId, OutboundId, Priority, Role, SeededIds,
    SessionState, SessionStatus, StepKey, TimerCondition, TimerId, Timestamp, TurnEntry, TurnId,
    VirtualClock, Workspace, WorkspaceId,
};
use serde_json::json;
use uuid::Uuid;

use crate::{
    Accepted, Arrival, Clearance, Intent, LaneWork, Lease, OpenTurn, PhoneEcho, Room, SendOutcome,
    SendRules, SessionWrite, Store, TurnCommit,
};

pub(super) const LEASE_MS: i64 = 10_000;
pub(super) const NODE: NodeId = NodeId(Uuid::from_u128(1));
pub(super) const OTHER_NODE: NodeId = NodeId(Uuid::from_u128(2));
/// The usual answer to a wish to send.
pub(super) const GO: Clearance = Clearance::Go { as_template: false };
/// The usual rules of a channel.
pub(super) const WINDOW: SendRules = SendRules { has_window: true, pair: None, not_before: None };
const START: Timestamp = Timestamp::from_millis(1_780_000_000_000);

/// An empty database that lives as long as the fixture, and can be opened more than once.
#[async_trait]
pub trait Fixture: Send + Sync {
    /// Opens the database as a further node.
    async fn open(&self) -> Arc<dyn Store>;
}

/// A workspace with a channel, on an empty database.
pub struct World {
    // The store stands before the fixture, so that the database is closed before it is removed.
    pub store: Arc<dyn Store>,
    fixture: Box<dyn Fixture>,
    pub(super) channel: Channel,
    clock: VirtualClock,
    ids: SeededIds<VirtualClock>,
}

impl World {
    pub async fn new(fixture: impl Fixture + 'static) -> Self {
        let store = fixture.open().await;
        let clock = VirtualClock::at(START);
        let mut world = Self {
            store,
            fixture: Box::new(fixture),
            channel: channel("tienda", "whatsapp"),
            ids: SeededIds::new(clock.clone(), 7),
            clock,
        };
        world.channel = world.add_channel("tienda", "whatsapp").await;
        world
    }

    pub fn workspace(&self) -> WorkspaceId {
        self.channel.workspace
    }

    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Another channel, in this workspace or in another one.
    pub(super) async fn add_channel(&self, workspace: &str, id: &str) -> Channel {
        let channel = channel(workspace, id);
        self.save_channel(workspace, &channel).await;
        channel
    }

    async fn save_channel(&self, workspace: &str, channel: &Channel) {
        let workspace = Workspace::named(workspace);
        let channels = std::slice::from_ref(channel);
        let ensured = self.store.ensure(&workspace, channels, self.now()).await;
        ensured.expect("the workspace and its channel");
    }

    /// The same world, with a channel whose turns take no more messages than this.
    pub(super) async fn with_turns_of(mut self, max_messages: u32) -> Self {
        self.channel.burst.max_messages = max_messages;
        self.save_channel("tienda", &self.channel).await;
        self
    }

    pub(super) async fn another_node(&self) -> Arc<dyn Store> {
        self.fixture.open().await
    }

    /// The same world after the store was closed and opened again.
    pub(super) async fn reopened(self) -> Self {
        let Self { store, .. } = self;
        drop(store);
        let store = self.fixture.open().await;
        Self { store, ..self }
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(super) fn pass_ms(&self, ms: i64) {
        self.clock.advance_ms(ms);
    }

    pub(super) fn id<I: From<Uuid>>(&self) -> I {
        domain::IdSource::next(&self.ids).into()
    }

    pub(super) fn arrival(&self, from: &str, external_id: &str, text: &str) -> Arrival {
        Arrival {
            item: Inbound {
                external_id: external_id.to_owned(),
                from: Identity::new(from),
                content: Content::text(text),
                edits: None,
                sent_at: None,
            },
            event: self.id(),
            contact: self.id(),
            conversation: self.id(),
        }
    }

    /// A message that takes the place of another.
    pub(super) fn edit(&self, from: &str, id: &str, original: &str, text: &str) -> Arrival {
        let mut arrival = self.arrival(from, id, text);
        arrival.item.edits = Some(original.to_owned());
        arrival
    }

    /// Puts arrivals on record that nobody said.
    pub(super) async fn note(&self, notes: Vec<Arrival>) -> Vec<Accepted> {
        let noted = self.store.note(&self.channel, notes, self.new_session(), self.now()).await;
        noted.expect("noted")
    }

    /// All lines of a customer's conversation, as `role: words`.
    pub(super) async fn lines(&self, from: &str) -> Vec<String> {
        let found = self.store.find(self.workspace(), &self.channel.id, from).await;
        let id = found.expect("a look-up").expect("a conversation");
        let lines = self.store.transcript(self.workspace(), id, 100).await.expect("lines").lines;
        let line =
            |line: &crate::Line| format!("{}: {}", line.role.as_str(), line.content.reveal());
        lines.iter().map(line).collect()
    }

    pub(super) async fn accept(&self, arrivals: Vec<Arrival>) -> Vec<Accepted> {
        let stored = self.store.accept(&self.channel, arrivals, None, self.now()).await;
        stored.expect("accepted").accepted
    }

    /// A message that nobody has seen before.
    pub async fn hear(&self, from: &str, text: &str) -> ConversationId {
        let external_id = self.id::<Uuid>().to_string();
        let accepted = self.accept(vec![self.arrival(from, &external_id, text)]);
        accepted.await[0].conversation
    }

    pub(super) async fn claim_all(&self) -> Vec<LaneWork> {
        let claimed = self.store.claim(NODE, self.now(), LEASE_MS, Room::for_any(1_000)).await;
        claimed.expect("claimed")
    }

    /// Claims the one lane that is due.
    pub async fn claim(&self) -> LaneWork {
        one(self.claim_all().await)
    }

    /// Claims the one lane whose holder vanished, once its lease is over.
    pub(super) async fn claim_after_crash(&self) -> LaneWork {
        self.pass_ms(LEASE_MS);
        let claimed = self.store.claim(OTHER_NODE, self.now(), LEASE_MS, Room::for_any(1_000));
        one(claimed.await.expect("claimed"))
    }

    /// The work that is ready, as a node finds it: a lane that woke too early is given up again.
    pub(super) async fn ready(&self) -> Vec<LaneWork> {
        let mut ready = Vec::new();
        for work in self.claim_all().await {
            if !work.events.is_empty() || work.outbound.is_some() {
                ready.push(work);
            } else {
                let left = self.store.release(work.lease, self.now()).await;
                assert!(left.expect("released").is_none(), "a claim hid ready work");
            }
        }
        ready
    }

    /// A message that the business wrote to a customer from its own phone.
    pub fn phone_echo(&self, to: &str, external_id: &str, text: &str) -> PhoneEcho {
        PhoneEcho {
            external_id: external_id.into(),
            to: Identity::new(to),
            text: text.into(),
            sent_at: self.now(),
            event: self.id(),
            contact: self.id(),
            conversation: self.id(),
            session: self.new_session(),
        }
    }

    /// A turn that answers all of the lane's events and says nothing.
    pub fn turn(&self, work: &LaneWork) -> TurnCommit {
        let open = work.open_turn.as_ref().map(|open| open.turn);
        let turn = open.unwrap_or_else(|| self.id());
        let is_timer = |kind: &EventKind| matches!(kind, EventKind::Timer(_));
        let ids = |timers: bool| {
            let of_kind = move |event: &&domain::Event| is_timer(&event.kind) == timers;
            work.events.iter().filter(of_kind).map(|event| event.id.0)
        };
        let heard = words(work);
        TurnCommit {
            lease: work.lease,
            turn,
            began_at: self.now(),
            now: self.now(),
            read_epoch: work.conversation.epoch,
            carry: work.open_turn.is_none().then(|| work.conversation.clone()),
            session: Some(self.session(work)),
            handled: ids(false).map(EventId).collect(),
            fired: ids(true).map(TimerId).collect(),
            skipped: Vec::new(),
            set_aside: None,
            customer_wrote_at: (!heard.is_empty()).then(|| self.now()),
            entries: heard.into_iter().map(|text| said(turn, Role::User, text)).collect(),
            outbound: Vec::new(),
            delivers_by_commit: false,
            drafted: false,
            arm: Vec::new(),
            cancel: Vec::new(),
            handoff: None,
            notice: None,
        }
    }

    /// The session as the work shows it, to be saved again; a new one if there is none.
    pub(super) fn session(&self, work: &LaneWork) -> SessionWrite {
        let Some(read) = &work.session else { return self.new_session() };
        SessionWrite {
            id: read.id,
            read_version: Some(read.version),
            read_status: read.status,
            read_mode: read.mode.clone(),
            agent_version: read.agent_version.clone(),
            mode: read.mode.clone(),
            state: read.state.clone(),
            opened_at: read.created_at,
            ..self.new_session()
        }
    }

    pub(super) fn new_session(&self) -> SessionWrite {
        SessionWrite {
            id: self.id(),
            read_version: None,
            read_status: SessionStatus::Active,
            read_mode: "conversacion".into(),
            agent: "ventas".into(),
            agent_version: "v0".into(),
            status: SessionStatus::Active,
            mode: "conversacion".into(),
            state: SessionState::default(),
            opened_at: self.now(),
            closes: None,
        }
    }

    pub(super) async fn commit(&self, turn: TurnCommit) -> Option<LaneWork> {
        self.store.commit(turn).await.expect("committed")
    }

    /// Hears and answers; returns the lane with the answer still to be sent.
    pub(super) async fn reply_waiting(&self, from: &str, text: &str) -> (LaneWork, OutboundId) {
        self.hear(from, "hola").await;
        let work = self.claim().await;
        let reply = self.message(text);
        let id = reply.id;
        let turn = TurnCommit { outbound: vec![reply], ..self.turn(&work) };
        (self.commit(turn).await.expect("the reply is due"), id)
    }

    /// A reply whose sending has begun.
    pub(super) async fn reply_in_flight(&self, from: &str, text: &str) -> (LaneWork, OutboundId) {
        let (work, id) = self.reply_waiting(from, text).await;
        assert_eq!(self.may_send(work.lease, id).await, GO);
        (work, id)
    }

    /// Asks to send on a channel with a window.
    pub(super) async fn may_send(&self, lease: Lease, id: OutboundId) -> Clearance {
        let found = self.store.get(lease.workspace, lease.conversation).await;
        let to = found.expect("the conversation").address;
        let outcome = self.store.intend_send(lease, id, &to, WINDOW, self.now()).await;
        outcome.expect("an outcome")
    }

    pub(super) async fn record_send(&self, lease: Lease, outcome: SendOutcome) -> Option<LaneWork> {
        let recorded = self.store.record_send(lease, outcome, self.now()).await;
        recorded.expect("recorded")
    }

    pub(super) fn message(&self, text: &str) -> NewOutbound {
        NewOutbound {
            id: self.id(),
            author: Author::Bot,
            priority: Priority::Reply,
            text: text.into(),
            approved: None,
            options: Vec::new(),
        }
    }

    pub(super) fn operators(&self, text: &str) -> NewOutbound {
        NewOutbound { author: Author::Operator, priority: Priority::Operator, ..self.message(text) }
    }

    pub(super) fn timer(&self, key: &str, in_ms: i64) -> (TimerId, ArmTimer) {
        let timer = ArmTimer {
            key: key.to_owned(),
            due_at: self.now().plus_ms(in_ms),
            condition: TimerCondition::Always,
            payload: json!({ "nudge": key }),
        };
        (self.id(), timer)
    }

    /// The `occurrence`-th call of a tool in the lane's turn.
    pub(super) fn intent(&self, work: &LaneWork, tool: &str, occurrence: u32) -> Intent {
        let input = json!({ "queue": "caja" });
        let turn = work.open_turn.clone().unwrap_or_else(|| OpenTurn {
            turn: self.id(),
            started_at: self.now(),
            events: work.events.iter().map(|event| event.id.0).collect(),
        });
        Intent {
            lease: work.lease,
            turn,
            read_epoch: work.conversation.epoch,
            key: StepKey::new(tool, &input, occurrence),
            tool: tool.to_owned(),
            input: input.to_string().into(),
            texts: Vec::new(),
            reads: Vec::new(),
        }
    }
}

fn channel(workspace: &str, id: &str) -> Channel {
    Channel {
        id: id.into(),
        workspace: WorkspaceId::from_slug(workspace),
        kind: ChannelKind::Infobip,
        agent: "ventas".into(),
        burst: Burst::default(),
    }
}

pub(super) fn one<T: std::fmt::Debug>(mut items: Vec<T>) -> T {
    assert_eq!(items.len(), 1, "{items:#?}");
    items.remove(0)
}

pub(super) fn said(turn: TurnId, role: Role, text: &str) -> TurnEntry {
    TurnEntry::said(turn, role, text)
}

/// The customer's messages in the lane's events, in order.
pub(super) fn words(work: &LaneWork) -> Vec<&str> {
    let words = work.events.iter().filter_map(|event| match &event.kind {
        EventKind::Message(content) => written(content),
        _ => None,
    });
    words.collect()
}

fn written(content: &Content) -> Option<&str> {
    match content {
        Content::Text { text } | Content::Choice { text, .. } => Some(text.reveal()),
        Content::Edited { now, .. } => written(now),
        _ => None,
    }
}
