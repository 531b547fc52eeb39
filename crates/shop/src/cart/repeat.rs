//! `repeat_last_order`: the last order's lines put into the cart, as far as they are there.

use async_trait::async_trait;
use domain::{Item, OrderLine, OrderStatus};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};

use super::Reviewed;
use crate::number::order_code;
use crate::{MOST_LINES, Request};

/// A customer with more cancelled orders in a row has none to repeat.
const LOOKED_AT: u32 = 20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RepeatLastOrder {}

#[async_trait]
impl Deed for Request<RepeatLastOrder> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let orders = records.orders_of(self.caller.contact, LOOKED_AT).await?;
        let last = orders.into_iter().find(|order| order.status != OrderStatus::Cancelled);
        let Some(last) = last else {
            return DeedError::refused("the customer has no order to repeat");
        };
        let skus: Vec<_> = last.lines.iter().map(|line| line.product.clone()).collect();
        let sold = records.items(&skus).await?;
        let mut reviewed = Reviewed::read(records, self.caller.session).await?;
        let mut missing = Vec::new();
        for line in &last.lines {
            let item = sold.iter().find(|item| item.sku == line.product);
            missing.extend(put(&mut reviewed, line, item));
        }
        let mut view = reviewed.put(records, self.caller.session).await?;
        view["repeated"] = json!(order_code(last.number));
        view["missing"] = json!(missing);
        Ok(view)
    }
}

/// Gives the cart a line of the order, and says what of it could not be had. A line that the cart
/// has already is only raised, so that repeating twice does not double it.
fn put(reviewed: &mut Reviewed, line: &OrderLine, item: Option<&Item>) -> Option<Value> {
    let held = reviewed.quantity(&line.product);
    let full = held == 0 && reviewed.cart.lines.len() == MOST_LINES;
    let there = match item {
        Some(item) if !full && reviewed.fits(item) => item.available.min(line.quantity),
        _ => 0,
    };
    if let Some(item) = item.filter(|_| there > held) {
        reviewed.set(item.clone(), there);
    }
    let added = there.max(held);
    (added < line.quantity).then(|| {
        json!({ "sku": line.product, "title": line.title, "wanted": line.quantity,
                "added": added, "sold": item.is_some() })
    })
}
