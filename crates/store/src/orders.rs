//! Orders and stock as operators read them; deeds write them.

use async_trait::async_trait;
use domain::{ContactId, ConversationId, Order, OrderStatus, Stock, WorkspaceId};
use serde::Serialize;

use crate::StoreResult;

/// The orders to list: those that fit every given field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderFilter {
    pub conversation: Option<ConversationId>,
    pub contact: Option<ContactId>,
    pub status: Option<OrderStatus>,
    /// Orders with a smaller number: where the last page ended.
    pub before: Option<u32>,
    pub limit: u32,
}

impl OrderFilter {
    /// The newest of all.
    pub fn newest(limit: u32) -> Self {
        Self { conversation: None, contact: None, status: None, before: None, limit }
    }

    pub fn of_conversation(conversation: ConversationId) -> Self {
        Self { conversation: Some(conversation), ..Self::newest(u32::MAX) }
    }
}

/// The stock of a variant, with the variant's title.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StockLevel {
    #[serde(flatten)]
    pub stock: Stock,
    /// `None` if the variant is no longer in the catalogue.
    pub title: Option<String>,
}

#[async_trait]
pub trait Orders {
    /// The newest first, by number.
    async fn orders(&self, workspace: WorkspaceId, filter: &OrderFilter)
    -> StoreResult<Vec<Order>>;

    async fn order(&self, workspace: WorkspaceId, number: u32) -> StoreResult<Option<Order>>;

    /// Every variant of the catalogue, and every other sku with stock, by sku, after the given one.
    async fn stock_levels(
        &self,
        workspace: WorkspaceId,
        after: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<StockLevel>>;
}
