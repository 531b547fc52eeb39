//! Tools that cancel an order or change where it goes and how it is paid; and a user's address.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::{Deed, DeedError, Records};

use super::shop::{Address, PENDING, Shop, Transaction};

const REASONS: [&str; 2] = ["no longer needed", "ordered by mistake"];

#[derive(Deserialize, JsonSchema)]
pub(super) struct CancelPendingOrder {
    /// With its `#`.
    order_id: String,
    /// `no longer needed` or `ordered by mistake`.
    reason: String,
}

#[async_trait]
impl Deed for CancelPendingOrder {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut shop = Shop(records);
        let mut order = shop.order(&self.order_id).await?;
        order.must_be(PENDING)?;
        if !REASONS.contains(&self.reason.as_str()) {
            return DeedError::refused(format!("`{}` is no reason to cancel", self.reason));
        }
        let mut user = shop.user(&order.user_id).await?;
        let mut refunds = Vec::new();
        for paid in &order.payment_history {
            user.method(&paid.payment_method_id)?.pay(-paid.amount);
            refunds.push(Transaction::refund(paid.amount, &paid.payment_method_id));
        }
        order.payment_history.extend(refunds);
        "cancelled".clone_into(&mut order.status);
        order.note("cancel_reason", self.reason.as_str());
        shop.keep_user(&user).await?;
        shop.keep_order(&order).await
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ModifyPendingOrderAddress {
    /// With its `#`.
    order_id: String,
    #[serde(flatten)]
    address: Address,
}

#[async_trait]
impl Deed for ModifyPendingOrderAddress {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut shop = Shop(records);
        let mut order = shop.order(&self.order_id).await?;
        order.must_still_be_pending()?;
        order.address = self.address.clone();
        shop.keep_order(&order).await
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ModifyUserAddress {
    user_id: String,
    #[serde(flatten)]
    address: Address,
}

#[async_trait]
impl Deed for ModifyUserAddress {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut shop = Shop(records);
        let mut user = shop.user(&self.user_id).await?;
        user.address = self.address.clone();
        shop.keep_user(&user).await
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ModifyPendingOrderPayment {
    /// With its `#`.
    order_id: String,
    /// Another than the order was paid with.
    payment_method_id: String,
}

#[async_trait]
impl Deed for ModifyPendingOrderPayment {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut shop = Shop(records);
        let mut order = shop.order(&self.order_id).await?;
        order.must_still_be_pending()?;
        let [paid] = order.payment_history.as_slice() else {
            return DeedError::refused("it was not paid at once");
        };
        let (amount, before) = (paid.amount, paid.payment_method_id.clone());
        let now = &self.payment_method_id;
        let mut user = shop.user(&order.user_id).await?;
        if !user.method(now)?.can_pay(amount) {
            return DeedError::refused(format!("{now} has too little on it"));
        }
        if *now == before {
            return DeedError::refused(format!("it was paid with {now}"));
        }
        user.method(now)?.pay(amount);
        user.method(&before)?.pay(-amount);
        order.payment_history.push(Transaction::payment(amount, now));
        order.payment_history.push(Transaction::refund(amount, &before));
        shop.keep_user(&user).await?;
        shop.keep_order(&order).await
    }
}
