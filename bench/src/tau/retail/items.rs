//! Tools that change, exchange or return items of an order.

use async_trait::async_trait;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};

use super::money;
use super::shop::{DELIVERED, Order, PENDING, Shop, Transaction, Variant};

#[derive(Deserialize, JsonSchema)]
pub(super) struct ModifyPendingOrderItems {
    /// With its `#`.
    order_id: String,
    item_ids: Vec<String>,
    /// Of the same product as the item in the same place.
    new_item_ids: Vec<String>,
    /// Pays the difference, or gets it back.
    payment_method_id: String,
}

#[async_trait]
impl Deed for ModifyPendingOrderItems {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut shop = Shop(records);
        let mut order = shop.order(&self.order_id).await?;
        order.must_be(PENDING)?;
        order.must_have(&self.item_ids)?;
        if let Some((item, _)) =
            self.item_ids.iter().zip(&self.new_item_ids).find(|(old, new)| old == new)
        {
            return DeedError::refused(format!("{item} would stay as it is"));
        }
        let chosen = swaps(&mut shop, &mut order, &self.item_ids, &self.new_item_ids).await?;
        let mut user = shop.user(&order.user_id).await?;
        let method = user.method(&self.payment_method_id)?;
        if !method.can_pay(chosen.difference) {
            return DeedError::refused(format!("{} has too little on it", self.payment_method_id));
        }
        method.pay(chosen.difference);
        let paid = if chosen.difference > Decimal::ZERO {
            Transaction::payment(chosen.difference, &self.payment_method_id)
        } else {
            Transaction::refund(-chosen.difference, &self.payment_method_id)
        };
        order.payment_history.push(paid);
        for (old, new) in self.item_ids.iter().zip(&self.new_item_ids) {
            let item = order.item(old)?;
            item.item_id.clone_from(new);
            // The benchmark gives all of them the price and options of the last, and its hashes
            // were made so.
            if let Some(last) = &chosen.last {
                item.price = last.price;
                item.options.clone_from(&last.options);
            }
        }
        "pending (item modified)".clone_into(&mut order.status);
        shop.keep_user(&user).await?;
        shop.keep_order(&order).await
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ExchangeDeliveredOrderItems {
    /// With its `#`.
    order_id: String,
    item_ids: Vec<String>,
    /// Of the same product as the item in the same place.
    new_item_ids: Vec<String>,
    /// Pays the difference, or gets it back.
    payment_method_id: String,
}

#[async_trait]
impl Deed for ExchangeDeliveredOrderItems {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut shop = Shop(records);
        let mut order = shop.order(&self.order_id).await?;
        order.must_be(DELIVERED)?;
        order.must_have(&self.item_ids)?;
        let chosen = swaps(&mut shop, &mut order, &self.item_ids, &self.new_item_ids).await?;
        let mut user = shop.user(&order.user_id).await?;
        if !user.method(&self.payment_method_id)?.can_pay(chosen.difference) {
            return DeedError::refused(format!("{} has too little on it", self.payment_method_id));
        }
        // The difference is paid when the items come back, so nothing is taken now.
        "exchange requested".clone_into(&mut order.status);
        order.note("exchange_items", sorted(&self.item_ids));
        order.note("exchange_new_items", sorted(&self.new_item_ids));
        order.note("exchange_payment_method_id", self.payment_method_id.as_str());
        order.note("exchange_price_difference", number(chosen.difference));
        shop.keep_order(&order).await
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ReturnDeliveredOrderItems {
    /// With its `#`.
    order_id: String,
    item_ids: Vec<String>,
    /// The one the order was paid with, or a gift card.
    payment_method_id: String,
}

#[async_trait]
impl Deed for ReturnDeliveredOrderItems {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut shop = Shop(records);
        let mut order = shop.order(&self.order_id).await?;
        order.must_be(DELIVERED)?;
        order.must_have(&self.item_ids)?;
        let mut user = shop.user(&order.user_id).await?;
        let method = user.method(&self.payment_method_id)?;
        let paid_with = order.payment_history.first().map(|paid| paid.payment_method_id.as_str());
        if !method.is_gift_card() && paid_with != Some(self.payment_method_id.as_str()) {
            return DeedError::refused(format!("it was not paid with {}", self.payment_method_id));
        }
        "return requested".clone_into(&mut order.status);
        order.note("return_items", sorted(&self.item_ids));
        order.note("return_payment_method_id", self.payment_method_id.as_str());
        shop.keep_order(&order).await
    }
}

/// The variants that items are to become, and their difference in price.
struct Swaps {
    difference: Decimal,
    last: Option<Variant>,
}

/// Each new item must be one of the old one's product, and to be had.
async fn swaps(
    shop: &mut Shop<'_>,
    order: &mut Order,
    old: &[String],
    new: &[String],
) -> Result<Swaps, DeedError> {
    if old.len() != new.len() {
        return DeedError::refused(format!("{} items for {}", new.len(), old.len()));
    }
    let mut swaps = Swaps { difference: Decimal::ZERO, last: None };
    for (old, new) in old.iter().zip(new) {
        let item = order.item(old)?;
        let product = shop.product(&item.product_id).await?;
        let Some(variant) = product.variants.get(new).filter(|variant| variant.available) else {
            return DeedError::refused(format!("{} is not to be had as {new}", product.name));
        };
        swaps.difference += variant.price - item.price;
        swaps.last = Some(variant.clone());
    }
    Ok(swaps)
}

fn sorted(ids: &[String]) -> Value {
    let mut ids = ids.to_vec();
    ids.sort();
    json!(ids)
}

fn number(amount: Decimal) -> Value {
    money::serialize(&amount, serde_json::value::Serializer).unwrap_or(Value::Null)
}
