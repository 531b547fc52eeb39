//! The flow agent: passes through a pack's modes, one walk of the graph per turn; what may happen
//! in each is the pack's to say, and a model only proposes.

mod act;
mod begin;
mod builder;
mod clarify;
mod collect;
mod commerce;
mod consent;
mod decide;
mod detect;
mod facts;
mod handoff;
mod memory;
mod models;
mod moves;
mod nodes;
mod orchestrate;
mod own_words;
mod previous;
mod say;
mod shop;
mod silence;
mod spec;
mod state;
#[cfg(test)]
mod tests;
mod thread;
mod timers;
mod understand;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    Basket, Event, EventKind, PathStep, Picked, SeenIntent, SessionStatus, Statement, Ticks,
    Tokens, TurnTrace,
};
use graph::Trace;
use pack::files::Bubbles;
use pack::{FlowSpec, Pack, Source};
use serde_json::Map;

use crate::form::heard::Heard;
use crate::form::words;
use crate::{Agent, AgentError, Context, Outcome, Reply, TurnInput, walk};
use builder::GRAPH;
use memory::Memory;
use spec::Spec;
use state::{Bubble, Cause, Collected, FlowState, Notes, Verdict};

/// As long as a joined message gets; channels take a little more.
const LONGEST: usize = 3_500;

/// As many intents as a session remembers; older ones are in its turns.
const REMEMBERED: usize = 100;

pub struct FlowAgent {
    name: String,
    spec: Spec,
    source: BTreeMap<String, String>,
    ticks: Arc<dyn Ticks>,
}

impl FlowAgent {
    /// Makes a flow ready under the name that channels know it by; `source` is what it was read
    /// from, and `ticks` measures how long its nodes take.
    pub fn new(
        name: &str,
        pack: Arc<Pack>,
        flow: &FlowSpec,
        source: &Source,
        ticks: Arc<dyn Ticks>,
    ) -> Result<Self, AgentError> {
        let mut spec = Spec::new(pack, flow).map_err(|reason| AgentError { reason })?;
        spec.vocabulary = own_words::vocabulary(&spec, source);
        let source = walk::source(source);
        Ok(Self { name: name.to_owned(), spec, source, ticks })
    }

    /// The nodes a path may have.
    pub fn nodes() -> Vec<&'static str> {
        GRAPH.nodes().collect()
    }

    /// The graph that every turn walks.
    pub fn mermaid() -> String {
        GRAPH.mermaid()
    }

    pub fn svg() -> String {
        GRAPH.svg()
    }

    fn begin<'a>(
        &'a self,
        input: &'a TurnInput,
        context: &'a mut dyn Context,
        cause: Cause<'a>,
    ) -> FlowState<'a> {
        let now = context.now();
        let mut state = FlowState {
            spec: &self.spec,
            now,
            moment: commerce::facts(&self.spec, now),
            cause,
            mode: self.spec.mode(&input.mode).name.clone(),
            moved: false,
            moves: 0,
            data: input.state.datos_capturados.clone(),
            memory: Memory::recall(&input.state),
            session: input.state.clone(),
            picked: picked(&input.events),
            beside: words(&without_baskets(&input.events)).unwrap_or_default(),
            contact_name: input.contact.name.as_ref().map(|name| name.reveal().as_str()),
            verdict: Verdict::default(),
            band: None,
            second_look: None,
            escalates: None,
            collected: Collected::default(),
            chosen: Vec::new(),
            accepts: false,
            declines: false,
            consent: input.consent,
            asked: Default::default(),
            done: Default::default(),
            tool_failed: false,
            unresolved: false,
            unanswered: false,
            replies: Vec::new(),
            handoff: None,
            closes: false,
            settled: false,
            without_model: None,
            spent: false,
            malformed: None,
            notes: Notes::default(),
            context,
        };
        if let Some(previous) = &input.previous {
            previous::take_up(&mut state, previous);
        }
        state.memory.talk.since.get_or_insert(now);
        match cause {
            // What a person has looked into does not escalate again for what was before.
            Cause::Returned { .. } => {
                state.memory.talk.unhappy = 0;
                state.memory.talk.since = Some(now);
                state.memory.clarified = 0;
                state.memory.fired.clear();
            }
            Cause::Message(_) | Cause::Unreadable => state.memory.fired.clear(),
            _ => {}
        }
        state
    }

    fn outcome(&self, mut state: FlowState<'_>, path: Vec<PathStep>, input: &TurnInput) -> Outcome {
        silence::end(&mut state);
        handoff::count(&mut state);
        consent::keep_open(&mut state);
        let handoff = handoff::complete(&mut state);
        let mut outcome = Outcome::unchanged(&state.mode, &input.state);
        let proactive = matches!(state.cause, Cause::Timer(_) | Cause::Deadline);
        let bubbles = std::mem::take(&mut state.replies);
        for bubble in joined(&state, bubbles) {
            let priority =
                if proactive { domain::Priority::Proactive } else { domain::Priority::Reply };
            outcome.replies.push(Reply {
                text: bubble.text.into(),
                priority,
                approved: bubble.approved,
                options: bubble.options,
            });
        }
        if state.heard().is_some() {
            outcome.intent = state.verdict.ranked.first().cloned();
            note_intents(&mut state);
        }
        outcome.status = if state.closes { SessionStatus::Closed } else { SessionStatus::Active };
        outcome.handoff = handoff;
        timers::set(&mut state, &mut outcome);
        outcome.trace = Some(trace(&mut state, path));
        let FlowState { session, data, memory, .. } = state;
        outcome.state = session;
        outcome.state.datos_capturados = data;
        memory.remember(&mut outcome.state);
        outcome
    }
}

