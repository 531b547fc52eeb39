//! Signals from the tone of a message: urgency, sentiment and their indicators.

mod tone;

use serde::{Deserialize, Serialize};

use crate::rules::is_everyday;
use crate::{Builtin, Hits, Normalized};

/// The number of turns from which on the repeated intent is an indicator of its own.
const REPEATS: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Urgency {
    Normal,
    Urgent,
    /// Danger to people or property.
    Emergency,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sentiment {
    Positive,
    Neutral,
    Negative,
    Frustrated,
}

/// A sign of urgency or of a sentiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Indicator {
    /// Written in capitals.
    AllCaps,
    /// Three or more exclamation marks.
    Exclamations,
    /// Three or more question marks.
    Questions,
    UrgencyWords,
    EmergencyWords,
    /// The same intent for the third turn or more.
    Repeats,
    Profanity,
    Frustration,
    NegativeWords,
    PositiveWords,
}

impl Indicator {
    fn of_urgency(self) -> bool {
        matches!(
            self,
            Indicator::AllCaps
                | Indicator::Exclamations
                | Indicator::Questions
                | Indicator::UrgencyWords
                | Indicator::Repeats
        )
    }

    /// Whether the indicator counts towards anger. A single one is not enough, because people also
    /// shout for joy.
    fn of_anger(self) -> bool {
        matches!(
            self,
            Indicator::AllCaps
                | Indicator::Exclamations
                | Indicator::Questions
                | Indicator::Repeats
                | Indicator::NegativeWords
        )
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signals {
    pub urgency: Urgency,
    pub sentiment: Sentiment,
    /// In the order of [`Indicator`], each at most once.
    pub indicators: Vec<Indicator>,
}

/// Reads the signals of a message. `hits` are those of rules with the built-in sets that this needs
/// (urgency, emergency, profanity, frustration, correction, negative, positive, thanks); a set that
/// was left out is simply not noticed. `same_intent_times` counts this turn.
pub fn signals(text: &Normalized<'_>, hits: &Hits<'_>, same_intent_times: u32) -> Signals {
    let any = |set: Builtin| hits.any(set.name());
    let positive = any(Builtin::Positive) || any(Builtin::Thanks);
    let noticed = [
        (Indicator::AllCaps, tone::is_shouted(text.original())),
        (Indicator::Exclamations, tone::count(text, '!') >= 3),
        (Indicator::Questions, tone::count(text, '?') >= 3),
        (Indicator::UrgencyWords, any(Builtin::Urgency)),
        (Indicator::EmergencyWords, any(Builtin::Emergency)),
        (Indicator::Repeats, same_intent_times >= REPEATS),
        (Indicator::Profanity, any(Builtin::Profanity)),
        (Indicator::Frustration, any(Builtin::Frustration)),
        (Indicator::NegativeWords, any(Builtin::Negative)),
        (Indicator::PositiveWords, positive),
    ];
    let indicators: Vec<_> =
        noticed.into_iter().filter_map(|(indicator, seen)| seen.then_some(indicator)).collect();
    let swearing = if hits.of(Builtin::Profanity.name()).any(|hit| !is_everyday(hit.rule)) {
        Swearing::Insult
    } else if any(Builtin::Profanity) && !any(Builtin::Correction) {
        Swearing::Aimless
    } else {
        Swearing::Excused
    };
    let sentiment = sentiment(&indicators, swearing);
    Signals { urgency: urgency(&indicators), sentiment, indicators }
}

fn urgency(indicators: &[Indicator]) -> Urgency {
    if indicators.contains(&Indicator::EmergencyWords) {
        return Urgency::Emergency;
    }
    let signs = indicators.iter().filter(|indicator| indicator.of_urgency()).count();
    if signs >= 2 { Urgency::Urgent } else { Urgency::Normal }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Swearing {
    /// No swearing, or swearing at one's own slip.
    Excused,
    /// Everyday swearing, which is anger only together with another sign.
    Aimless,
    /// Swearing at the person spoken to.
    Insult,
}

fn sentiment(indicators: &[Indicator], swearing: Swearing) -> Sentiment {
    let seen = |indicator| indicators.contains(&indicator);
    let pleased = seen(Indicator::PositiveWords) && !seen(Indicator::NegativeWords);
    let angry = indicators.iter().filter(|indicator| indicator.of_anger()).count() >= 2;
    // Exclamation marks go with swearing, so they add nothing to it.
    let swearing = match swearing {
        Swearing::Excused => false,
        Swearing::Aimless => {
            [Indicator::AllCaps, Indicator::Repeats, Indicator::NegativeWords].into_iter().any(seen)
        }
        Swearing::Insult => true,
    };
    if swearing || seen(Indicator::Frustration) || angry && !pleased {
        Sentiment::Frustrated
    } else if seen(Indicator::NegativeWords) {
        Sentiment::Negative
    } else if pleased {
        Sentiment::Positive
    } else {
        Sentiment::Neutral
    }
}
