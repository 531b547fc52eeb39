//! Messages on their way out: author, priority, and a delivery status that never falls.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{OutboundId, Pii, Timestamp};

/// The party that a message speaks for; decides whether a takeover withholds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Author {
    Bot,
    Operator,
    /// The engine itself, such as the apology after a failure.
    Engine,
}

impl Author {
    pub const ALL: [Self; 3] = [Self::Bot, Self::Operator, Self::Engine];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bot => "bot",
            Self::Operator => "operator",
            Self::Engine => "engine",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|author| author.as_str() == text)
    }
}

/// The priority: a lower one goes first among the messages waiting in one conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    Operator = 0,
    Reply = 1,
    Proactive = 2,
}

impl Priority {
    pub fn from_rank(rank: i16) -> Self {
        match rank {
            0 => Self::Operator,
            1 => Self::Reply,
            _ => Self::Proactive,
        }
    }

    pub fn rank(self) -> i16 {
        self as i16
    }
}

/// A message's way to the customer. Reports arrive late, twice and out of order, so a status only
/// ever rises; `Failed` and `Withheld` end the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryStatus {
    Queued,
    /// The intent to send is committed; the call may or may not have happened.
    Sending,
    /// The call's outcome is unknown: the message waits for its status report and is never repeated
    /// blindly.
    Ambiguous,
    Sent,
    Failed,
    Delivered,
    Read,
    /// Not sent because a human took the conversation over, or its time had passed.
    Withheld,
}

impl DeliveryStatus {
    pub const ALL: [Self; 8] = [
        Self::Queued,
        Self::Sending,
        Self::Ambiguous,
        Self::Sent,
        Self::Failed,
        Self::Delivered,
        Self::Read,
        Self::Withheld,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sending => "sending",
            Self::Ambiguous => "ambiguous",
            Self::Sent => "sent",
            Self::Failed => "failed",
            Self::Delivered => "delivered",
            Self::Read => "read",
            Self::Withheld => "withheld",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// The stored order: a report is applied only if its rank is higher than the row's.
    pub fn rank(self) -> i16 {
        self as i16
    }

    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Failed | Self::Withheld)
    }

    /// The status after a report of `reported`.
    #[must_use]
    pub fn advanced_by(self, reported: Self) -> Self {
        if self.is_terminal() || reported.rank() <= self.rank() { self } else { reported }
    }
}

/// The message of ours that a provider reports on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The reference that we gave the message.
    Ours(OutboundId),
    /// The provider's own id, from the receipt.
    Theirs(String),
}

/// A provider's report on a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryReport {
    pub reference: Reference,
    pub status: DeliveryStatus,
    pub error: Option<String>,
    /// Whether the message failed because the provider holds the window to be closed.
    pub window_closed: bool,
}

impl DeliveryReport {
    /// A report on a message that did not fail.
    pub fn new(reference: Reference, status: DeliveryStatus) -> Self {
        Self { reference, status, error: None, window_closed: false }
    }
}

/// A template that the channel's operator has approved: outside the window nothing else may be
/// sent, and it is sent instead of the text.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    /// The template's name at the provider.
    pub name: String,
    /// The template's language there, such as `es_CO`.
    pub language: String,
    /// The values of the template's placeholders, in order.
    pub values: Vec<String>,
}

// `Debug` hides the values, because they are the customer's.
impl fmt::Debug for Approved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} with {} values", self.name, self.language, self.values.len())
    }
}

/// An option that the customer may pick in answer to a message: a button if the channel has them,
/// otherwise a numbered line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyOption {
    /// The text that comes back when the option is picked.
    pub id: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A message a turn, an operator or the engine wants sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOutbound {
    pub id: OutboundId,
    pub author: Author,
    pub priority: Priority,
    pub text: Pii,
    /// The template sent in its place once the window has closed.
    pub approved: Option<Approved>,
    /// The options that the channel shows; they are known to fit the channel.
    pub options: Vec<ReplyOption>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outbound {
    pub id: OutboundId,
    pub author: Author,
    pub priority: Priority,
    pub text: Pii,
    pub approved: Option<Approved>,
    pub options: Vec<ReplyOption>,
    pub status: DeliveryStatus,
    pub epoch: i64,
    pub attempts: u32,
    pub next_attempt_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;
    use DeliveryStatus::{Delivered, Failed, Read, Sending, Sent};

    fn permutations(items: &[DeliveryStatus]) -> Vec<Vec<DeliveryStatus>> {
        let Some((first, rest)) = items.split_first() else {
            return vec![vec![]];
        };
        let mut all = Vec::new();
        for shorter in permutations(rest) {
            for place in 0..=shorter.len() {
                let mut longer = shorter.clone();
                longer.insert(place, *first);
                all.push(longer);
            }
        }
        all
    }

    #[test]
    fn in_every_order_of_reports_the_rank_never_falls_and_failed_is_final() {
        for order in permutations(&[Sent, Delivered, Read, Failed, Delivered]) {
            let mut status = Sending;
            for report in &order {
                let next = status.advanced_by(*report);
                assert!(next.rank() >= status.rank(), "{order:?}");
                assert!(status != Failed || next == Failed, "{order:?}");
                status = next;
            }
            assert!(matches!(status, Read | Failed), "{order:?} ended as {status:?}");
        }
    }
}
