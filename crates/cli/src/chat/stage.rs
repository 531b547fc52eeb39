//! The engine that a terminal conversation runs on: the real one, on a temporary store.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use anyhow::Result;
use domain::{
    Author, Burst, Channel, ChannelId, ChannelKind, Clock, Content, ConversationId, EventId,
    IdSource, Identity, Inbound, NewOutbound, OutboundId, Owner, Priority, SessionId,
    SessionStatus, SystemIds, Timestamp, VirtualClock, Workspace,
};
use host::{Solo, SoloParts, open_scratch};
use pack::files::Duration;
use runner::Engine;
use serde_json::json;
use store::{GiveBack, Line, Store};
use tempfile::TempDir;

use super::cast::Cast;
use super::show::{OPERATOR, Shown, why};
use crate::exit::Usage;
use crate::ledger;

const VISITOR: &str = "terminal";
/// More lines than one act can add.
const RECENT: u32 = 200;

/// An act of the person at the terminal.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// Messages that are answered together.
    Say(Vec<String>),
    Wait(Duration),
    Take,
    Write(String),
    Return(Option<String>),
}

impl Act {
    pub(super) fn of_operator(text: &str) -> Option<Self> {
        let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
        let rest = rest.trim();
        match verb {
            "take" => Some(Self::Take),
            "say" if !rest.is_empty() => Some(Self::Write(rest.to_owned())),
            "return" => Some(Self::Return((!rest.is_empty()).then(|| rest.to_owned()))),
            _ => None,
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Say(texts) => f.write_str(&texts.join(" / ")),
            Self::Wait(wait) => write!(f, "/wait {wait}"),
            Self::Take => f.write_str("/operator take"),
            Self::Write(text) => write!(f, "/operator say {text}"),
            Self::Return(note) => match note {
                Some(note) => write!(f, "/operator return {note}"),
                None => f.write_str("/operator return"),
            },
        }
    }
}

pub(super) struct Stage {
    store: Arc<dyn Store>,
    engine: Arc<Engine>,
    clock: VirtualClock,
    ids: SystemIds<VirtualClock>,
    channel: Channel,
    workspace: Workspace,
    conversation: Option<ConversationId>,
    /// Where the next look at what was sent begins.
    cursor: i64,
    /// Lines of the transcript that were looked at.
    seen: HashSet<(SessionId, i64)>,
    /// Dropped last: the store lives in it.
    _folder: TempDir,
}

