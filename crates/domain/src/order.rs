//! Orders: the goods and their promised prices, and the status from the customer's yes on.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{ContactId, ConversationId, Currency, OrderId, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderStatus {
    /// Written down, but the customer has not said yes.
    PendingConfirmation,
    Confirmed,
    /// Being prepared.
    Processing,
    Shipped,
    Delivered,
    /// Delivered, paid and over.
    Completed,
    Cancelled,
}

impl OrderStatus {
    pub const ALL: [Self; 7] = [
        Self::PendingConfirmation,
        Self::Confirmed,
        Self::Processing,
        Self::Shipped,
        Self::Delivered,
        Self::Completed,
        Self::Cancelled,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::PendingConfirmation => "pending_confirmation",
            Self::Confirmed => "confirmed",
            Self::Processing => "processing",
            Self::Shipped => "shipped",
            Self::Delivered => "delivered",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Whether an order of this status may be given the other one: an order is confirmed once, goes
    /// forward, may be cancelled until it is shipped, and stays cancelled.
    pub fn may_become(self, next: Self) -> bool {
        match (self, next) {
            (Self::Cancelled, _) => false,
            (Self::PendingConfirmation, next) => matches!(next, Self::Confirmed | Self::Cancelled),
            (from, Self::Cancelled) => matches!(from, Self::Confirmed | Self::Processing),
            (from, next) => (next as u8) > (from as u8),
        }
    }

    /// Whether the shop has begun to work on the order, so that a customer can no longer change it
    /// alone.
    pub fn is_processed(self) -> bool {
        matches!(self, Self::Processing | Self::Shipped | Self::Delivered | Self::Completed)
    }

    /// Whether the customer said yes to the order and nobody cancelled it.
    pub fn counts(self) -> bool {
        !matches!(self, Self::PendingConfirmation | Self::Cancelled)
    }

    /// Whether units are reserved for the order.
    pub fn holds_stock(self) -> bool {
        matches!(self, Self::Confirmed | Self::Processing | Self::Shipped)
    }
}

/// A product of an order, at the promised price.
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
    /// The order's name for people: a count inside its workspace.
    pub number: u32,
    pub contact: ContactId,
    pub conversation: ConversationId,
    pub status: OrderStatus,
    pub lines: Vec<OrderLine>,
    pub currency: Currency,
    pub total: Decimal,
    /// Further data of the order: where to deliver, whom to ask for.
    pub data: Map<String, Value>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;
    use OrderStatus::{
        Cancelled, Completed, Confirmed, Delivered, PendingConfirmation, Processing, Shipped,
    };

    #[test]
    fn an_order_is_confirmed_once_goes_forward_and_never_comes_back_from_cancelled() {
        let wanted: [(OrderStatus, &[OrderStatus]); 7] = [
            (PendingConfirmation, &[Confirmed, Cancelled]),
            (Confirmed, &[Processing, Shipped, Delivered, Completed, Cancelled]),
            (Processing, &[Shipped, Delivered, Completed, Cancelled]),
            (Shipped, &[Delivered, Completed]),
            (Delivered, &[Completed]),
            (Completed, &[]),
            (Cancelled, &[]),
        ];
        for (from, to) in wanted {
            let allowed: Vec<_> =
                OrderStatus::ALL.into_iter().filter(|next| from.may_become(*next)).collect();
            assert_eq!(allowed, to, "{from:?}");
        }
    }

    #[test]
    fn a_status_is_read_as_it_is_written() {
        for status in OrderStatus::ALL {
            assert_eq!(OrderStatus::parse(status.as_str()), Some(status));
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
        }
    }
}
