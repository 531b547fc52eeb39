//! The product's words as the API writes them.

use domain::{Author, Cost, DeliveryStatus, Owner, SessionStatus, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An instant as RFC 3339 writes it, in UTC.
pub(super) fn time(at: Timestamp) -> String {
    at.to_string()
}

/// Exact, in US dollars.
pub(super) fn dollars(cost: Cost) -> String {
    format!(
        "{}{}.{:09}",
        if cost.0 < 0 { "-" } else { "" },
        cost.0.abs() / 1_000_000_000,
        cost.0.abs() % 1_000_000_000
    )
}

/// A closed vocabulary of ours, with the same words on the wire.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident of $ours:path { $($word:ident,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub(super) enum $name { $($word,)* }

        impl From<$ours> for $name {
            fn from(ours: $ours) -> Self {
                match ours { $(<$ours>::$word => Self::$word,)* }
            }
        }

        impl From<$name> for $ours {
            fn from(word: $name) -> Self {
                match word { $($name::$word => Self::$word,)* }
            }
        }
    )*};
}

words! {
    /// The acts that a key allows; each role allows all that the roles before it do.
    Role of store::KeyRole { Viewer, Operator, Admin, }
    /// The bot or the person who answers in a conversation.
    OwnerWord of Owner { Bot, Human, }
    /// Where a session stands.
    SessionWord of SessionStatus { Active, Paused, Closed, HandedOff, }
    /// Whose line it is.
    Speaker of domain::Role { User, Assistant, System, }
    /// Whom a message speaks for.
    AuthorWord of Author { Bot, Operator, Engine, }
    /// Where a message is on its way.
    DeliveryWord of DeliveryStatus {
        Queued, Sending, Ambiguous, Sent, Failed, Delivered, Read, Withheld,
    }
    /// How far a handoff has come.
    HandoffWord of domain::HandoffStatus { Pending, Assigned, Resolved, }
    /// The reason of a handoff.
    TriggerWord of domain::Trigger {
        ConsecutiveErrors,
        NegativeSentiment,
        OrderAlreadyProcessed,
        CustomerRequest,
        NotUnderstood,
        Failure,
        Rule,
    }
    /// How far an order has come.
    OrderWord of domain::OrderStatus {
        PendingConfirmation,
        Confirmed,
        Processing,
        Shipped,
        Delivered,
        Completed,
        Cancelled,
    }
    /// The kind of an open question.
    ReconcileWord of store::ReconcileKind { Step, Ambiguous, Undelivered, OutsideWindow, }
    /// A person's ruling: it happened, it did not and is dropped, it is to be sent again.
    ResolutionWord of store::Resolution { Happened, Dropped, Resend, }
    /// The condition that must still hold when a timer fires.
    ConditionWord of domain::TimerCondition { Always, Silence, }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_written_exactly() {
        assert_eq!(dollars(Cost(1_500_000)), "0.001500000");
        assert_eq!(dollars(Cost(12_000_000_001)), "12.000000001");
        assert_eq!(dollars(Cost(-5)), "-0.000000005");
    }

    #[test]
    fn a_word_is_the_one_we_store() {
        for status in DeliveryStatus::ALL {
            let word = serde_json::to_value(DeliveryWord::from(status)).unwrap();
            assert_eq!(word, status.as_str());
        }
        let handed_off = serde_json::to_value(SessionWord::HandedOff).unwrap();
        assert_eq!(handed_off, SessionStatus::HandedOff.as_str());
    }
}
