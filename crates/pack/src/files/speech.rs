//! The acts of speech that a model may do in words of its own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The acts that a model's own words may do. Each has a closed vocabulary of its own.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SpeechAct {
    /// To say hello, welcome and goodbye.
    Greet,
    /// To thank, and to answer thanks.
    Thank,
    /// To be sorry for, to understand how somebody feels, to apologise.
    Sympathise,
    /// The weather, good wishes, a kind word.
    SmallTalk,
    /// To say that something was not understood, and to ask what was meant.
    Clarify,
    /// To ask which product, kind, size or how many.
    AskProduct,
    /// To ask for the fields, in modes that collect them.
    AskData,
    /// To lead back to the order and ask what else is needed.
    Bridge,
    /// To offer that a person takes over.
    OfferPerson,
    /// To say that something is not known, or not in the agent's hands.
    Decline,
    /// To say that the agent is an assistant, and no person.
    Introduce,
}

impl SpeechAct {
    pub const ALL: [Self; 11] = [
        Self::Greet,
        Self::Thank,
        Self::Sympathise,
        Self::SmallTalk,
        Self::Clarify,
        Self::AskProduct,
        Self::AskData,
        Self::Bridge,
        Self::OfferPerson,
        Self::Decline,
        Self::Introduce,
    ];

    /// As packs write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Greet => "greet",
            Self::Thank => "thank",
            Self::Sympathise => "sympathise",
            Self::SmallTalk => "small_talk",
            Self::Clarify => "clarify",
            Self::AskProduct => "ask_product",
            Self::AskData => "ask_data",
            Self::Bridge => "bridge",
            Self::OfferPerson => "offer_person",
            Self::Decline => "decline",
            Self::Introduce => "introduce",
        }
    }
}
