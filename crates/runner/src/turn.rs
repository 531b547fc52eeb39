//! A turn: picks the events it answers, runs the agent, and commits what it wants, or fails.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use agents::{Agent, Outcome, Reply, TurnInput};
use channels::offered;
use domain::{
    Author, Clock, Consent, Event, EventId, EventKind, IdSource, NewOutbound, OutboundId, Owner,
    Role, Session, SessionId, SessionStatus, Ticks, TimerId, Timestamp, TurnEntry, TurnId, rules,
};
use futures::FutureExt;
use llm::Models;
use metrics::{counter, histogram};
use store::{LaneWork, OpenTurn, SessionWrite, Store, StoreError, StoreResult, TurnCommit};
use tokio::sync::Mutex;
use tools::Registry;

use crate::alarm::Alarm;
use crate::context::JournaledContext;
use crate::failure::Failure;
use crate::leases::Leases;
use crate::model::{Asked, Reserved};
use crate::places::Places;
use crate::question::Kept;
use crate::roster::Answering;
use crate::spent::Days;
use crate::trial::Trial;
use crate::{Connected, Outlet, Roster, Settings};

/// A turn about to be run: its events and the session it belongs to.
pub(crate) struct Turn<'a> {
    pub(crate) work: &'a LaneWork,
    pub(crate) outlet: &'a Outlet,
    pub(crate) open: OpenTurn,
    pub(crate) events: Vec<Event>,
    /// Attempts already spent on them.
    pub(crate) failed: u32,
    /// The session it goes on with; none begins a new one.
    pub(crate) session: Option<&'a Session>,
    /// The id of the turn's session; a new session has the same id whenever the turn is run again.
    pub(crate) session_id: SessionId,
    /// The customer's yes to what an earlier turn showed, if the messages are one.
    pub(crate) consent: Option<Consent>,
}

/// Runs turns: everything they need, and nothing of the lanes they come from but their leases.
pub(crate) struct TurnRunner {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ticks: Arc<dyn Ticks>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) roster: Arc<dyn Roster>,
    pub(crate) connected: Arc<Connected>,
    pub(crate) tools: Registry,
    pub(crate) models: Arc<Models>,
    pub(crate) settings: Settings,
    pub(crate) alarm: Arc<Alarm>,
    pub(crate) leases: Arc<Leases>,
    /// A turn that waits for a model's place leaves its own to others.
    pub(crate) places: Arc<Places>,
    pub(crate) kept_texts: Kept,
    pub(crate) reserved: Reserved,
    pub(crate) days: Days,
    /// Held by the one turn at a time that computes and may be what ended earlier processes.
    pub(crate) suspects: Arc<Mutex<()>>,
    /// Held while an agent's old version is made again.
    pub(crate) reviving: Mutex<()>,
}

