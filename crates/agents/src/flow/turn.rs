//! A turn under way: what it was given, what its message says, where the session stands by now, and its
//! plan so far. Turns are values: deciding works on a copy, and nothing in a turn reaches the world.

use std::collections::BTreeMap;

use domain::{
    AskedModel, Consent, ModelReply, Picked, Proposal, SessionState, Standing, Timestamp,
};
use pack::program::{IntentId, Mode, ModeId};
use serde_json::Value;

use super::commerce::Moment;
use super::memory::Memory;
use super::plan::{Decided, Effect, Observed, Outside, Plan};
use super::reading::Reading;
use super::shop::Done;
use super::spec::Spec;
use crate::form::heard::Heard;
use crate::form::memory::Conversation;
use crate::{ModelAsk, ModelError, ToolError};

#[derive(Clone)]
pub(super) struct Turn<'a> {
    pub(super) spec: &'a Spec,
    pub(super) given: &'a Given<'a>,
    pub(super) reading: Reading,
    pub(super) state: State,
    pub(super) plan: Plan,
    pub(super) progress: Progress,
    pub(super) models: Models,
    pub(super) notes: Notes,
    observed: Observations,
}

/// The part of a turn that it is given, and that nothing changes.
pub(super) struct Given<'a> {
    pub(super) now: Timestamp,
    /// The facts of the business's profile at this moment.
    pub(super) moment: Moment<'a>,
    pub(super) cause: Cause<'a>,
    pub(super) contact_name: Option<&'a str>,
    /// The customer's yes to what an earlier turn showed.
    pub(super) consent: Option<Consent>,
    /// The goods that were picked from the channel's catalogue.
    pub(super) picked: Vec<Picked>,
    /// The words that were said beside them.
    pub(super) beside: String,
    pub(super) served: Served,
}

/// Which of the pack's models can be asked.
#[derive(Clone, Copy)]
pub(super) struct Served {
    pub(super) orchestrator: bool,
    pub(super) writer: bool,
}

/// Where a session stands.
#[derive(Clone)]
pub(super) struct State {
    pub(super) mode: ModeId,
    pub(super) session: SessionState,
    /// The session's memory, as this agent knows it.
    pub(super) memory: Memory,
}

/// How the turn goes.
#[derive(Clone, Default)]
pub(super) struct Progress {
    /// The changes of the cart, whoever made them, that were not yet told.
    pub(super) done: Done,
    /// Whether a tool has failed in this turn.
    pub(super) tool_failed: bool,
    /// Whether the turn led to nothing: it asked back, or had no answer.
    pub(super) unresolved: bool,
    /// Whether nothing answered it but the last resort.
    pub(super) unanswered: bool,
    /// Whether a model's moves have answered the turn.
    pub(super) is_decided: bool,
}

/// How models fare in this turn.
#[derive(Clone, Default)]
pub(super) struct Models {
    /// Why their answers can no longer be had.
    pub(super) away: Option<String>,
    /// Whether that is because the budget is spent.
    pub(super) spent: bool,
    /// The words of a model that were not in the form asked for.
    pub(super) malformed: Option<String>,
}

/// The notes that a turn leaves behind for whoever asks why.
#[derive(Clone, Default)]
pub(super) struct Notes {
    pub(super) rules: Vec<String>,
    pub(super) refused: Vec<String>,
    pub(super) asked: Vec<AskedModel>,
    pub(super) other: Vec<String>,
}

/// Why a turn is taken.
#[derive(Clone, Copy)]
pub(super) enum Cause<'a> {
    Message(&'a Heard<'a>),
    /// A message without words.
    Unreadable,
    /// A timer of the flow, by its place.
    Timer(usize),
    /// The flow takes too long.
    Deadline,
    /// A timer that this version of the flow does not have.
    Forgotten,
    /// A person gave the conversation back, perhaps with where to go on and what to say.
    Returned {
        mode: Option<&'a str>,
        message: Option<&'a str>,
    },
}

/// The outcomes observed since deciding began, and how many of them have been taken up.
#[derive(Clone, Default)]
struct Observations {
    all: Vec<Observed>,
    taken: usize,
}

impl<'a> Turn<'a> {
    pub(super) fn new(spec: &'a Spec, given: &'a Given<'a>, state: State) -> Self {
        Self {
            spec,
            given,
            reading: Reading::default(),
            state,
            plan: Plan::default(),
            progress: Progress::default(),
            models: Models::default(),
            notes: Notes::default(),
            observed: Observations::default(),
        }
    }

    pub(super) fn heard(&self) -> Option<&'a Heard<'a>> {
        match self.given.cause {
            Cause::Message(heard) => Some(heard),
            _ => None,
        }
    }

