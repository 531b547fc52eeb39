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
mod perform;
mod plan;
mod previous;
mod reading;
mod say;
mod shop;
mod silence;
mod spec;
#[cfg(test)]
mod tests;
mod thread;
mod timers;
mod turn;
mod understand;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    Basket, Confidence, Event, EventKind, OperatorEvent, PathStep, Picked, SeenIntent,
    SessionStatus, Ticks, Tokens, TurnTrace,
};
use pack::files::Bubbles;
use pack::{FlowSpec, Pack, Source};
use sentences::Sentences;

use crate::form::heard::Heard;
use crate::form::words;
use crate::model::served;
use crate::{Agent, AgentError, Context, Outcome, Reply, TurnInput, walk};
use builder::{GRAPH, Work};
use commerce::Moment;
use memory::Memory;
use perform::perform;
use reading::Reading;
use spec::Spec;
use turn::{Cause, Given, Served, State, Turn};

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

    fn given<'a>(
        &'a self,
        input: &'a TurnInput,
        context: &dyn Context,
        cause: Cause<'a>,
    ) -> Given<'a> {
        let now = context.now();
        let models = &self.spec.pack().manifest.models;
        Given {
            now,
            moment: Moment::new(&self.spec, now),
            cause,
            contact_name: input.contact.name.as_ref().map(|name| name.reveal().as_str()),
            consent: input.consent,
            picked: picked(&input.events),
            beside: words(&without_baskets(&input.events)).unwrap_or_default(),
            served: Served {
                orchestrator: served(models.orchestrator.as_ref(), context).is_some(),
                writer: served(models.writer.as_ref(), context).is_some(),
            },
        }
    }

    fn begin<'a>(&'a self, input: &TurnInput, given: &'a Given<'a>) -> Turn<'a> {
        let (memory, lost) = Memory::recall(&input.state);
        let mode = self.spec.mode_of_session(&input.mode);
        let state = State { mode, session: input.state.clone(), memory };
        let mut turn = Turn::new(&self.spec, given, state);
        turn.notes.other.extend(lost);
        if let Some(previous) = &input.previous {
            previous::take_up(&mut turn, previous);
        }
        let memory = &mut turn.state.memory;
        memory.talk.since.get_or_insert(given.now);
        match given.cause {
            // A conversation that a person has looked into does not escalate again for what was before.
            Cause::Returned { .. } => {
                memory.talk.unhappy = 0;
                memory.talk.since = Some(given.now);
                memory.clarified = 0;
                memory.fired.clear();
            }
            Cause::Message(_) | Cause::Unreadable => memory.fired.clear(),
            _ => {}
        }
        turn
    }

    fn outcome(
        &self,
        mut turn: Turn<'_>,
        path: Vec<PathStep>,
        input: &TurnInput,
    ) -> Result<Outcome, AgentError> {
        silence::end(&mut turn);
        handoff::count(&mut turn);
        consent::keep_open(&mut turn);
        let handoff = handoff::complete(&mut turn);
        let mut outcome = Outcome::unchanged(&turn.mode().name, &input.state);
        outcome.replies = joined(&turn);
        if turn.heard().is_some() {
            outcome.intent = named(&turn).next();
            note_intents(&mut turn);
        }
        let closes = turn.plan.closes();
        outcome.status = if closes { SessionStatus::Closed } else { SessionStatus::Active };
        outcome.handoff = handoff;
        timers::set(&mut turn, &mut outcome);
        outcome.trace = Some(trace(&mut turn, path));
        let Turn { state: State { session, memory, .. }, plan, .. } = turn;
        outcome.state = session;
        outcome.state.sent.extend(plan.templates().cloned());
        memory.remember(&mut outcome.state)?;
        Ok(outcome)
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
fn joined(turn: &Turn<'_>) -> Vec<Reply> {
    let replies = turn.plan.replies().map(|(reply, _)| reply.clone());
    if turn.spec.pack().manifest.bubbles == Bubbles::Many {
        return replies.collect();
    }
    let mut messages: Vec<Reply> = Vec::new();
    let length = |reply: &Reply| reply.text.reveal().chars().count();
    for reply in replies {
        match messages.last_mut() {
            Some(last)
                if last.approved.is_none()
                    && reply.approved.is_none()
                    && last.options.is_empty()
                    && length(last) + length(&reply) < LONGEST =>
            {
                last.text = format!("{}\n\n{}", last.text.reveal(), reply.text.reveal()).into();
                last.options = reply.options;
            }
            _ => messages.push(reply),
        }
    }
    messages
}

/// The intents that the message may have, likeliest first, by name.
fn named(turn: &Turn<'_>) -> impl Iterator<Item = (String, Confidence)> {
    let ranked = turn.reading.ranking.ranked.iter();
    ranked.map(|(intent, sure)| (turn.intent_name(*intent).to_owned(), *sure))
}

/// Adds the turn's intents to those seen.
fn note_intents(turn: &mut Turn<'_>) {
    let seen = &mut turn.state.session.seen;
    let mut order = seen.last().map_or(0, |last| last.order);
    for intent in turn.reading.ranking.intents() {
        order = order.saturating_add(1);
        let intent = turn.spec.flow.intent(intent).name.clone();
        seen.push(SeenIntent { intent, order, timestamp: turn.given.now });
    }
    let over = seen.len().saturating_sub(REMEMBERED);
    seen.drain(..over);
}

fn trace(turn: &mut Turn<'_>, path: Vec<PathStep>) -> TurnTrace {
    let taken = turn.reading.collected.taken.iter();
    let data = &turn.state.session.data;
    let fields = taken.filter_map(|name| Some((name.clone(), data.get(name)?.clone()))).collect();
    let thread = thread::about(turn).map(|about| about.as_str().to_owned());
    let templates = turn.plan.templates().cloned().collect();
    let intents = named(turn).take(4).collect();
    let Reading { ranking, band, signals, .. } = std::mem::take(&mut turn.reading);
    let notes = std::mem::take(&mut turn.notes);
    let mut other = notes.other;
    if !ranking.reasoning.is_empty() {
        other.push(format!("detector: {}", ranking.reasoning));
    }
    TurnTrace {
        path,
        intents,
        band: band.map(|band| band.as_str().to_owned()),
        tier: ranking.tier,
        rules: notes.rules,
        templates,
        fields,
        signals,
        thread,
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

    fn sentences(&self) -> &Arc<Sentences> {
        &self.spec.pack().sentences
    }

    fn version(&self) -> &str {
        &self.spec.pack().version
    }

    fn source(&self) -> Option<&BTreeMap<String, String>> {
        Some(&self.source)
    }

    fn initial_mode(&self) -> &str {
        &self.spec.flow.mode(self.spec.flow.initial).name
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
        let given = self.given(input, context, cause);
        let mut turn = self.begin(input, &given);
        let ticks = || self.ticks.nanos();
        let mut walk = GRAPH.walk_timed(&ticks);
        while let Some(work) = walk.next(|choose| choose(&turn))? {
            match work {
                Work::Thinks(think) => think(&mut turn),
                Work::Decides(decide) => perform(&mut turn, context, decide).await,
                Work::Reads(read) => read(&mut turn, context).await,
            }
        }
        let path = walk::path(walk.visits());
        self.outcome(turn, path, input)
    }
}

impl FlowAgent {
    /// Why the graph is walked when nothing was said.
    fn cause<'a>(&self, events: &'a [Event]) -> Cause<'a> {
        match events.first().map(|event| &event.kind) {
            Some(EventKind::Timer(timer)) => timers::cause(&self.spec, &timer.key),
            Some(EventKind::Operator(OperatorEvent::Returned { mode, message, .. })) => {
                Cause::Returned { mode: mode.as_deref(), message: message.as_deref() }
            }
            Some(EventKind::Message(_)) | None => Cause::Unreadable,
        }
    }
}
