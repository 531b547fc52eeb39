//! Failures of calls to a model, in words that the ledger keeps and the retry rules read.

use std::fmt;
use std::time::Duration;

use domain::Usage;
use serde::{Deserialize, Serialize};

/// The most characters of a provider's message that are kept.
const LONGEST_MESSAGE: usize = 300;

/// A failed attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{kind}: {message}")]
pub struct CallFailure {
    pub kind: FailureKind,
    /// The failure in words for a person; holds no secret.
    pub message: String,
    /// The tokens that were paid although the attempt failed.
    #[serde(default)]
    pub usage: Usage,
    /// How long the provider asks to be left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Duration>,
    /// The parameters that the provider refuses, under every name that the error may mean.
    #[serde(skip)]
    pub refuses: Vec<String>,
}

impl CallFailure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        let (usage, message) = (Usage::default(), message.into());
        Self { kind, message, usage, retry_after: None, refuses: Vec::new() }
    }

    #[must_use]
    pub fn paid(self, usage: Usage) -> Self {
        Self { usage, ..self }
    }

    /// Takes a secret out of the message, because providers and proxies repeat keys in their
    /// errors, and then cuts the message short; the other way round would leave half a key at the
    /// cut.
    pub(crate) fn shown_without(mut self, secret: &str) -> Self {
        if !secret.is_empty() {
            self.message = self.message.replace(secret, "***");
        }
        self.message = self.message.chars().take(LONGEST_MESSAGE).collect();
        self
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $word:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum FailureKind {
            $($(#[$doc])* #[serde(rename = $word)] $kind,)*
        }

        impl FailureKind {
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// The stable word that the ledger keeps.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $word,)*
                }
            }
        }
    };
}

kinds! {
    /// Too many requests for now.
    RateLimited = "rate_limited";
    /// The account may spend no more until a person changes that.
    SpendCap = "spend_cap";
    Overloaded = "overloaded";
    /// The provider failed.
    Server = "server";
    Unreachable = "unreachable";
    /// Nothing came back in time.
    TimeoutFirstByte = "timeout_first_byte";
    /// The provider fell silent while it answered.
    TimeoutBetweenEvents = "timeout_between_events";
    /// The answer took too long in all.
    TimeoutTotal = "timeout_total";
    /// The call had less time than usual, because it had waited for the workspace's turn.
    CutShort = "cut_short";
    /// The answer broke off before its end.
    Truncated = "truncated";
    /// The answer is not in the provider's format or does not fit the request's schema.
    Malformed = "malformed";
    /// The answer is longer than is read.
    Oversized = "oversized";
    /// The model refused to answer.
    Refused = "refused";
    /// A whole answer that says nothing.
    Empty = "empty";
    /// The provider does not take the request as it is.
    BadRequest = "bad_request";
    /// The model does not take a parameter, which is left out from now on: the same call, repeated
    /// at once, may well succeed.
    UnsupportedParameter = "unsupported_parameter";
    /// The key is missing, wrong or lacks the right.
    Auth = "auth";
    /// The script has no answer left for this request.
    NoScript = "no_script";
    /// The tape does not hold this exchange.
    NotRecorded = "not_recorded";
    /// No provider serves the model.
    NoModel = "no_model";
    /// The provider failed too often of late and is left alone.
    BreakerOpen = "breaker_open";
    /// The workspace has as many calls under way as it may have.
    Busy = "busy";
}

impl FailureKind {
    /// The kind of a word; a plain `timeout` is one before the first byte.
    pub fn from_word(word: &str) -> Option<Self> {
        if word == "timeout" {
            return Some(Self::TimeoutFirstByte);
        }
        Self::ALL.iter().copied().find(|kind| kind.as_str() == word)
    }

    /// Whether the same request to the same model may well succeed in a moment.
    pub const fn retryable(self) -> bool {
        match self {
            Self::RateLimited
            | Self::Overloaded
            | Self::Server
            | Self::Unreachable
            | Self::TimeoutFirstByte
            | Self::TimeoutBetweenEvents
            | Self::TimeoutTotal
            | Self::Truncated
            | Self::Malformed
            | Self::Empty => true,
            Self::SpendCap
            | Self::CutShort
            | Self::Oversized
            | Self::Refused
            | Self::BadRequest
            | Self::UnsupportedParameter
            | Self::Auth
            | Self::NoScript
            | Self::NotRecorded
            | Self::NoModel
            | Self::BreakerOpen
            | Self::Busy => false,
        }
    }

    /// Whether the failure counts against the provider. A bad answer of a model does not, nor does
    /// time that the workspace itself took.
    pub const fn blames_provider(self) -> bool {
        self.retryable() && !matches!(self, Self::Malformed | Self::Empty)
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_word_that_leads_back_to_it() {
        for &kind in FailureKind::ALL {
            assert_eq!(FailureKind::from_word(kind.as_str()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        assert_eq!(FailureKind::from_word("timeout"), Some(FailureKind::TimeoutFirstByte));
        assert_eq!(FailureKind::from_word("boredom"), None);
    }

    #[test]
    fn a_secret_is_taken_out_whole_before_the_message_is_cut_short() {
        let shown = |message: &str, secret: &str| {
            CallFailure::new(FailureKind::Auth, message).shown_without(secret).message
        };
        assert_eq!(shown("no key", ""), "no key");
        assert_eq!(shown("no key", "key"), "no ***");
        let long = format!("{}sk-secret{}", "ñ".repeat(295), "x".repeat(5_000));
        assert_eq!(shown(&long, "sk-secret"), format!("{}***xx", "ñ".repeat(295)));
    }
}