fn basket(event: &Event) -> Option<&Basket> {
    match &event.kind {
        EventKind::Message(content) => content.basket(),
        _ => None,
    }
}

fn picked(events: &[Event]) -> Vec<Picked> {
    events.iter().filter_map(basket).flat_map(|basket| basket.items.clone()).collect()
}

fn without_baskets(events: &[Event]) -> Vec<Event> {
    events.iter().filter(|event| basket(event).is_none()).cloned().collect()
}

/// The replies as they leave: each by itself, or as one message.
fn joined(state: &FlowState<'_>, bubbles: Vec<Bubble>) -> Vec<Bubble> {
    if state.spec.pack().manifest.bubbles == Bubbles::Many {
        return bubbles;
    }
    let mut messages: Vec<Bubble> = Vec::new();
    for bubble in bubbles {
        match messages.last_mut() {
            // What goes out as an approved template is that text and no other.
            Some(last)
                if last.approved.is_none()
                    && bubble.approved.is_none()
                    && last.options.is_empty()
                    && last.text.chars().count() + bubble.text.chars().count() < LONGEST =>
            {
                last.text = format!("{}\n\n{}", last.text, bubble.text);
                last.options = bubble.options;
            }
            _ => messages.push(bubble),
        }
    }
    messages
}

/// Adds the turn's intents to those seen.
fn note_intents(state: &mut FlowState<'_>) {
    let seen = &mut state.session.intents_vistos;
    let mut orden = seen.last().map_or(0, |last| last.orden);
    for intent in state.verdict.intents() {
        orden = orden.saturating_add(1);
        seen.push(SeenIntent { intent, orden, timestamp: state.now });
    }
    let over = seen.len().saturating_sub(REMEMBERED);
    seen.drain(..over);
}

fn trace(state: &mut FlowState<'_>, path: Vec<PathStep>) -> TurnTrace {
    let notes = std::mem::take(&mut state.notes);
    let mut other = notes.other;
    if !state.verdict.reasoning.is_empty() {
        other.push(format!("detector: {}", state.verdict.reasoning));
    }
    let taken = state.collected.taken.iter();
    let fields = taken.filter_map(|name| Some((name.clone(), state.data.get(name)?.clone())));
    TurnTrace {
        path,
        intents: state.verdict.ranked.iter().take(4).cloned().collect(),
        band: state.band.map(|band| band.as_str().to_owned()),
        tier: state.verdict.tier,
        rules: notes.rules,
        templates: notes.templates,
        fields: fields.collect::<Map<_, _>>(),
        signals: notes.signals,
        thread: thread::about(state).map(|about| about.as_str().to_owned()),
        notes: other,
        refused: notes.refused,
        tokens: notes.asked.iter().fold(Tokens::default(), |sum, one| sum.plus(one.tokens)),
        asked: notes.asked,
        ..TurnTrace::default()
    }
}

#[async_trait]
impl Agent for FlowAgent {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.spec.pack().manifest.title
    }

    fn locale(&self) -> &str {
        &self.spec.pack().manifest.locale
    }

    fn version(&self) -> &str {
        &self.spec.pack().version
    }

    fn source(&self) -> Option<&BTreeMap<String, String>> {
        Some(&self.source)
    }

    fn initial_mode(&self) -> &str {
        &self.spec.flow.initial
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let text = words(&input.events);
        let now = context.now();
        let heard = text.as_deref().map(|text| Heard::new(&self.spec.fields, text, now));
        let cause = match &heard {
            Some(heard) => Cause::Message(heard),
            None => self.cause(&input.events),
        };
        let mut state = self.begin(input, context, cause);
        let ticks = || self.ticks.nanos();
        let mut trace = Trace::timed(&ticks);
        if let Err(error) = GRAPH.run(&mut state, &mut trace).await {
            return Err(AgentError { reason: error.to_string() });
        }
        let path = walk::path(&trace);
        Ok(self.outcome(state, path, input))
    }
}

impl FlowAgent {
    /// Why the graph is walked when nothing was said.
    fn cause<'a>(&self, events: &'a [Event]) -> Cause<'a> {
        match events.first().map(|event| &event.kind) {
            Some(EventKind::Timer(timer)) => timers::cause(&self.spec, &timer.key),
            Some(EventKind::Operator(Statement::Returned { mode, message, .. })) => {
                Cause::Returned { mode: mode.as_deref(), message: message.as_deref() }
            }
            Some(EventKind::Message(_)) | None => Cause::Unreadable,
        }
    }
}
