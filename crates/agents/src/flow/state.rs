//! The state that the flow's graph walks with.

use std::collections::BTreeMap;

use domain::{
    Approved, AskedModel, Confidence, Consent, Handoff, Picked, Proposal, ReplyOption,
    SessionState, Standing, Tier, Timestamp,
};
use graph::Family;
use serde_json::{Map, Value};

use super::memory::Memory;
use super::shop::{Asked, Done};
use super::spec::{DATA, Spec, UNKNOWN};
use crate::Context;
use crate::form::heard::Heard;

/// The graph's state, for as long as one turn borrows the agent and its context.
pub(super) struct FlowState<'a> {
    pub(super) spec: &'a Spec,
    pub(super) context: &'a mut dyn Context,
    pub(super) now: Timestamp,
    /// What the business's profile says of now.
    pub(super) moment: Map<String, Value>,
    pub(super) cause: Cause<'a>,
    pub(super) mode: String,
    /// Whether the mode changed in this turn.
    pub(super) moved: bool,
    /// How often it did.
    pub(super) moves: usize,
    pub(super) data: Map<String, Value>,
    pub(super) memory: Memory,
    /// The rest of the session's state.
    pub(super) session: SessionState,
    /// The goods that were picked from the channel's catalogue.
    pub(super) picked: Vec<Picked>,
    /// The words that were said beside them.
    pub(super) beside: String,
    pub(super) contact_name: Option<&'a str>,
    pub(super) verdict: Verdict,
    pub(super) band: Option<Band>,
    /// What a second look made of it.
    pub(super) second_look: Option<Band>,
    /// Why a person should take over before anything else is done.
    pub(super) escalates: Option<Handoff>,
    pub(super) collected: Collected,
    /// The intents of the choices this message made.
    pub(super) chosen: Vec<String>,
    /// Whether the customer says yes, or no, in words of their own.
    pub(super) accepts: bool,
    pub(super) declines: bool,
    /// The customer's yes to what an earlier turn showed.
    pub(super) consent: Option<Consent>,
    /// What the message asks of the shop.
    pub(super) asked: Asked,
    /// What was done to the cart, whoever did it, and not yet told.
    pub(super) done: Done,
    /// Whether a tool has failed in this turn.
    pub(super) tool_failed: bool,
    /// Whether the turn led to nothing: it asked back, or had no answer.
    pub(super) unresolved: bool,
    /// Whether nothing answered it but the last resort.
    pub(super) unanswered: bool,
    pub(super) replies: Vec<Bubble>,
    pub(super) handoff: Option<Handoff>,
    pub(super) closes: bool,
    /// Whether a model's moves have answered the turn.
    pub(super) settled: bool,
    /// Why a model's answers can no longer be had in this turn.
    pub(super) without_model: Option<String>,
    /// Whether that is because the budget is spent.
    pub(super) spent: bool,
    /// What a model said that was not in the form asked for.
    pub(super) malformed: Option<String>,
    pub(super) notes: Notes,
}

/// What the turn leaves behind for whoever asks why.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) templates: Vec<String>,
    pub(super) rules: Vec<String>,
    pub(super) refused: Vec<String>,
    pub(super) asked: Vec<AskedModel>,
    pub(super) other: Vec<String>,
    pub(super) signals: Option<Value>,
}

/// Why the graph is walked.
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

/// How sure the agent is of what a message means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Band {
    Proceed,
    Reanalyse,
    Clarify,
    HandOff,
}

impl Band {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Proceed => "proceed",
            Self::Reanalyse => "reanalyse",
            Self::Clarify => "clarify",
            Self::HandOff => "handoff",
        }
    }
}

/// What a message is taken to mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Verdict {
    /// Likeliest first.
    pub(super) ranked: Vec<(String, Confidence)>,
    /// What rules settled, in the order it was said: each is answered.
    pub(super) settled: Vec<String>,
    pub(super) tier: Option<Tier>,
    pub(super) reasoning: String,
}

impl Verdict {
    /// By a rule, which is certain.
    pub(super) fn by_rule(intents: Vec<String>) -> Self {
        let ranked = intents.iter().map(|intent| (intent.clone(), Confidence::CERTAIN)).collect();
        Self { ranked, settled: intents, tier: Some(Tier::Rules), reasoning: String::new() }
    }

    pub(super) fn intent(&self) -> &str {
        self.ranked.first().map_or(UNKNOWN, |(intent, _)| intent)
    }

    pub(super) fn confidence(&self) -> f64 {
        self.ranked.first().map_or(0.0, |(_, confidence)| confidence.get())
    }

    /// What is to be answered.
    pub(super) fn intents(&self) -> Vec<String> {
        match self.settled.as_slice() {
            [] => vec![self.intent().to_owned()],
            settled => settled.to_vec(),
        }
    }

