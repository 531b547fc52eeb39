//! The cart of a session: what it holds, at today's prices.

mod change;
mod repeat;
mod review;

pub use change::{Add, Clear, Remove, SetNotes, Update};
pub use repeat::RepeatLastOrder;
pub(crate) use review::{Reviewed, shortage};

use async_trait::async_trait;
use domain::{Cart, Money, Terms};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::{Deed, DeedError, Records};

use crate::consent::{self, TermsLine};
use crate::{Request, view};

/// The sum a cart comes to; an empty cart has none.
pub(crate) fn total(cart: &Cart) -> Result<Money, DeedError> {
    match cart.lines.first() {
        Some(first) => {
            let amounts = cart.lines.iter().map(|line| (line.quantity, line.unit_price.amount));
            view::sum(first.unit_price.currency, amounts)
        }
        None => DeedError::refused("the cart is empty"),
    }
}

/// The terms for a customer who agrees to something about this cart.
pub(crate) fn terms(cart: &Cart, about: &Value) -> Result<Terms, DeedError> {
    let total = total(cart)?;
    let titles: Vec<String> = cart.lines.iter().map(review::title).collect();
    let lines = cart.lines.iter().zip(&titles).map(|(line, title)| TermsLine {
        code: &line.sku,
        title,
        quantity: line.quantity,
        unit_price: line.unit_price.amount,
    });
    Ok(consent::terms(lines, total.amount, total.currency, about))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Get {}

#[async_trait]
impl Deed for Request<Get> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        Reviewed::read(records, self.caller.session).await?.view()
    }
}
