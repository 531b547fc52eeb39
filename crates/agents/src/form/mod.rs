//! The form agent: collects a pack's fields in conversation, one walk of the graph per turn.

mod builder;
mod collect;
mod explain;
pub(crate) mod free_text;
pub(crate) mod heard;
pub(crate) mod memory;
pub(crate) mod names;
mod nodes;
pub(crate) mod prose;
mod read;
mod routers;
pub(crate) mod say;
mod silence;
pub(crate) mod spec;
mod state;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    ArmTimer, Event, EventKind, OperatorEvent, PathStep, SeenIntent, Ticks, TimerCondition,
    Timestamp, TurnTrace,
};
use pack::files::Form;
use pack::{Pack, Source};
use sentences::Sentences;
use serde_json::Value;

use crate::{Agent, AgentError, Context, FIRST_DATA, Outcome, TurnInput, walk};
pub(crate) use collect::{Collected, Message, collect, escalation};
pub use explain::explain;
pub(crate) use nodes::field_type;
pub(crate) use state::Cause;

use builder::{GRAPH, Work};
use heard::Heard;
use memory::{Conversation, Escalated, Talk};
use spec::Spec;
use state::GraphState;

const COLLECTING: &str = "recolectando";
const COMPLETE: &str = "completo";
const ESCALATED: &str = "escalado";

/// As much of a message as is read, in characters: what WhatsApp takes, and far more than any
/// answer. The transcript keeps the rest.
const LONGEST: usize = 4_096;

/// Keys of the form's timers.
const REMINDER: &str = "recordatorio";
const TIMEOUT: &str = "timeout";

pub struct FormAgent {
    name: String,
    spec: Spec,
    source: BTreeMap<String, String>,
    ticks: Arc<dyn Ticks>,
}

impl FormAgent {
    /// Makes a form ready under the name that channels know it by; `source` is what it was read
    /// from, and `ticks` measures how long its nodes take.
    pub fn new(
        name: &str,
        pack: Arc<Pack>,
        form: &Form,
        source: &Source,
        ticks: Arc<dyn Ticks>,
    ) -> Result<Self, AgentError> {
        let source = walk::source(source);
        let spec = Spec::new(pack, form.clone()).map_err(|reason| AgentError { reason })?;
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

    async fn walk(
        &self,
        mut state: GraphState<'_>,
        context: &mut dyn Context,
        input: &TurnInput,
    ) -> Result<Outcome, AgentError> {
        let ticks = || self.ticks.nanos();
        let mut walk = GRAPH.walk_timed(&ticks);
        while let Some(work) = walk.next(|choose| choose(&state))? {
            match work {
                Work::Thinks(work) => work(&mut state),
                Work::Asks(work) => work(&mut state, &mut *context).await,
            }
        }
        self.outcome(state, walk::path(walk.visits()), input)
    }

    fn outcome(
        &self,
        mut state: GraphState<'_>,
        path: Vec<PathStep>,
        input: &TurnInput,
    ) -> Result<Outcome, AgentError> {
        silence::end(&mut state);
        let mut outcome = Outcome::unchanged(&input.mode, &input.state);
        let talk = &state.conversation.talk;
        outcome.mode = match talk {
            Talk { escalated: Some(_), .. } => ESCALATED,
            Talk { completed: true, .. } => COMPLETE,
            _ => COLLECTING,
        }
        .to_owned();
        outcome.handoff = talk.escalated.as_ref().map(Escalated::handoff);
        self.set_timers(&state, &mut outcome);
        if !state.response.is_empty() {
            let text = state.response.join(" ");
            match state.cause {
                Cause::Silence => outcome.remind(text),
                _ => outcome.reply(text),
            }
        }
        outcome.intent = state.metadata.intents.first().cloned();
        let times = note_intent(&mut outcome, state.now);
        outcome.trace = Some(self.trace(&state, path, times));
        outcome.state.sent = state.sent;
        state.conversation.remember(&mut outcome.state)?;
        if !outcome.state.data.is_empty() {
            outcome.state.note(FIRST_DATA, state.now);
        }
        Ok(outcome)
    }

    /// `times` is how often in a row the customer has now meant the same.
    fn trace(&self, state: &GraphState<'_>, path: Vec<PathStep>, times: u32) -> TurnTrace {
        let taken = |field: &usize| {
            let name = &self.spec.fields[*field].name;
            Some((name.clone(), state.conversation.data.get(name)?.clone()))
        };
        TurnTrace {
            path,
            intents: state.metadata.intents.clone(),
            tier: state.metadata.tier,
            rules: state.metadata.rules.clone(),
            templates: state.metadata.templates.clone(),
            fields: state.taken.iter().filter_map(taken).collect(),
            notes: state.metadata.notes.clone(),
            signals: state.heard().and_then(|heard| serde_json::to_value(heard.tone(times)).ok()),
            ..TurnTrace::default()
        }
    }

    /// A nudge after a silence, and the moment at which the form takes too long.
    fn set_timers(&self, state: &GraphState<'_>, outcome: &mut Outcome) {
        let done = state.conversation.talk.completed || outcome.handoff.is_some();
        if done {
            outcome.cancel = vec![REMINDER.to_owned(), TIMEOUT.to_owned()];
            return;
        }
        // A nudge is not followed by another one.
        let spoke = !matches!(state.cause, Cause::Silence | Cause::Deadline);
        if let Some(reminder) = self.spec.form.reminder.as_ref().filter(|_| spoke) {
            outcome.arm.push(ArmTimer {
                key: REMINDER.to_owned(),
                due_at: state.now.plus_ms(reminder.after.ms()),
                condition: TimerCondition::Silence,
                payload: Value::Null,
            });
        }
        let timeout = self.spec.form.escalation.timeout;
        if timeout.enabled && state.conversation.talk.since == Some(state.now) {
            outcome.arm.push(ArmTimer {
                key: TIMEOUT.to_owned(),
                due_at: state.now.plus_ms(timeout.after.ms()),
                condition: TimerCondition::Always,
                payload: Value::Null,
            });
        }
    }
}

/// Adds the turn's intent to those seen; how often in a row it has now been the same.
fn note_intent(outcome: &mut Outcome, now: Timestamp) -> u32 {
    let Some((intent, _)) = &outcome.intent else { return 0 };
    let seen = &mut outcome.state.seen;
    let order = u32::try_from(seen.len() + 1).unwrap_or(u32::MAX);
    seen.push(SeenIntent { intent: intent.clone(), order, timestamp: now });
    // Value after value is how a form goes.
    if intent == "dato" {
        return 0;
    }
    let same = seen.iter().rev().take_while(|one| one.intent == *intent).count();
    u32::try_from(same).unwrap_or(u32::MAX)
}

#[async_trait]
impl Agent for FormAgent {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.spec.pack.manifest.title
    }