    /// Adds what gives data to what else it is.
    pub(super) fn gives_data(&mut self) {
        if self.tier == Some(Tier::Rules) {
            if !self.settled.iter().any(|intent| intent == DATA) {
                self.settled.insert(0, DATA.to_owned());
                self.ranked.insert(0, (DATA.to_owned(), Confidence::CERTAIN));
            }
        } else {
            *self = Self::by_rule(vec![DATA.to_owned()]);
        }
    }
}

/// What a message gave for the fields.
#[derive(Default)]
pub(super) struct Collected {
    /// The fields taken, by name.
    pub(super) taken: Vec<String>,
    /// Whether it was read as data, taken or not.
    pub(super) attempted: bool,
    /// Whether values given before were changed.
    pub(super) corrected: bool,
    /// Whether it completed the minimum.
    pub(super) completes: bool,
    /// What the form says to it: what was noted, what is wrong, what is asked next.
    pub(super) response: Vec<String>,
    pub(super) templates: Vec<String>,
}

/// A message to be sent.
pub(super) struct Bubble {
    pub(super) text: String,
    /// The template it is, if it is one.
    pub(super) template: Option<String>,
    pub(super) approved: Option<Approved>,
    pub(super) options: Vec<ReplyOption>,
}

impl<'a> FlowState<'a> {
    pub(super) fn heard(&self) -> Option<&'a Heard<'a>> {
        match self.cause {
            Cause::Message(heard) => Some(heard),
            _ => None,
        }
    }

    pub(super) fn minimum(&self) -> &'a [String] {
        self.spec.flow.collect.as_ref().map_or(&[], |collect| &collect.minimum)
    }

    /// The needed fields without a value, in their order.
    pub(super) fn missing(&self) -> Vec<&'a str> {
        let lacks = |field: &&String| self.data.get(*field).is_none_or(Value::is_null);
        let at_times = self.spec.flow.collect.as_ref().map(|collect| &collect.minimum_when);
        let at_times = at_times
            .into_iter()
            .flatten()
            .filter(|(_, when)| self.spec.holds(Some(when), &super::facts::BeforeData(self)));
        let needed = self.minimum().iter().chain(at_times.map(|(field, _)| field));
        needed.filter(lacks).map(String::as_str).collect()
    }

    pub(super) fn choices(&self) -> &BTreeMap<String, String> {
        &self.memory.choices
    }

    /// Makes a choice; a summary of another one no longer counts.
    pub(super) fn choose(&mut self, set: &str, value: &str) {
        let before = self.memory.choices.insert(set.to_owned(), value.to_owned());
        if before.as_deref() != Some(value) {
            self.summary_falls();
        }
    }

    /// The tool that the customer agreed to in this turn, while what they agreed to still stands.
    pub(super) fn agreed_to(&self) -> Option<&str> {
        let consent = self.consent?;
        let proposal = self.session.proposal.as_ref()?;
        let same = proposal.turn == consent.shown_in && proposal.is_open();
        same.then_some(proposal.tool.as_str())
    }

    /// A yes is good once.
    pub(super) fn use_consent(&mut self) {
        if let (Some(proposal), Some(consent)) = (&mut self.session.proposal, self.consent) {
            proposal.standing = Standing::Used(consent.given_in);
        }
    }

    /// Whether a summary stands that nothing it said has changed since.
    pub(super) fn summed_up(&self) -> bool {
        self.session.proposal.as_ref().is_some_and(Proposal::is_open)
    }

    /// Whether the yes of this turn has been acted on.
    pub(super) fn has_used_consent(&self) -> bool {
        let used = self.consent.map(|consent| Standing::Used(consent.given_in));
        used.is_some() && self.session.proposal.as_ref().map(|shown| shown.standing) == used
    }

    /// Something that the last summary said has changed, or was not asked about last: no yes is to
    /// it any more.
    pub(super) fn summary_falls(&mut self) {
        if let Some(proposal) = &mut self.session.proposal
            && proposal.is_open()
        {
            proposal.standing = Standing::Fallen;
        }
    }

    /// Notes that a tool failed: once a message, since one message is one wish of the customer's.
    pub(super) fn tool_failed(&mut self) {
        if !self.tool_failed {
            self.tool_failed = true;
            self.memory.errors += 1;
        }
    }

    /// Notes that a tool worked.
    pub(super) fn tool_worked(&mut self) {
        self.memory.errors = 0;
        self.tool_failed = false;
    }

    pub(super) fn said_something(&self) -> bool {
        !self.replies.is_empty()
    }
}

/// The family of states, one for each lifetime a turn borrows for.
pub(super) struct FlowGraph;

impl Family for FlowGraph {
    type State<'a> = FlowState<'a>;
    type Error = std::convert::Infallible;
}
