//! A plan: what is decided to happen, as data. Deciding touches nothing: where it must know what comes of
//! something outside, it stops with that, and is asked again with what was observed.

use domain::{Handoff, ModelReply, Proposal};
use pack::program::ModeId;
use serde_json::Value;

use crate::{ModelAsk, ModelError, Reply, ToolError};

/// A thing that is decided to happen, for which nothing outside need be known.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    /// A message to the customer, and the templates it is made of.
    Say { reply: Reply, templates: Vec<String> },
    /// The flow goes to a mode.
    Go(ModeId),
    /// A choice is made, or taken back where there is no option.
    Choose { choice: String, option: Option<String> },
    /// A field gets a value.
    Save { field: String, value: Value },
    /// The time of a milestone is noted, once.
    Note(String),
    /// A person takes the conversation.
    HandOff(Handoff),
    /// The session ends.
    Close,
}

/// A thing to be done, or found out, outside: its outcome decides what follows.
#[derive(Clone, Debug)]
pub(super) enum Outside {
    Call {
        tool: String,
        input: Value,
    },
    /// Reckons what a call would come to, which asks for the customer's yes to it.
    Propose {
        tool: String,
        input: Value,
    },
    Ask(Box<ModelAsk>),
}

/// The outcome of a thing done outside.
#[derive(Clone, Debug)]
pub(super) enum Observed {
    Called(Result<Value, ToolError>),
    Proposed(Result<Box<Proposal>, ToolError>),
    Answered(Result<ModelReply, ModelError>),
}

/// A decision, or what must be observed before there is one.
pub(super) type Decided<T> = Result<T, Box<Outside>>;

/// The effects of a turn, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    effects: Vec<Effect>,
}

impl Plan {
    pub(super) fn add(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// The messages it sends.
    pub(super) fn replies(&self) -> impl DoubleEndedIterator<Item = (&Reply, &[String])> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Say { reply, templates } => Some((reply, templates.as_slice())),
            _ => None,
        })
    }

    /// The templates it sends.
    pub(super) fn templates(&self) -> impl Iterator<Item = &String> {
        self.replies().flat_map(|(_, templates)| templates)
    }

    pub(super) fn says_something(&self) -> bool {
        self.replies().next().is_some()
    }

    /// How often it goes to another mode.
    pub(super) fn moves(&self) -> usize {
        self.effects.iter().filter(|effect| matches!(effect, Effect::Go(_))).count()
    }

    /// Why it gives the conversation to a person, if it does.
    pub(super) fn handoff(&self) -> Option<&Handoff> {
        self.effects.iter().rev().find_map(|effect| match effect {
            Effect::HandOff(handoff) => Some(handoff),
            _ => None,
        })
    }

    pub(super) fn hands_off(&self) -> bool {
        self.handoff().is_some()
    }

    pub(super) fn closes(&self) -> bool {
        self.effects.iter().any(|effect| matches!(effect, Effect::Close))
    }

    /// Whether nothing can follow.
    pub(super) fn is_over(&self) -> bool {
        self.hands_off() || self.closes()
    }

    /// The plan without its words: all else is done already, or holds whatever is said.
    pub(super) fn without_words(self) -> Self {
        let effects = self.effects.into_iter();
        Self { effects: effects.filter(|effect| !matches!(effect, Effect::Say { .. })).collect() }
    }
}
