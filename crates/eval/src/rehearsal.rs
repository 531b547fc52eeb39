//! A conversation held in memory under a clock that is told: the engine's rules on sessions, timers
//! and ownership without its store.

use std::sync::Arc;

use agents::{Agent, ModelAsk, Outcome, Spoken, TurnInput};
use domain::rules::{self, UNATTENDED, Waiting};
use domain::{
    ArmTimer, Content, Event, EventId, EventKind, HandoffId, OperatorEvent, Owner, Role, SessionId,
    SessionState, SessionStatus, Timer, TimerId, Timestamp, ToolUse, Trigger, TurnId, TurnTrace,
};
use llm::{Player, Script};
use pack::files::{Meanwhile, Returning};
use serde::Serialize;
use store::MemoryRecords;
use tools::Registry;
use uuid::Uuid;

use crate::context::{RehearsedContext, World};

/// Why a turn was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    Message,
    Timer,
    Operator,
}

/// The result of a turn.
#[derive(Clone, Debug)]
pub struct Happened {
    pub at: Timestamp,
    pub cause: Cause,
    pub replies: Vec<String>,
    pub mode: String,
    pub status: SessionStatus,
    pub state: SessionState,
    pub trace: TurnTrace,
    pub tools: Vec<ToolUse>,
    /// Why a person takes over, if one does.
    pub handoff: Option<String>,
    pub trigger: Option<Trigger>,
    /// The options that the customer may pick in answer, by id.
    pub options: Vec<String>,
    /// Why the agent could not answer.
    pub error: Option<String>,
    /// The conversation's orders by now.
    pub orders: Vec<String>,
    /// The questions that were put to models, in order.
    pub asked: Vec<ModelAsk>,
}

#[derive(Clone)]
pub struct Rehearsal {
    agent: Arc<dyn Agent>,
    tools: Registry,
    now: Timestamp,
    world: World,
    owner: Owner,
    /// Raised by every takeover and return.
    epoch: i64,
    session: Option<Session>,
    timers: Vec<Timer>,
    customer_wrote_at: Option<Timestamp>,
    ids: u128,
    model: Option<Player>,
    /// The session before this one, until its first turn.
    previous: Option<Session>,
    /// The notice for the customer while nobody has taken the conversation.
    waiting: Option<Pending>,
}

/// A handoff whose customer waits for a person.
#[derive(Clone)]
struct Pending {
    id: HandoffId,
    /// The sentence for a customer who writes meanwhile, until it was said.
    attending: Option<String>,
}

#[derive(Clone)]
struct Session {
    created_at: Timestamp,
    mode: String,
    status: SessionStatus,
    state: SessionState,
    /// Tokens spent on models.
    tokens: u64,
    lines: Vec<Spoken>,
}

impl Session {
    fn new(created_at: Timestamp, mode: &str, state: SessionState) -> Self {
        let status = SessionStatus::Active;
        let mode = mode.to_owned();
        Self { created_at, mode, status, state, tokens: 0, lines: Vec::new() }
    }

    /// An id of the session's own, as long as no two sessions begin at once.
    fn id(&self) -> SessionId {
        SessionId(Uuid::from_u128(u128::from(self.created_at.millis().unsigned_abs())))
    }

    /// As the engine would hand it to the agent.
    fn stored(self, agent: &dyn Agent) -> domain::Session {
        domain::Session {
            id: self.id(),
            agent: agent.name().to_owned(),
            agent_version: agent.version().to_owned(),
            version: 1,
            status: self.status,
            mode: self.mode,
            created_at: self.created_at,
            last_activity_at: self.created_at,
            state: self.state,
        }
    }
}

impl Rehearsal {
    pub fn new(agent: Arc<dyn Agent>, tools: Registry, now: Timestamp) -> Self {
        Self {
            agent,
            tools,
            now,
            world: World::default(),
            owner: Owner::Bot,
            epoch: 0,
            session: None,
            timers: Vec::new(),
            customer_wrote_at: None,
            ids: 0,
            model: None,
            previous: None,
            waiting: None,
        }
    }

    /// Begins with what there is in the shop.
    #[must_use]
    pub fn with_records(mut self, records: MemoryRecords) -> Self {
        self.world = World::new(records);
        self
    }

    /// Something happens in the shop, of which the customer is not told.
    pub async fn meanwhile(&mut self, meanwhile: &Meanwhile) -> Result<(), String> {
        self.world.meanwhile(meanwhile).await
    }

    /// Language models answer as the script says.
    pub fn with_model(&mut self, script: &Script) {
        self.model = Some(script.player());
    }

