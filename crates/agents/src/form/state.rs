//! The state that the form's graph walks with, by the names its nodes are specified in.

use std::sync::Arc;

use domain::{Confidence, Tier, Timestamp};
use nlu::Classification;
use pack::files::Field;

use super::heard::Heard;
use super::memory::{Conversation, Correcting, Escalated};
use super::read::{Reading, read};
use super::spec::Spec;

/// The graph's state, for as long as one turn borrows the agent.
pub(crate) struct GraphState<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) now: Timestamp,
    pub(crate) cause: Cause<'a>,
    /// The message's values, read once as answers to the question that was open.
    pub(crate) readings: Arc<[Reading]>,
    pub(crate) conversation: Conversation,
    /// The contact's name as the channel tells it.
    pub(crate) contact_name: Option<&'a str>,
    /// The templates this session has sent, in order.
    pub(crate) sent: Vec<String>,
    pub(crate) should_escalate: bool,
    pub(crate) escalation_reason: Option<Escalated>,
    pub(crate) is_correction: bool,
    /// The fields that the message corrects; a correction without one is asked about.
    pub(crate) correction_fields: Vec<usize>,
    pub(crate) is_off_topic: bool,
    pub(crate) current_field: Option<usize>,
    /// A correction that says which words to replace: the field, and its value with them replaced.
    pub(crate) replaced: Option<(usize, String)>,
    pub(crate) extracted: Vec<Extracted>,
    pub(crate) is_valid: bool,
    pub(crate) taken: Vec<usize>,
    pub(crate) opening: Opening,
    /// The template that answers what was asked beside a value.
    pub(crate) aside: Option<String>,
    pub(crate) response: Vec<String>,
    pub(crate) metadata: Metadata,
}

/// Why the graph is walked.
#[derive(Clone, Copy)]
pub(crate) enum Cause<'a> {
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
pub(crate) struct Extracted {
    pub(crate) field: usize,
    pub(crate) value: Candidate,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Candidate {
    Text(String),
    /// The customer goes without it.
    Without,
}

/// The words that a reply opens with before it asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Opening {
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

/// The understanding of a walk, for the trace.
#[derive(Default)]
pub(crate) struct Metadata {
    pub(crate) intents: Vec<(String, Confidence)>,
    pub(crate) tier: Option<Tier>,
    pub(crate) rules: Vec<String>,
    pub(crate) templates: Vec<String>,
    /// Notes for whoever reads the trace.
    pub(crate) notes: Vec<String>,
    /// The intent by the examples, where they were not sure enough to decide.
    pub(crate) unsure: Option<Classification>,
}

/// An intent less likely than this explains nothing.
const LIKELY: f32 = 0.05;

impl Metadata {
    /// The likeliest intents by the pack's examples.
    pub(crate) fn ranked(&mut self, classification: &Classification) {
        for one in classification.ranked.iter().take(3).filter(|one| one.confidence >= LIKELY) {
            let confidence = f64::from(one.confidence).try_into().unwrap_or(Confidence::NONE);
            self.understood(&one.intent, confidence, Tier::Local);
        }
    }

    pub(crate) fn understood(&mut self, intent: &str, confidence: Confidence, tier: Tier) {
        if !self.intents.iter().any(|(known, _)| known == intent) {
            self.intents.push((intent.to_owned(), confidence));
        }
        self.tier.get_or_insert(tier);
    }

    /// A rule decided it.
    pub(crate) fn by_rule(&mut self, intent: &str) {
        self.understood(intent, Confidence::CERTAIN, Tier::Rules);
    }
}

impl<'a> GraphState<'a> {
    pub(crate) fn new(
        spec: &'a Spec,
        now: Timestamp,
        cause: Cause<'a>,
        conversation: Conversation,
    ) -> Self {
        let mut state = Self {
            now,
            readings: Arc::default(),
            spec,
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

    pub(crate) fn heard(&self) -> Option<&'a Heard<'a>> {
        match self.cause {
            Cause::Message(heard) => Some(heard),
            _ => None,
        }
    }

    /// The first field that is still to be asked for.
    pub(crate) fn missing(&self) -> Option<usize> {
        self.spec.fields.iter().position(|field| self.is_missing(field))
    }

    /// Whether a field has no value yet; one that nothing asks for is never missed.
    pub(crate) fn is_missing(&self, field: &Field) -> bool {
        field.ask.is_some() && !self.conversation.has(&field.name)
    }

    /// The field whose value is asked for next.
    pub(crate) fn asked_for(&self) -> Option<usize> {
        match &self.conversation.talk.correcting {
            Some(Correcting::Field(name)) => self.spec.index_of(name),
            _ => self.missing(),
        }
    }

    /// Everything is collected, nothing waits to be corrected and, where the pack asks for it, the
    /// customer has confirmed.
    pub(crate) fn all_fields_collected(&self) -> bool {
        let talk = &self.conversation.talk;
        let confirmed = self.spec.form.confirm.is_none() || talk.confirmed;
        self.missing().is_none() && talk.correcting.is_none() && confirmed
    }
}