    /// Where the conversation stands.
    pub(super) fn mode(&self) -> &'a Mode {
        self.spec.flow.mode(self.state.mode)
    }

    /// The name of an intent: stored, told to models and written to traces.
    pub(super) fn intent_name(&self, intent: IntentId) -> &'a str {
        &self.spec.flow.intent(intent).name
    }

    pub(super) fn minimum(&self) -> &'a [String] {
        self.spec.flow.collect.as_ref().map_or(&[], |collect| &collect.minimum)
    }

    /// The needed fields without a value, in their order.
    pub(super) fn missing(&self) -> Vec<&'a str> {
        let lacks =
            |field: &&String| self.state.session.data.get(*field).is_none_or(Value::is_null);
        let at_times = self.spec.flow.collect.as_ref().map(|collect| &collect.minimum_when);
        let at_times = at_times
            .into_iter()
            .flatten()
            .filter(|(_, when)| when.holds(&super::facts::BeforeData(self)));
        let needed = self.minimum().iter().chain(at_times.map(|(field, _)| field));
        needed.filter(lacks).map(String::as_str).collect()
    }

    pub(super) fn choices(&self) -> &BTreeMap<String, String> {
        &self.state.session.choices
    }

    /// The templates the session has had, those of this turn among them.
    pub(super) fn sent(&self) -> impl Iterator<Item = &String> {
        self.state.session.sent.iter().chain(self.plan.templates())
    }

    /// Decides on an effect. Later decisions know the state that it leads to.
    pub(super) fn will(&mut self, effect: Effect) {
        let State { mode, session, .. } = &mut self.state;
        match &effect {
            Effect::Go(to) => *mode = *to,
            Effect::Choose { choice, option: Some(option) } => {
                session.choices.insert(choice.clone(), option.clone());
            }
            Effect::Choose { choice, option: None } => {
                session.choices.remove(choice);
            }
            Effect::Save { field, value } => {
                session.data.insert(field.clone(), value.clone());
            }
            Effect::Note(milestone) => session.note(milestone, self.given.now),
            Effect::Say { .. } | Effect::HandOff(_) | Effect::Close => {}
        }
        self.plan.add(effect);
    }

    /// Makes a choice; a summary of another one no longer counts.
    pub(super) fn choose(&mut self, choice: &str, option: &str) {
        if self.choices().get(choice).map(String::as_str) != Some(option) {
            self.summary_falls();
        }
        let (choice, option) = (choice.to_owned(), Some(option.to_owned()));
        self.will(Effect::Choose { choice, option });
    }

    /// The answer of a tool.
    pub(super) fn call(&mut self, tool: &str, input: Value) -> Decided<Result<Value, ToolError>> {
        match self.outside(Outside::Call { tool: tool.to_owned(), input })? {
            Observed::Called(answer) => Ok(answer),
            _ => Ok(Err(ToolError::Interrupted)),
        }
    }

    /// The terms that a call would come to.
    pub(super) fn propose(
        &mut self,
        tool: &str,
        input: Value,
    ) -> Decided<Result<Box<Proposal>, ToolError>> {
        match self.outside(Outside::Propose { tool: tool.to_owned(), input })? {
            Observed::Proposed(proposal) => Ok(proposal),
            _ => Ok(Err(ToolError::Interrupted)),
        }
    }

    /// The answer of a model.
    pub(super) fn ask(&mut self, ask: ModelAsk) -> Decided<Result<ModelReply, ModelError>> {
        match self.outside(Outside::Ask(Box::new(ask)))? {
            Observed::Answered(answer) => Ok(answer),
            _ => Ok(Err(ModelError::Interrupted)),
        }
    }

    /// The outcome of a thing outside, or the end of deciding until it is known. Deciding comes the same
    /// way each time, so that the next observation is this effect's.
    fn outside(&mut self, wanted: Outside) -> Decided<Observed> {
        let Observations { all, taken } = &mut self.observed;
        let Some(observed) = all.get(*taken).cloned() else { return Err(Box::new(wanted)) };
        *taken += 1;
        Ok(observed)
    }

    /// Begins to decide, with what is known of the world.
    pub(super) fn observe(&mut self, all: Vec<Observed>) {
        self.observed = Observations { all, taken: 0 };
    }

    pub(super) fn observed(self) -> Vec<Observed> {
        self.observed.all
    }

    /// Where the collecting of fields stands.
    pub(super) fn conversation(&self) -> Conversation {
        let State { session, memory, .. } = &self.state;
        Conversation { data: session.data.clone(), talk: memory.talk.clone() }
    }

    /// Takes up where the collecting of fields stands now.
    pub(super) fn converse(&mut self, Conversation { data, talk }: Conversation) {
        self.state.session.data = data;
        self.state.memory.talk = talk;
    }

    /// The tool that the customer agreed to in this turn, while what they agreed to still stands.
    pub(super) fn agreed_to(&self) -> Option<&str> {
        let consent = self.given.consent?;
        let proposal = self.state.session.proposal.as_ref()?;
        let same = proposal.turn == consent.shown_in && proposal.is_open();
        same.then_some(proposal.tool.as_str())
    }

    /// A yes is good once.
    pub(super) fn use_consent(&mut self) {
        if let (Some(proposal), Some(consent)) =
            (&mut self.state.session.proposal, self.given.consent)
        {
            proposal.standing = Standing::Used(consent.given_in);
        }
    }

    /// Whether a summary stands that nothing it said has changed since.
    pub(super) fn summed_up(&self) -> bool {
        self.state.session.proposal.as_ref().is_some_and(Proposal::is_open)
    }

    /// Whether the yes of this turn has been acted on.
    pub(super) fn has_used_consent(&self) -> bool {
        let used = self.given.consent.map(|consent| Standing::Used(consent.given_in));
        let shown = self.state.session.proposal.as_ref();
        used.is_some() && shown.map(|shown| shown.standing) == used
    }

    /// Something that the last summary said has changed, or was not asked about last: no yes is to
    /// it any more.
    pub(super) fn summary_falls(&mut self) {
        if let Some(proposal) = &mut self.state.session.proposal
            && proposal.is_open()
        {
            proposal.standing = Standing::Fallen;
        }
    }

    /// Notes that a tool failed: once a message, since one message is one wish of the customer's.
    pub(super) fn tool_failed(&mut self) {
        if !self.progress.tool_failed {
            self.progress.tool_failed = true;
            self.state.memory.errors += 1;
        }
    }

    /// Notes that a tool worked.
    pub(super) fn tool_worked(&mut self) {
        self.state.memory.errors = 0;
        self.progress.tool_failed = false;
    }
}