    /// Begins in the middle: with these values already collected and these tokens spent.
    pub fn given(&mut self, state: SessionState, spent_tokens: u64) {
        let session = Session::new(self.now, self.agent.initial_mode(), state);
        self.session = Some(Session { tokens: spent_tokens, ..session });
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The customer writes, in messages that are answered together; none when a person attends and
    /// the bot is silent.
    pub async fn say(&mut self, texts: &[String]) -> Option<Happened> {
        self.send(texts.iter().map(|text| Content::text(text.as_str())).collect()).await
    }

    /// The same, of whatever kind the messages are.
    pub async fn send(&mut self, contents: Vec<Content>) -> Option<Happened> {
        let wrote_before = self.customer_wrote_at.replace(self.now);
        if !rules::continues(self.now, wrote_before) {
            self.previous = self.session.take();
        }
        if self.owner == Owner::Human {
            let told = self.waiting.as_mut().and_then(|waiting| waiting.attending.take());
            return told.map(|text| self.told(Cause::Message, text));
        }
        let message = |content: Content| self.event(EventKind::Message(content));
        let events = contents.into_iter().map(message).collect();
        Some(self.turn(Cause::Message, events).await)
    }

    /// Lets time pass from one due timer to the next.
    pub async fn wait(&mut self, ms: i64) -> Vec<Happened> {
        let end = self.now.plus_ms(ms);
        let mut happened = Vec::new();
        while let Some(timer) = self.next_due(end) {
            self.now = self.now.max(timer.due_at);
            if timer.key == UNATTENDED {
                happened.extend(self.nobody_came(&timer));
                continue;
            }
            let began = self.session.as_ref().map(|session| session.created_at);
            if rules::dropped(&timer, self.owner, began, self.customer_wrote_at).is_some() {
                continue;
            }
            let event = self.event(EventKind::Timer(Box::new(timer)));
            happened.push(self.turn(Cause::Timer, vec![event]).await);
        }
        self.now = end;
        happened
    }

    fn next_due(&mut self, end: Timestamp) -> Option<Timer> {
        let due = |(_, timer): &(usize, &Timer)| timer.due_at <= end;
        let (at, _) =
            self.timers.iter().enumerate().filter(due).min_by_key(|(_, timer)| timer.due_at)?;
        Some(self.timers.remove(at))
    }

    /// Tells a customer that nobody has come yet, if that is so.
    fn nobody_came(&self, timer: &Timer) -> Option<Happened> {
        let pending = self.waiting.as_ref()?;
        let waiting: Waiting = serde_json::from_value(timer.payload.clone()).ok()?;
        (waiting.handoff == pending.id).then(|| self.told(Cause::Timer, waiting.text))
    }

    /// The engine's own notice to a customer who waits for a person.
    fn told(&self, cause: Cause, text: String) -> Happened {
        let state = self.session.as_ref().map(|session| session.state.clone()).unwrap_or_default();
        let mode = self.session.as_ref().map(|session| session.mode.clone()).unwrap_or_default();
        Happened {
            at: self.now,
            cause,
            replies: vec![text],
            mode,
            status: SessionStatus::HandedOff,
            state,
            trace: TurnTrace::default(),
            tools: Vec::new(),
            handoff: None,
            trigger: None,
            options: Vec::new(),
            error: None,
            orders: self.world.orders(),
            asked: Vec::new(),
        }
    }

    pub fn take(&mut self) {
        self.owner = Owner::Human;
        self.epoch += 1;
        self.waiting = None;
        if let Some(session) = &mut self.session {
            session.status = SessionStatus::HandedOff;
        }
    }

    /// A person gives the conversation back.
    pub async fn give_back(&mut self, note: Option<String>) -> Happened {
        self.returned(note, Returning::default()).await
    }

    /// The same, with where it goes on or a word to the customer.
    pub async fn return_to(&mut self, returning: &Returning) -> Happened {
        self.returned(None, returning.clone()).await
    }

    async fn returned(&mut self, note: Option<String>, returning: Returning) -> Happened {
        self.owner = Owner::Bot;
        self.epoch += 1;
        self.waiting = None;
        let by = "operador".to_owned();
        let Returning { mode, message } = returning;
        let act = OperatorEvent::Returned { by, note, mode, message };
        let event = self.event(EventKind::Operator(act));
        self.turn(Cause::Operator, vec![event]).await
    }

    /// Where the conversation stands.
    pub fn status(&self) -> SessionStatus {
        match (&self.session, self.owner) {
            (_, Owner::Human) => SessionStatus::HandedOff,
            (Some(session), Owner::Bot) => session.status,
            (None, Owner::Bot) => SessionStatus::Active,
        }
    }

    pub fn state(&self) -> Option<&SessionState> {
        self.session.as_ref().map(|session| &session.state)
    }

    /// Where the flow stands.
    pub fn mode(&self) -> &str {
        self.session.as_ref().map_or(self.agent.initial_mode(), |session| &session.mode)
    }

    /// The shop's records as they are by now.
    pub fn records(&self) -> &MemoryRecords {
        self.world.records()
    }

    fn id(&mut self) -> Uuid {
        self.ids += 1;
        Uuid::from_u128(self.ids)
    }

    fn event(&mut self, kind: EventKind) -> Event {
        Event { id: EventId(self.id()), at: self.now, kind }
    }

    async fn turn(&mut self, cause: Cause, events: Vec<Event>) -> Happened {
        let fresh = || Session::new(self.now, self.agent.initial_mode(), SessionState::default());
        let mut session = self.session.clone().unwrap_or_else(fresh);
        let contact = self.world.contact().await;
        let heard = events.iter().map(spoken).collect::<Vec<_>>();
        let turn = TurnId(self.id());
        let consent = agents::consent(&session.state, &events, turn, self.epoch);
        let input = TurnInput {
            events,
            contact,
            mode: session.mode.clone(),
            state: session.state.clone(),
            previous: self.previous.take().map(|previous| previous.stored(&*self.agent)),
            consent,
        };
        let agent = Arc::clone(&self.agent);
        let before = session.tokens;
        let mut context = RehearsedContext {
            now: self.now,
            session: session.id(),
            turn,
            epoch: self.epoch,
            consent,
            used_consent: None,
            tools: &self.tools,
            world: &mut self.world,
            used: Vec::new(),
            model: self.model.as_mut(),
            asked: Vec::new(),
            tokens: &mut session.tokens,
            before,
            lines: &session.lines,
        };
        let result = agent.turn(&input, &mut context).await;
        let (tools, used, asked) = (context.used, context.used_consent, context.asked);
        match result {
            Ok(mut outcome) => {
                let before = session.state.proposal.as_ref();
                agents::close_proposal(before, outcome.state.proposal.as_mut(), used);
                session.lines.extend(heard);
                if let Some(proposal) = &outcome.state.proposal {
                    self.world.keep(session.id(), proposal).await;
                }
                Happened { asked, ..self.committed(session, cause, outcome, tools) }
            }
            Err(error) => Happened {
                at: self.now,
                cause,
                replies: Vec::new(),
                mode: session.mode,
                status: session.status,
                state: session.state,
                trace: TurnTrace::default(),
                tools,
                handoff: None,
                trigger: None,
                options: Vec::new(),
                error: Some(error.reason),
                orders: self.world.orders(),
                asked,
            },
        }
    }

    /// Arms a timer in the place of the one that was armed under its key.
    fn arm(&mut self, arm: ArmTimer) {
        self.timers.retain(|timer| timer.key != arm.key);
        let ArmTimer { key, due_at, condition, payload } = arm;
        let (id, armed_at) = (TimerId(self.id()), self.now);
        self.timers.push(Timer { id, key, armed_at, due_at, condition, payload });
    }

    fn committed(
        &mut self,
        session: Session,
        cause: Cause,
        outcome: Outcome,
        tools: Vec<ToolUse>,
    ) -> Happened {
        // As the store does: a turn may arm again what it cancels.
        self.timers.retain(|timer| !outcome.cancel.contains(&timer.key));
        outcome.arm.into_iter().for_each(|arm| self.arm(arm));
        let status = match outcome.handoff {
            Some(ref handoff) => {
                self.owner = Owner::Human;
                let id = HandoffId(self.id());
                self.waiting = Some(Pending { id, attending: handoff.attending.clone() });
                if let Some(arm) = rules::unattended(handoff, id, self.now) {
                    self.arm(arm);
                }
                SessionStatus::HandedOff
            }
            None => outcome.status,
        };
        let (mode, state) = (outcome.mode, outcome.state);
        let trigger = outcome.handoff.as_ref().map(|handoff| handoff.trigger);
        let options = outcome.replies.iter().flat_map(|reply| &reply.options);
        let options = options.map(|option| option.id.clone()).collect();
        let replies: Vec<String> =
            outcome.replies.into_iter().map(|reply| reply.text.reveal().clone()).collect();
        let said = |text: &String| Spoken { role: Role::Assistant, text: text.clone() };
        let mut open = Session { mode: mode.clone(), status, state: state.clone(), ..session };
        open.lines.extend(replies.iter().map(said));
        self.session = (status != SessionStatus::Closed).then_some(open);
        Happened {
            at: self.now,
            cause,
            replies,
            mode,
            status,
            state,
            trace: outcome.trace.unwrap_or_default(),
            tools,
            handoff: outcome.handoff.map(|handoff| handoff.reason),
            trigger,
            options,
            error: None,
            orders: self.world.orders(),
            asked: Vec::new(),
        }
    }
}

/// An incoming event, as the transcript keeps it.
fn spoken(event: &Event) -> Spoken {
    let (role, text) = rules::line(event);
    Spoken { role, text: domain::visible(&text) }
}
