//! A customer's own orders: made of the cart, looked at, changed, cancelled.

mod cancel;
mod confirm;
mod hold;
mod modify;

pub use cancel::Cancel;
pub use confirm::Confirm;
pub(crate) use hold::Held;
pub use modify::Modify;

use async_trait::async_trait;
use domain::{ContactId, Order, OrderStatus, Terms};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::{Deed, DeedError, Records};

use crate::consent::{self, TermsLine};
use crate::number::{OrderNumber, order_code};
use crate::{Request, view};

/// The terms for a customer who agrees to something about this order.
pub fn terms(order: &Order, about: &Value) -> Terms {
    let lines = order.lines.iter().map(|line| TermsLine {
        code: &line.product,
        title: &line.title,
        quantity: line.quantity,
        unit_price: line.unit_price,
    });
    consent::terms(lines, order.total, order.currency, about)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Details {
    /// The last one if left out.
    number: Option<OrderNumber>,
}

#[async_trait]
impl Deed for Request<Details> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        view::order(&own(records, self.caller.contact, self.input.number).await?)
    }
}

/// The order of that number, or the last one. Somebody else's is as if there were none.
async fn own(
    records: &mut dyn Records,
    contact: ContactId,
    number: Option<OrderNumber>,
) -> Result<Order, DeedError> {
    let order = match number {
        Some(OrderNumber(number)) => records.order_numbered(number).await?,
        None => match records.orders_of(contact, 1).await?.first() {
            Some(last) => records.order(last.id).await?,
            None => None,
        },
    };
    match (order.filter(|order| order.contact == contact), number) {
        (Some(order), _) => Ok(order),
        (None, Some(OrderNumber(number))) => {
            DeedError::refused(format!("the customer has no order {}", order_code(number)))
        }
        (None, None) => DeedError::refused("the customer has no orders yet"),
    }
}

/// An order that the customer can still change alone.
async fn changeable(
    records: &mut dyn Records,
    contact: ContactId,
    number: Option<OrderNumber>,
) -> Result<Order, DeedError> {
    let order = own(records, contact, number).await?;
    let code = order_code(order.number);
    match order.status {
        status if status.is_processed() => DeedError::refused(format!(
            "order_already_processed: {code} is {} and cannot be changed by the customer",
            status.as_str()
        )),
        OrderStatus::Cancelled => DeedError::refused(format!("{code} was cancelled already")),
        _ => Ok(order),
    }
}
