//! A reading: what a turn's message says, whoever found it out.

use domain::{Confidence, Handoff, Tier};
use pack::program::IntentId;
use serde_json::Value;

use super::shop::Asked;
use crate::form::Collected;

/// The reading of a message.
#[derive(Clone, Default)]
pub(super) struct Reading {
    pub(super) ranking: IntentRanking,
    pub(super) band: Option<Band>,
    /// The band of a second look, if there was one.
    pub(super) second_look: Option<Band>,
    /// Why a person should take over before anything else is done.
    pub(super) escalates: Option<Handoff>,
    /// The values that it gives for the fields.
    pub(super) collected: Collected,
    /// Whether it completed the minimum.
    pub(super) completes: bool,
    /// The choices that it makes.
    pub(super) chosen: Vec<Chosen>,
    /// Whether the customer says yes, or no, in words of their own.
    pub(super) accepts: bool,
    pub(super) declines: bool,
    /// The wishes that it has of the shop.
    pub(super) asked: Asked,
    /// How it was said.
    pub(super) signals: Option<Value>,
}

/// A choice that a message makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) choice: String,
    pub(super) option: String,
    /// The intent that making it is.
    pub(super) intent: IntentId,
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

/// The intents that a message is taken to have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct IntentRanking {
    /// Likeliest first.
    pub(super) ranked: Vec<(IntentId, Confidence)>,
    /// The intents that rules found, in the order they were said: each is answered.
    pub(super) by_rules: Vec<IntentId>,
    pub(super) tier: Option<Tier>,
    pub(super) reasoning: String,
}

impl IntentRanking {
    /// By a rule, which is certain.
    pub(super) fn by_rule(intents: Vec<IntentId>) -> Self {
        let ranked = intents.iter().map(|intent| (*intent, Confidence::CERTAIN)).collect();
        Self { ranked, by_rules: intents, tier: Some(Tier::Rules), reasoning: String::new() }
    }

    pub(super) fn intent(&self) -> IntentId {
        self.ranked.first().map_or(IntentId::UNKNOWN, |(intent, _)| *intent)
    }

    pub(super) fn confidence(&self) -> f64 {
        self.ranked.first().map_or(0.0, |(_, confidence)| confidence.get())
    }

    /// The intents to be answered.
    pub(super) fn intents(&self) -> Vec<IntentId> {
        match self.by_rules.as_slice() {
            [] => vec![self.intent()],
            by_rules => by_rules.to_vec(),
        }
    }

    /// Adds what gives data to what else it is.
    pub(super) fn gives_data(&mut self) {
        if self.tier == Some(Tier::Rules) {
            if !self.by_rules.contains(&IntentId::DATA) {
                self.by_rules.insert(0, IntentId::DATA);
                self.ranked.insert(0, (IntentId::DATA, Confidence::CERTAIN));
            }
        } else {
            *self = Self::by_rule(vec![IntentId::DATA]);
        }
    }
}
