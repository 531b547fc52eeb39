//! `modify_order`: other quantities for an order, with its units and its total.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use domain::{Item, Order, OrderLine, Terms};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};

use super::hold::{Held, units};
use super::{changeable, terms};
use crate::number::{OrderNumber, order_code};
use crate::{MOST_LINES, NeedsYes, Request, view};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Modify {
    /// The last one if left out.
    number: Option<OrderNumber>,
    /// Variants that are not named here stay as they are.
    #[schemars(length(min = 1, max = 50))]
    lines: Vec<Wanted>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// The code of the variant.
    #[schemars(length(min = 1, max = 64))]
    sku: String,
    /// How many units there are to be; 0 takes the variant out.
    #[schemars(range(min = 0, max = 999))]
    quantity: u32,
}

#[async_trait]
impl Deed for Request<Modify> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut order = self.changed(records).await?;
        order.updated_at = records.now();
        let skus = order.lines.iter().map(|line| line.product.as_str());
        let mut held = Held::lock(records, order.id, skus).await?;
        held.become_units(units(&order.lines))?;
        records.put_order(&order).await?;
        held.put(records).await?;
        view::order(&order)
    }
}

/// The customer agrees to the order as it will be.
#[async_trait]
impl NeedsYes for Request<Modify> {
    async fn terms(&self, records: &mut dyn Records) -> Result<Option<Terms>, DeedError> {
        let order = self.changed(records).await?;
        Ok(Some(terms(&order, &json!(["modify_order", order.id]))))
    }
}

impl Request<Modify> {
    /// The order as it would be; nothing is written.
    async fn changed(&self, records: &mut dyn Records) -> Result<Order, DeedError> {
        let Modify { number, lines } = &self.input;
        let named: BTreeSet<_> = lines.iter().map(|line| &line.sku).collect();
        if named.len() < lines.len() {
            return DeedError::refused("a variant is named twice: say its quantity once");
        }
        let mut order = changeable(records, self.caller.contact, *number).await?;
        if !order.status.holds_stock() {
            let (code, status) = (order_code(order.number), order.status.as_str());
            return DeedError::refused(format!("{code} is {status}: only a confirmed one changes"));
        }
        let skus: Vec<_> = lines.iter().map(|line| line.sku.clone()).collect();
        let sold = records.items(&skus).await?;
        let sold: BTreeMap<_, _> = sold.into_iter().map(|item| (item.sku.clone(), item)).collect();
        for wanted in lines {
            set(&mut order, wanted, sold.get(&wanted.sku))?;
        }
        whole(&mut order)?;
        Ok(order)
    }
}

/// Sets a line's quantity. Units that were ordered keep the price they were promised for; new ones
/// cost what they cost today.
fn set(order: &mut Order, wanted: &Wanted, item: Option<&Item>) -> Result<(), DeedError> {
    let Wanted { sku, quantity } = wanted;
    let line = order.lines.iter_mut().find(|line| line.product == *sku);
    match (line, item) {
        (Some(line), item) if *quantity <= line.quantity || item.is_some() => {
            line.quantity = *quantity;
        }
        (_, None) => return DeedError::refused(format!("`{sku}` is not sold")),
        (_, Some(_)) if *quantity == 0 => {
            let code = order_code(order.number);
            return DeedError::refused(format!("`{sku}` is not in {code}"));
        }
        (_, Some(item)) if item.price.currency != order.currency => {
            let (currency, code) = (item.price.currency, order_code(order.number));
            return DeedError::refused(format!("`{sku}` is sold in {currency}, not as {code} is"));
        }
        (_, Some(item)) => order.lines.push(OrderLine {
            product: sku.clone(),
            title: item.title(),
            quantity: *quantity,
            unit_price: item.price.amount,
        }),
    }
    Ok(())
}

/// Drops what has no units left, and adds up the rest.
fn whole(order: &mut Order) -> Result<(), DeedError> {
    order.lines.retain(|line| line.quantity > 0);
    if order.lines.is_empty() {
        let code = order_code(order.number);
        return DeedError::refused(format!("nothing of {code} would be left: cancel it instead"));
    }
    if order.lines.len() > MOST_LINES {
        return DeedError::refused(format!("an order has at most {MOST_LINES} lines"));
    }
    let amounts = order.lines.iter().map(|line| (line.quantity, line.unit_price));
    order.total = view::sum(order.currency, amounts)?.amount;
    Ok(())
}