impl TurnRunner {
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) async fn take_turn(
        &self,
        work: &LaneWork,
        outlet: &Outlet,
    ) -> StoreResult<Option<LaneWork>> {
        let turn = self.begin(work, outlet).await?;
        if let Some(timer) = turn.unattended() {
            return self.nobody_came(&turn, timer).await;
        }
        let is_taken = turn.work.conversation.owner == Owner::Human;
        // The deeds of a timer's turn before a person took over are written down like any other's.
        if let Some(reason) = turn.stale().filter(|_| !(is_taken && turn.has_acted())) {
            return self.store.commit(turn.skip(self.now(), reason)).await;
        }
        if is_taken {
            return self.only_note(&turn).await;
        }
        if work.attempts.crashed_alone {
            return self.set_aside(&turn, "the process ended while handling it").await;
        }
        let mut trial = self.trial(work.lease, work.attempts).await?;
        let taken = self.answer(&turn, trial.as_mut()).await;
        if let (Err(_), Some(trial)) = (&taken, &mut trial)
            && let Err(error) = trial.acquit(self).await
        {
            tracing::warn!(conversation = %work.lease.conversation, %error, "still on trial");
        }
        taken
    }

    /// Runs the agent and commits its outcome. A deed that panics and a commit that the database
    /// cannot take fail the attempt, because the next one would end in the same way.
    async fn answer(
        &self,
        turn: &Turn<'_>,
        trial: Option<&mut Trial>,
    ) -> StoreResult<Option<LaneWork>> {
        let answered = match self.run_agent(turn, trial).await {
            Ok(commit) => self.commit(turn, commit).await.map_err(Failure::Interrupted),
            Err(failure) => Err(failure),
        };
        match answered {
            Ok(next) => Ok(next),
            Err(Failure::Failed(reason) | Failure::Interrupted(StoreError::Unusable(reason))) => {
                self.count_failure(turn, &reason).await
            }
            Err(Failure::Interrupted(error)) => Err(error),
        }
    }

    async fn commit(&self, turn: &Turn<'_>, commit: TurnCommit) -> StoreResult<Option<LaneWork>> {
        let soonest = commit.arm.iter().map(|(_, timer)| timer.due_at).min();
        let next = self.store.commit(commit).await?;
        if let Some(due) = soonest {
            self.alarm.expect(due);
        }
        counter!("recado_turns_total", "outcome" => "committed").increment(1);
        let waited = self.now().since_ms(turn.events[0].at).max(0);
        histogram!("recado_turn_seconds").record(waited as f64 / 1000.0);
        Ok(next)
    }

    async fn begin<'a>(&self, work: &'a LaneWork, outlet: &'a Outlet) -> StoreResult<Turn<'a>> {
        let events = match &work.open_turn {
            Some(_) => work.events.clone(),
            None => pick(&work.events, outlet.channel.burst.max_messages as usize),
        };
        let open = work.open_turn.clone().unwrap_or_else(|| OpenTurn {
            turn: TurnId(self.ids.next()),
            started_at: self.now(),
            events: events.iter().map(|event| event.id.0).collect(),
        });
        let failed = work.attempts.failed;
        let session_id = SessionId::of_turn(open.turn);
        let (session, consent) = (None, None);
        let mut turn = Turn { work, outlet, open, events, failed, session, session_id, consent };
        turn.session = work.session.as_ref().filter(|session| turn.continues(session));
        if let Some(session) = turn.session {
            turn.session_id = session.id;
            let epoch = work.conversation.epoch;
            turn.consent = agents::consent(&session.state, &turn.events, turn.open.turn, epoch);
            if let (Some(_), Some(proposal)) = (turn.consent, &session.state.proposal)
                && !self.store.have_reached(work.lease.workspace, &proposal.messages).await?
            {
                turn.consent = None;
            }
        }
        Ok(turn)
    }

    async fn run_agent(
        &self,
        turn: &Turn<'_>,
        trial: Option<&mut Trial>,
    ) -> Result<TurnCommit, Failure> {
        let Answering { agent, version, tools } = self.answering(turn).await?;
        let input = turn.input(&*agent);
        let mut context = JournaledContext::new(self, turn, tools, trial);
        let timeout = Duration::from_millis(self.settings.turn_timeout_ms);
        let began = self.ticks.nanos();
        let run = AssertUnwindSafe(agent.turn(&input, &mut context)).catch_unwind();
        let result = tokio::time::timeout(timeout, run).await;
        if let Some(error) = context.interrupted {
            return Err(Failure::Interrupted(error));
        }
        let mut outcome = match result {
            Ok(Ok(Ok(outcome))) => outcome,
            Ok(Ok(Err(error))) => return Err(Failure::Failed(error.reason)),
            Ok(Err(panic)) => return Err(Failure::panicked(&*panic)),
            Err(_) => return Err(Failure::Failed(format!("no answer within {timeout:?}"))),
        };
        if let Some(trace) = &mut outcome.trace {
            trace.ms = self.ticks.nanos().saturating_sub(began) as f64 / 1_000_000.0;
            trace.handoff = outcome.handoff.as_ref().map(|handoff| handoff.reason.clone());
        }
        let before = turn.session.and_then(|session| session.state.proposal.as_ref());
        agents::close_proposal(before, outcome.state.proposal.as_mut(), context.used_consent);
        let asked = std::mem::take(&mut context.asked);
        let mut commit = self.committed(turn, version, outcome, context.used, &asked);
        let untouched = !context.has_acted && turn.work.open_turn.is_none();
        commit.carry = untouched.then(|| turn.work.conversation.clone());
        Ok(commit)
    }

    fn committed(
        &self,
        turn: &Turn<'_>,
        agent_version: String,
        outcome: Outcome,
        used: Vec<domain::ToolUse>,
        asked: &Asked,
    ) -> TurnCommit {
        let mut entries = turn.entries();
        // The turn's understanding is recorded with the first message.
        if let Some(first) = entries.first_mut() {
            (first.intent, first.confidence) = outcome.intent.unzip();
            first.trace = outcome.trace;
        }
        let kind = turn.outlet.channel.kind;
        let mut replies = Vec::new();
        let mut outbound = Vec::new();
        for reply in outcome.replies {
            let Reply { text, priority, approved, options } = reply;
            let shown = offered(kind, &text, &options);
            let id = OutboundId(self.ids.next());
            let author = Author::Bot;
            replies.push(TurnEntry {
                outbound: Some(id),
                ..TurnEntry::said(turn.open.turn, Role::Assistant, shown.seen)
            });
            let (text, options) = (shown.text, shown.options);
            outbound.push(NewOutbound { id, author, priority, text, approved, options });
        }
        // Tools without a word of reply still leave their line in the trail.
        if !used.is_empty() && replies.is_empty() {
            replies.push(TurnEntry::said(turn.open.turn, Role::System, "tools called"));
        }
        if let Some(first) = replies.first_mut() {
            first.tools = used;
        }
        let heard = entries.len();
        entries.extend(replies);
        count_tokens(&mut entries, heard, asked);
        let status = match outcome.handoff {
            Some(_) => SessionStatus::HandedOff,
            None => outcome.status,
        };
        let mut commit = turn.commit(self.now());
        let mut state = outcome.state;
        if let Some(proposal) = &mut state.proposal
            && proposal.turn == turn.open.turn
        {
            proposal.shown_at = commit.now;
            proposal.messages = outbound.iter().map(|message| message.id).collect();
        }
        commit.session = Some(SessionWrite {
            mode: outcome.mode,
            state,
            status,
            agent_version,
            ..self.session_write(turn)
        });
        commit.entries = entries;
        commit.outbound = outbound;
        commit.drafted |= asked.drafted;
        commit.arm = outcome.arm.into_iter().map(|arm| (TimerId(self.ids.next()), arm)).collect();
        commit.cancel = outcome.cancel;
        if let Some(handoff) = outcome.handoff {
            self.hand_off(&mut commit, handoff);
        }
        commit
    }

    /// The session as it stands, or a new one.
    pub(crate) fn session_write(&self, turn: &Turn<'_>) -> SessionWrite {
        if let Some(session) = turn.session {
            return SessionWrite {
                id: session.id,
                read_version: Some(session.version),
                read_status: session.status,
                read_mode: session.mode.clone(),
                agent: session.agent.clone(),
                agent_version: session.agent_version.clone(),
                status: session.status,
                mode: session.mode.clone(),
                state: session.state.clone(),
                opened_at: session.created_at,
                closes: None,
            };
        }
        // Not later than the timers its first turn arms, which are its own.
        let begins = self.connected.new_session(turn.session_id, turn.outlet, turn.open.started_at);
        SessionWrite { closes: turn.work.session.as_ref().map(|session| session.id), ..begins }
    }
}

