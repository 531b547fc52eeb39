//! One conversation held in memory under a clock that is told: the engine's rules on sessions,
//! timers and ownership without its store.

use std::sync::Arc;

use agents::{Agent, Outcome, Spoken, TurnInput};
use domain::{
    Contact, ContactId, Content, Event, EventId, EventKind, Owner, Role, SESSION_WINDOW_MS,
    SessionId, SessionState, SessionStatus, Statement, Timer, TimerId, Timestamp, ToolUse,
    TurnTrace,
};
use llm::{Player, Script};
use serde::Serialize;
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

/// What came of one turn.
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
    /// Why the agent could not answer.
    pub error: Option<String>,
    /// The conversation's orders by now.
    pub orders: Vec<String>,
}

#[derive(Clone)]
pub struct Rehearsal {
    agent: Arc<dyn Agent>,
    tools: Registry,
    now: Timestamp,
    world: World,
    owner: Owner,
    session: Option<Session>,
    timers: Vec<Timer>,
    customer_wrote_at: Option<Timestamp>,
    ids: u128,
    model: Option<Player>,
    /// The session before this one, until its first turn.
    previous: Option<Session>,
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

    /// As the engine would hand it to the agent.
    fn stored(self, agent: &dyn Agent) -> domain::Session {
        domain::Session {
            id: SessionId(Uuid::nil()),
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
            session: None,
            timers: Vec::new(),
            customer_wrote_at: None,
            ids: 0,
            model: None,
            previous: None,
        }
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
        let wrote_before = self.customer_wrote_at.replace(self.now);
        let over = |last: Timestamp| self.now.since_ms(last) >= SESSION_WINDOW_MS;
        if wrote_before.is_some_and(over) {
            self.previous = self.session.take();
        }
        if self.owner == Owner::Human {
            return None;
        }
        let message = |text: &String| self.event(EventKind::Message(Content::text(text.as_str())));
        let events = texts.iter().map(message).collect();
        Some(self.turn(Cause::Message, events).await)
    }

    /// Lets time pass from one due timer to the next.
    pub async fn wait(&mut self, ms: i64) -> Vec<Happened> {
        let end = self.now.plus_ms(ms);
        let mut happened = Vec::new();
        while let Some(timer) = self.next_due(end) {
            self.now = self.now.max(timer.due_at);
            let other = self.session.as_ref().is_none_or(|s| s.created_at > timer.armed_at);
            let stale = timer.stale(self.customer_wrote_at).is_some();
            if other || stale || self.owner == Owner::Human {
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

    pub fn take(&mut self) {
        self.owner = Owner::Human;
        if let Some(session) = &mut self.session {
            session.status = SessionStatus::HandedOff;
        }
    }

    /// A person gives the conversation back.
    pub async fn give_back(&mut self, note: Option<String>) -> Happened {
        self.owner = Owner::Bot;
        let by = "operador".to_owned();
        let returned = Statement::Returned { by, note, mode: None, message: None };
        let event = self.event(EventKind::Operator(returned));
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
        let contact = Contact {
            id: ContactId(Uuid::nil()),
            name: self.world.contact_name.clone(),
            phone: self.world.contact_phone.clone(),
            data: self.world.contact_data.clone(),
        };
        let heard = events.iter().map(spoken).collect::<Vec<_>>();
        let input = TurnInput {
            events,
            contact,
            mode: session.mode.clone(),
            state: session.state.clone(),
            previous: self.previous.take().map(|previous| previous.stored(&*self.agent)),
        };
        let agent = Arc::clone(&self.agent);
        let before = session.tokens;
        let mut context = RehearsedContext {
            now: self.now,
            tools: &self.tools,
            world: &mut self.world,
            used: Vec::new(),
            model: self.model.as_mut(),
            tokens: &mut session.tokens,
            before,
            lines: &session.lines,
        };
        let result = agent.turn(&input, &mut context).await;
        let tools = context.used;
        match result {
            Ok(outcome) => {
                session.lines.extend(heard);
                self.committed(session, cause, outcome, tools)
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
                error: Some(error.reason),
                orders: self.world.orders(),
            },
        }
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
        for arm in outcome.arm {
            self.timers.retain(|timer| timer.key != arm.key);
            let timer = Timer {
                id: TimerId(self.id()),
                key: arm.key,
                armed_at: self.now,
                due_at: arm.due_at,
                condition: arm.condition,
                payload: arm.payload,
            };
            self.timers.push(timer);
        }
        let status = match outcome.handoff {
            Some(_) => {
                self.owner = Owner::Human;
                SessionStatus::HandedOff
            }
            None => outcome.status,
        };
        let (mode, state) = (outcome.mode, outcome.state);
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
            error: None,
            orders: self.world.orders(),
        }
    }
}

/// What came in, as the transcript keeps it.
fn spoken(event: &Event) -> Spoken {
    let (role, text) = match &event.kind {
        EventKind::Message(content) => (Role::User, content.words().unwrap_or_default().to_owned()),
        EventKind::Timer(timer) => (Role::System, format!("timer: {}", timer.key)),
        EventKind::Operator(act) => (Role::System, format!("operator: {act:?}")),
    };
    Spoken { role, text }
}
