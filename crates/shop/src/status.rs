//! The acts of operators on orders: a new status, with the fate of the order's units; a payment.

use async_trait::async_trait;
use domain::{Money, Order, OrderStatus, Payment, PaymentId};
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};
use store::{Deed, DeedError, Records};

use crate::number::order_code;
use crate::order::Held;
use crate::view;

/// An order goes on, or is cancelled.
pub struct SetOrderStatus {
    pub number: u32,
    pub status: OrderStatus,
}

/// Money came in for an order, in the order's currency.
pub struct RecordPayment {
    pub number: u32,
    pub amount: Decimal,
    /// How it was paid, such as `mercado_pago`.
    pub method: String,
}

#[async_trait]
impl Deed for SetOrderStatus {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let order = numbered(records, self.number).await?;
        if !order.status.may_become(self.status) {
            let (stands, wanted) = (order.status.as_str(), self.status.as_str());
            let code = order_code(order.number);
            return DeedError::refused(format!("{code} is {stands} and cannot become {wanted}"));
        }
        view::order(&advance(records, order, self.status).await?)
    }
}

/// Gives an order its next status, and the units it holds their end: sold with it, or back on the
/// shelf.
pub async fn advance(
    records: &mut dyn Records,
    mut order: Order,
    status: OrderStatus,
) -> Result<Order, DeedError> {
    let mut held = Held::lock(records, order.id, []).await?;
    match status {
        OrderStatus::Delivered | OrderStatus::Completed => held.sell()?,
        OrderStatus::Cancelled => held.release()?,
        _ => {}
    }
    (order.status, order.updated_at) = (status, records.now());
    records.put_order(&order).await?;
    held.put(records).await?;
    Ok(order)
}

#[async_trait]
impl Deed for RecordPayment {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let order = numbered(records, self.number).await?;
        let code = order_code(order.number);
        if self.amount <= Decimal::ZERO {
            return DeedError::refused("a payment is above zero");
        }
        if self.method.trim().is_empty() {
            return DeedError::refused("say how it was paid");
        }
        if order.status == OrderStatus::Cancelled {
            return DeedError::refused(format!("{code} was cancelled: nothing is paid for it"));
        }
        let payment = Payment {
            id: PaymentId(records.new_id()),
            order: order.id,
            contact: order.contact,
            amount: Money::new(self.amount, order.currency),
            method: self.method.trim().to_owned(),
            at: records.now(),
        };
        records.add_payment(&payment).await?;
        let mut view = Map::new();
        view.insert("payment".to_owned(), json!(payment.id));
        view.insert("code".to_owned(), json!(code));
        view.insert("method".to_owned(), json!(payment.method));
        view::put_money(&mut view, "amount", payment.amount);
        view.insert("currency".to_owned(), json!(order.currency));
        Ok(Value::Object(view))
    }
}

async fn numbered(records: &mut dyn Records, number: u32) -> Result<Order, DeedError> {
    match records.order_numbered(number).await? {
        Some(order) => Ok(order),
        None => DeedError::refused(format!("there is no order {}", order_code(number))),
    }
}