/// The messages at the head, answered together; or one other event.
fn pick(waiting: &[Event], max_messages: usize) -> Vec<Event> {
    let is_message = |event: &&Event| matches!(event.kind, EventKind::Message(_));
    let messages = waiting.iter().take_while(is_message).take(max_messages).count();
    waiting[..messages.max(1).min(waiting.len())].to_vec()
}

impl Turn<'_> {
    /// A session goes on while its window is open and its agent is still the channel's.
    fn continues(&self, session: &Session) -> bool {
        if session.agent != self.outlet.channel.agent {
            return false;
        }
        match (self.wrote_at(), self.work.conversation.last_customer_message_at) {
            (Some(wrote_at), before) => rules::continues(wrote_at, before),
            (None, _) => true,
        }
    }

    /// When the newest message came that the customer wrote.
    pub(crate) fn wrote_at(&self) -> Option<Timestamp> {
        newest_message(&self.events)
    }

    /// Why its timer must be dropped instead of fired, if it must.
    fn stale(&self) -> Option<&'static str> {
        let [Event { kind: EventKind::Timer(timer), .. }] = self.events.as_slice() else {
            return None;
        };
        let conversation = &self.work.conversation;
        let began = self.session.map(|session| session.created_at);
        let wrote_at = self.work.newest_message_at.max(conversation.last_customer_message_at);
        rules::dropped(timer, conversation.owner, began, wrote_at)
    }

    pub(crate) fn skip(&self, now: Timestamp, reason: &str) -> TurnCommit {
        let mut commit = self.commit(now);
        let timers = std::mem::take(&mut commit.fired);
        commit.skipped = timers.into_iter().map(|timer| (timer, reason.to_owned())).collect();
        counter!("recado_timers_skipped_total").increment(1);
        commit
    }

    fn input(&self, agent: &dyn Agent) -> TurnInput {
        let session = self.session;
        TurnInput {
            events: self.events.clone(),
            contact: self.work.conversation.contact.clone(),
            mode: session.map_or(agent.initial_mode(), |session| &session.mode).to_owned(),
            state: session.map(|session| session.state.clone()).unwrap_or_default(),
            previous: match session {
                Some(_) => None,
                None => self.work.session.clone(),
            },
            consent: self.consent,
        }
    }

    /// Whether an earlier run may have left something behind, such as a draft.
    fn was_begun(&self) -> bool {
        let attempts = self.work.attempts;
        self.work.open_turn.is_some() || attempts.failed > 0 || attempts.crashed > 0
    }

    /// The incoming events, as the audit trail keeps them.
    pub(crate) fn entries(&self) -> Vec<TurnEntry> {
        let entry = |event: &Event| {
            let (role, content) = rules::line(event);
            TurnEntry::said(self.open.turn, role, content)
        };
        self.events.iter().map(entry).collect()
    }

    /// A commit that closes the events and does nothing else.
    pub(crate) fn commit(&self, now: Timestamp) -> TurnCommit {
        let is_timer = |event: &&Event| matches!(event.kind, EventKind::Timer(_));
        let (timers, others): (Vec<_>, Vec<_>) = self.events.iter().partition(is_timer);
        TurnCommit {
            lease: self.work.lease,
            turn: self.open.turn,
            began_at: self.open.started_at,
            now,
            read_epoch: self.work.conversation.epoch,
            carry: None,
            session: None,
            handled: others.iter().map(|event| EventId(event.id.0)).collect(),
            fired: timers.iter().map(|event| TimerId(event.id.0)).collect(),
            skipped: Vec::new(),
            set_aside: None,
            customer_wrote_at: self.wrote_at(),
            entries: Vec::new(),
            outbound: Vec::new(),
            delivers_by_commit: self.outlet.channel.kind.delivers_by_commit(),
            drafted: self.was_begun(),
            arm: Vec::new(),
            cancel: Vec::new(),
            handoff: None,
            notice: None,
        }
    }
}

/// Tokens stand with what they were spent on: reading the message, or answering it.
fn count_tokens(entries: &mut [TurnEntry], heard: usize, asked: &Asked) {
    for (component, tokens) in &asked.by_component {
        let answers = component != "detector" && entries.len() > heard;
        let place = if answers { heard } else { 0 };
        if let Some(entry) = entries.get_mut(place) {
            let tokens = u32::try_from(*tokens).unwrap_or(u32::MAX);
            entry.tokens_used = entry.tokens_used.saturating_add(tokens);
        }
    }
}

fn newest_message(events: &[Event]) -> Option<Timestamp> {
    let written = events.iter().filter(|event| match &event.kind {
        EventKind::Message(content) => content.is_written(),
        _ => false,
    });
    written.map(|event| event.at).max()
}
