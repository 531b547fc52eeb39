//! `cancel_order`: an order ends without its units.

use async_trait::async_trait;
use domain::{OrderStatus, Terms};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};

use super::{changeable, terms};
use crate::number::OrderNumber;
use crate::{NeedsYes, Request, advance, view};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// The last one if left out.
    number: Option<OrderNumber>,
}

#[async_trait]
impl Deed for Request<Cancel> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let order = changeable(records, self.caller.contact, self.input.number).await?;
        view::order(&advance(records, order, OrderStatus::Cancelled).await?)
    }
}

#[async_trait]
impl NeedsYes for Request<Cancel> {
    async fn terms(&self, records: &mut dyn Records) -> Result<Option<Terms>, DeedError> {
        let order = changeable(records, self.caller.contact, self.input.number).await?;
        Ok(Some(terms(&order, &json!(["cancel_order", order.id]))))
    }
}
