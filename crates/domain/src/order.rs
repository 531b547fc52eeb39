//! Orders: what a contact asked for at which price, and how far the customer's yes has come.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{ContactId, ConversationId, Currency, OrderId, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderStatus {
    /// Written down, but the customer has not said yes to it.
    PendingConfirmation,
    Confirmed,
    Cancelled,
}

impl OrderStatus {
    pub const ALL: [Self; 3] = [Self::PendingConfirmation, Self::Confirmed, Self::Cancelled];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::PendingConfirmation => "pending_confirmation",
            Self::Confirmed => "confirmed",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Whether an order of this status may be given the other one: it is confirmed once, may be
    /// cancelled until the end, and what was cancelled stays so.
    pub fn may_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::PendingConfirmation, Self::Confirmed | Self::Cancelled)
                | (Self::Confirmed, Self::Cancelled)
        )
    }
}

/// One product of an order, at the price it was promised for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderLine {
    pub product: String,
    pub title: String,
    pub quantity: u32,
    pub unit_price: Decimal,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Order {
    pub id: OrderId,
    /// What people call it by: counted up inside its workspace.
    pub number: u32,
    pub contact: ContactId,
    pub conversation: ConversationId,
    pub status: OrderStatus,
    pub lines: Vec<OrderLine>,
    pub currency: Currency,
    pub total: Decimal,
    /// What else belongs to it: where to deliver, whom to ask for.
    pub data: Map<String, Value>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;
    use OrderStatus::{Cancelled, Confirmed, PendingConfirmation};

    #[test]
    fn an_order_is_confirmed_once_and_never_comes_back_from_cancelled() {
        let mut allowed = Vec::new();
        for from in OrderStatus::ALL {
            allowed.extend(
                OrderStatus::ALL.iter().filter(|to| from.may_become(**to)).map(|to| (from, *to)),
            );
        }
        let wanted = [
            (PendingConfirmation, Confirmed),
            (PendingConfirmation, Cancelled),
            (Confirmed, Cancelled),
        ];
        assert_eq!(allowed, wanted);
    }

    #[test]
    fn a_status_is_read_as_it_is_written() {
        for status in OrderStatus::ALL {
            assert_eq!(OrderStatus::parse(status.as_str()), Some(status));
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
        }
    }
}
