//! The cart of a session: what it holds, at today's prices.

mod change;
mod repeat;
mod review;

pub(super) use change::{Add, Clear, Remove, SetNotes, Update};
pub(super) use repeat::RepeatLastOrder;
pub(super) use review::{Reviewed, shortage};

use async_trait::async_trait;
use domain::{Cart, Money, Terms};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::{Deed, DeedError, Records};

use super::asked::Asked;
use super::view;
use crate::consent::{self, TermsLine};

/// The sum a cart comes to; an empty cart has none.
pub(super) fn total(cart: &Cart) -> Result<Money, DeedError> {
    match cart.lines.first() {
        Some(first) => {
            let amounts = cart.lines.iter().map(|line| (line.quantity, line.unit_price.amount));
            view::sum(first.unit_price.currency, amounts)
        }
        None => DeedError::refused("the cart is empty"),
    }
}

/// The terms for a customer who agrees to something about this cart.
pub(super) fn terms(cart: &Cart, about: &Value) -> Result<Terms, DeedError> {
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
pub(super) struct Get {}

#[async_trait]
impl Deed for Asked<Get> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        Reviewed::read(records, self.caller.session).await?.view()
    }
}
