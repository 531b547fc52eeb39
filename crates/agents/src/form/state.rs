//! The state that the form's graph walks with, by the names its nodes are specified in.

use std::sync::Arc;

use domain::{Confidence, Tier, Timestamp};
use graph::Family;
use nlu::Classification;

use super::heard::Heard;
use super::memory::{Conversation, Correcting, Escalated};
use super::read::{Reading, read};
use super::spec::Spec;
use crate::Context;

/// The graph's state, for as long as one turn borrows the agent and its context.
pub(super) struct GraphState<'a> {
    pub(super) spec: &'a Spec,
    pub(super) context: &'a mut dyn Context,
    pub(super) now: Timestamp,
    pub(super) cause: Cause<'a>,
    /// The message's values, read once as answers to the question that was open.
    pub(super) readings: Arc<[Reading]>,
    pub(super) conversation: Conversation,
    /// The contact's name as the channel tells it.
    pub(super) contact_name: Option<&'a str>,
    /// The templates this session has sent, in order.
    pub(super) sent: Vec<String>,
    pub(super) should_escalate: bool,
    pub(super) escalation_reason: Option<Escalated>,
    pub(super) is_correction: bool,
    /// The fields that the message corrects; a correction without one is asked about.
    pub(super) correction_fields: Vec<usize>,
    pub(super) is_off_topic: bool,
    pub(super) current_field: Option<usize>,
    /// A correction that says which words to replace: the field, and its value with them replaced.
    pub(super) replaced: Option<(usize, String)>,
    pub(super) extracted: Vec<Extracted>,
    pub(super) is_valid: bool,
    pub(super) taken: Vec<usize>,
    pub(super) opening: Opening,
    /// The template that answers what was asked beside a value.
    pub(super) aside: Option<String>,
    pub(super) response: Vec<String>,
    pub(super) metadata: Metadata,
}

/// Why the graph is walked.
#[derive(Clone, Copy)]
pub(super) enum Cause<'a> {
    Message(&'a Heard<'a>),
    /// A message without words.
    Unreadable,
    Silence,
    Deadline,
    /// A person gave the conversation back.
    Returned,
}

/// A value for a field, before it is validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extracted {
    pub(super) field: usize,
    pub(super) value: Candidate,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    Text(String),
    /// The customer goes without it.
    Without,
}

/// What the reply has to say before it asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Opening {
    #[default]
    Nothing,
    /// Answers something beside the point, with a template of its own if it has one.
    Redirect(Option<String>),
    /// Explains the field again to a customer who asked.
    Explain,
    Invalid(String),
    WhichField,
    Propose(String),
    Declined,
    Unclear,
}

/// What the walk understood, for the trace.
#[derive(Default)]
pub(super) struct Metadata {
    pub(super) intents: Vec<(String, Confidence)>,
    pub(super) tier: Option<Tier>,
    pub(super) rules: Vec<String>,
    pub(super) templates: Vec<String>,
    /// What the examples made of the message, where they were not sure enough to decide.
    pub(super) unsure: Option<Classification>,
}

/// An intent less likely than this explains nothing.
const LIKELY: f32 = 0.05;

impl Metadata {
    /// The likeliest intents by the pack's examples.
    pub(super) fn ranked(&mut self, classification: &Classification) {
        for one in classification.ranked.iter().take(3).filter(|one| one.confidence >= LIKELY) {
            let confidence = f64::from(one.confidence).try_into().unwrap_or(Confidence::NONE);
            self.understood(&one.intent, confidence, Tier::Local);
        }
    }

    pub(super) fn understood(&mut self, intent: &str, confidence: Confidence, tier: Tier) {
        if !self.intents.iter().any(|(known, _)| known == intent) {
            self.intents.push((intent.to_owned(), confidence));
        }
        self.tier.get_or_insert(tier);
    }

    /// A rule settled it.
    pub(super) fn by_rule(&mut self, intent: &str) {
        self.understood(intent, Confidence::CERTAIN, Tier::Rules);
    }
}

impl<'a> GraphState<'a> {
    pub(super) fn new(
        spec: &'a Spec,
        context: &'a mut dyn Context,
        cause: Cause<'a>,
        conversation: Conversation,
    ) -> Self {
        let mut state = Self {
            now: context.now(),
            readings: Arc::default(),
            spec,
            context,
            cause,
            conversation,
            contact_name: None,
            sent: Vec::new(),
            should_escalate: false,
            escalation_reason: None,
            is_correction: false,
            correction_fields: Vec::new(),
            is_off_topic: false,
            current_field: None,
            replaced: None,
            extracted: Vec::new(),
            is_valid: false,
            taken: Vec::new(),
            opening: Opening::default(),
            aside: None,
            response: Vec::new(),
            metadata: Metadata::default(),
        };
        if let Some(heard) = state.heard() {
            state.readings = read(spec, heard, state.missing()).into();
        }
        state
    }

    pub(super) fn heard(&self) -> Option<&'a Heard<'a>> {
        match self.cause {
            Cause::Message(heard) => Some(heard),
            _ => None,
        }
    }

    /// The first field that is still to be collected.
    pub(super) fn missing(&self) -> Option<usize> {
        self.spec.fields.iter().position(|field| !self.conversation.has(&field.name))
    }

    /// The field whose value is asked for next.
    pub(super) fn asked_for(&self) -> Option<usize> {
        match &self.conversation.talk.correcting {
            Some(Correcting::Field(name)) => self.spec.index_of(name),
            _ => self.missing(),
        }
    }

    /// Everything is collected, nothing waits to be corrected and, where the pack asks for it, the
    /// customer has confirmed.
    pub(super) fn all_fields_collected(&self) -> bool {
        let talk = &self.conversation.talk;
        let confirmed = self.spec.form.confirm.is_none() || talk.confirmed;
        self.missing().is_none() && talk.correcting.is_none() && confirmed
    }
}

/// The family of states, one for each lifetime a turn borrows for.
pub(super) struct FormGraph;

impl Family for FormGraph {
    type State<'a> = GraphState<'a>;
    type Error = std::convert::Infallible;
}