    fn sentences(&self) -> &Arc<Sentences> {
        &self.spec.pack.sentences
    }

    fn version(&self) -> &str {
        &self.spec.pack.version
    }

    fn source(&self) -> Option<&BTreeMap<String, String>> {
        Some(&self.source)
    }

    fn initial_mode(&self) -> &str {
        COLLECTING
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let now = context.now();
        let (mut conversation, lost) = Conversation::recall(&input.state);
        let text = words(&input.events);
        let heard = text.as_deref().map(|text| Heard::new(&self.spec, text, now));
        let cause = match &heard {
            Some(heard) => Cause::Message(heard),
            None => cause(&input.events),
        };
        if matches!(cause, Cause::Returned) {
            // A conversation that a person has looked into does not escalate again for what was before.
            conversation.talk.escalated = None;
            conversation.talk.unhappy = 0;
            conversation.talk.since = Some(now);
        }
        conversation.talk.since.get_or_insert(now);
        let mut state = GraphState::new(&self.spec, now, cause, conversation);
        state.contact_name = input.contact.name.as_ref().map(|name| name.reveal().as_str());
        state.sent.clone_from(&input.state.sent);
        state.metadata.notes.extend(lost);
        self.walk(state, context, input).await
    }
}

/// The words of all messages; they came together and are answered together.
pub(crate) fn words(events: &[Event]) -> Option<String> {
    let words = events.iter().filter_map(|event| match &event.kind {
        EventKind::Message(content) => content.words(),
        _ => None,
    });
    let text = words.collect::<Vec<_>>().join("\n");
    let text = as_read(&text);
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// As much of what somebody wrote as is read.
pub(crate) fn as_read(text: &str) -> &str {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// Why the graph is walked when nothing was said.
fn cause(events: &[Event]) -> Cause<'static> {
    match events.first().map(|event| &event.kind) {
        Some(EventKind::Timer(timer)) if timer.key == TIMEOUT => Cause::Deadline,
        Some(EventKind::Timer(_)) => Cause::Silence,
        Some(EventKind::Operator(OperatorEvent::Returned { .. })) => Cause::Returned,
        Some(EventKind::Message(_)) | None => Cause::Unreadable,
    }
}