impl Stage {
    pub(super) async fn set(cast: &Cast, began: Timestamp) -> Result<Self> {
        let folder = crate::wiring::temporary_folder()?;
        let store = open_scratch(&folder.path().join("chat.db"))?;
        let clock = VirtualClock::at(began);
        let workspace = Workspace::named("terminal");
        let channel = Channel {
            id: ChannelId("terminal".to_owned()),
            workspace: workspace.id,
            kind: ChannelKind::Webchat,
            agent: cast.agent.name().to_owned(),
            burst: Burst::default(),
        };
        let parts = SoloParts {
            store,
            clock: Arc::new(clock.clone()),
            ids: Arc::new(SystemIds::new(clock.clone())),
            agent: Arc::clone(&cast.agent),
            tools: cast.tools.clone(),
            models: cast.models()?,
            pack: cast.pack.clone(),
        };
        let Solo { store, engine, channel } = Solo::open(&workspace, channel, parts).await?;
        Ok(Self {
            store,
            engine,
            ids: SystemIds::new(clock.clone()),
            clock,
            channel,
            workspace,
            conversation: None,
            cursor: 0,
            seen: HashSet::new(),
            _folder: folder,
        })
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Does it, lets the engine answer, and returns what came of it.
    pub(super) async fn perform(&mut self, act: &Act) -> Result<Vec<Shown>> {
        match act {
            Act::Say(texts) => self.say(texts).await?,
            Act::Wait(wait) => return self.wait(wait.ms()).await,
            Act::Take | Act::Write(_) | Act::Return(_) => self.operate(act).await?,
        }
        self.engine.run_until_idle().await?;
        let (cause, input) = match act {
            Act::Say(texts) => ("message", texts.join("\n")),
            act => ("operator", act.to_string().replace("/operator ", "")),
        };
        Ok(self.look(cause, input).await?.into_iter().collect())
    }

    async fn say(&mut self, texts: &[String]) -> Result<()> {
        let item = |text: &String| Inbound {
            external_id: self.ids.next().to_string(),
            from: Identity::new(VISITOR),
            content: Content::text(domain::storable(text)),
            edits: None,
            sent_at: None,
        };
        let items: Vec<_> = texts.iter().map(item).collect();
        self.engine.intake().ingest(&self.channel.id, items).await?;
        Ok(())
    }

    /// Moves the clock from one due timer to the next, as real time would.
    async fn wait(&mut self, wait_ms: i64) -> Result<Vec<Shown>> {
        let end = self.clock.now().plus_ms(wait_ms);
        let mut turns = Vec::new();
        while let Some(due) = self.store.next_due().await?.filter(|due| *due <= end) {
            self.clock.advance_to(due);
            self.engine.run_until_idle().await?;
            let shown = self.look("timer", String::new()).await?;
            // A timer that no longer applied is no turn.
            turns.extend(
                shown.filter(|shown| !shown.trace.path.is_empty() || !shown.sent.is_empty()),
            );
        }
        self.clock.advance_to(end);
        Ok(turns)
    }

    async fn operate(&mut self, act: &Act) -> Result<()> {
        let id = self.begun().await?;
        let (workspace, now) = (self.workspace.id, self.clock.now());
        match act {
            Act::Take => {
                store::take_over(&*self.store, &self.clock, workspace, id, OPERATOR).await?;
            }
            Act::Return(note) => {
                let event = EventId(self.ids.next());
                let back = GiveBack { note: note.clone(), ..GiveBack::default() };
                self.store.give_back(workspace, id, OPERATOR, back, event, now).await?;
            }
            Act::Write(text) => {
                let message = NewOutbound {
                    id: OutboundId(self.ids.next()),
                    author: Author::Operator,
                    priority: Priority::Operator,
                    text: text.as_str().into(),
                    approved: None,
                    options: Vec::new(),
                };
                self.store.say(workspace, id, OPERATOR, message, true, now).await?;
            }
            Act::Say(_) | Act::Wait(_) => {}
        }
        Ok(())
    }

    async fn known(&mut self) -> Result<Option<ConversationId>> {
        if self.conversation.is_none() {
            let found = self.store.find(self.workspace.id, &self.channel.id, VISITOR).await?;
            self.conversation = found;
        }
        Ok(self.conversation)
    }

    async fn begun(&mut self) -> Result<ConversationId> {
        let nothing = || Usage("nothing was said yet".to_owned());
        Ok(self.known().await?.ok_or_else(nothing)?)
    }

    /// The turns and lines that came since the last look.
    async fn look(&mut self, cause: &'static str, input: String) -> Result<Option<Shown>> {
        let Some(id) = self.known().await? else { return Ok(None) };
        let workspace = self.workspace.id;
        let sent = self.store.sent_after(workspace, id, self.cursor, RECENT).await?;
        self.cursor = sent.last().map_or(self.cursor, |line| line.cursor);
        let lines = self.new_lines(id).await?;
        let session = self.store.session(workspace, id).await?;
        let owner = self.store.get(workspace, id).await?.owner;
        let status = match (&session, owner) {
            (_, Owner::Human) => SessionStatus::HandedOff,
            (Some(session), Owner::Bot) => session.status,
            (None, Owner::Bot) => SessionStatus::Closed,
        };
        Ok(Some(Shown {
            at: self.clock.now(),
            cause,
            input,
            sent,
            mode: session.as_ref().map(|session| session.mode.clone()),
            status,
            fields: session.map(|session| session.state.data).unwrap_or_default(),
            tools: lines.iter().flat_map(|line| line.tools.clone()).collect(),
            trace: lines.into_iter().find_map(|line| line.trace).unwrap_or_default(),
        }))
    }

    async fn new_lines(&mut self, id: ConversationId) -> Result<Vec<Line>> {
        let transcript = self.store.transcript(self.workspace.id, id, RECENT).await?;
        let mut lines = transcript.lines;
        lines.retain(|line| self.seen.insert((line.session, line.number)));
        Ok(lines)
    }

    pub(super) async fn state(&mut self) -> Result<String> {
        let Some(id) = self.known().await? else { return Ok("nothing was said yet".to_owned()) };
        let conversation = self.store.get(self.workspace.id, id).await?;
        let session = self.store.session(self.workspace.id, id).await?;
        let state = json!({ "owner": conversation.owner, "session": session });
        Ok(serde_json::to_string_pretty(&state)?)
    }

    pub(super) async fn why(&mut self) -> Result<String> {
        let lines = match self.known().await? {
            Some(id) => self.store.transcript(self.workspace.id, id, RECENT).await?.lines,
            None => Vec::new(),
        };
        let last = lines.iter().rev().find_map(|line| Some((line.turn, line.trace.as_ref()?)));
        let Some((turn, trace)) = last else { return Ok("nothing was answered yet".to_owned()) };
        let tools = lines.iter().filter(|line| line.turn == turn).flat_map(|line| &line.tools);
        Ok(why(trace, &tools.collect::<Vec<_>>()))
    }

    pub(super) async fn cost(&mut self) -> Result<String> {
        let ledger = match self.known().await? {
            Some(id) => self.store.ledger(self.workspace.id, id, RECENT).await?,
            None => Vec::new(),
        };
        Ok(ledger::in_words(&ledger))
    }

    pub(super) async fn timers(&mut self) -> Result<String> {
        let timers = match self.known().await? {
            Some(id) => self.store.timers(self.workspace.id, id).await?,
            None => Vec::new(),
        };
        if timers.is_empty() {
            return Ok("no timer is armed".to_owned());
        }
        let line = |timer: &domain::Timer| {
            let seconds = timer.due_at.since_ms(self.clock.now()) / 1000;
            format!("{} due {} (in {seconds} s)", timer.key, timer.due_at)
        };
        Ok(timers.iter().map(line).collect::<Vec<_>>().join("\n"))
    }
}
