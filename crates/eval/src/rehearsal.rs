//! One conversation held in memory under a clock that is told: the engine's rules on sessions,
//! timers and ownership without its store.

use std::sync::Arc;

use agents::{Agent, Outcome, TurnInput};
use domain::{
    Contact, ContactId, Content, Event, EventId, EventKind, Owner, SESSION_WINDOW_MS, SessionState,
    SessionStatus, Statement, Timer, TimerId, Timestamp, ToolUse, TurnTrace,
};
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
}

#[derive(Clone)]
struct Session {
    created_at: Timestamp,
    mode: String,
    status: SessionStatus,
    state: SessionState,
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
        }
    }

    /// Begins in the middle: with these values already collected.
    pub fn given(&mut self, state: SessionState) {
        let mode = self.agent.initial_mode().to_owned();
        let status = SessionStatus::Active;
        self.session = Some(Session { created_at: self.now, mode, status, state });
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The customer writes; none when a person attends and the bot is silent.
    pub async fn say(&mut self, text: &str) -> Option<Happened> {
        let wrote_before = self.customer_wrote_at.replace(self.now);
        let over = |last: Timestamp| self.now.since_ms(last) >= SESSION_WINDOW_MS;
        if wrote_before.is_some_and(over) {
            self.session = None;
        }
        if self.owner == Owner::Human {
            return None;
        }
        let event = self.event(EventKind::Message(Content::text(text)));
        Some(self.turn(Cause::Message, event).await)
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
            happened.push(self.turn(Cause::Timer, event).await);
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
        let event = self.event(EventKind::Operator(Statement::Returned { by, note }));
        self.turn(Cause::Operator, event).await
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

    async fn turn(&mut self, cause: Cause, event: Event) -> Happened {
        let session = self.session.clone().unwrap_or_else(|| Session {
            created_at: self.now,
            mode: self.agent.initial_mode().to_owned(),
            status: SessionStatus::Active,
            state: SessionState::default(),
        });
        let contact = Contact {
            id: ContactId(Uuid::nil()),
            name: self.world.contact_name.clone(),
            phone: None,
        };
        let input = TurnInput {
            events: vec![event],
            contact,
            mode: session.mode.clone(),
            state: session.state.clone(),
        };
        let agent = Arc::clone(&self.agent);
        let mut context = RehearsedContext {
            now: self.now,
            tools: &self.tools,
            world: &mut self.world,
            used: Vec::new(),
        };
        let result = agent.turn(&input, &mut context).await;
        let tools = context.used;
        match result {
            Ok(outcome) => self.committed(session, cause, outcome, tools),
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
        let open = Session {
            created_at: session.created_at,
            mode: mode.clone(),
            status,
            state: state.clone(),
        };
        self.session = (status != SessionStatus::Closed).then_some(open);
        Happened {
            at: self.now,
            cause,
            replies: outcome.replies.into_iter().map(|reply| reply.text.reveal().clone()).collect(),
            mode,
            status,
            state,
            trace: outcome.trace.unwrap_or_default(),
            tools,
            handoff: outcome.handoff,
            error: None,
        }
    }
}
