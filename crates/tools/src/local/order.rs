//! `crm.order.create` and `crm.order.update`: what the customer orders, and their yes or no to it.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    Caller, ContactId, ConversationId, Currency, Money, MoneyError, Order, OrderId, OrderLine,
    OrderStatus, Terms, ToolError,
};
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use shop::{NeedsYes, TermsLine, advance, order};
use store::{Deed, DeedError, Records, StoreError};

use super::price::Price;
use super::{read, written};
use crate::{LocalTool, Spec};

/// The counter that numbers a workspace's orders; a tool's counters have a name with a stroke in
/// it.
const ORDER_COUNTER: &str = "order";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    #[schemars(length(min = 1, max = 100))]
    lineas: Vec<Line>,
    /// An ISO 4217 code, such as COP.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    moneda: String,
    /// Confirmed only after the customer's explicit yes.
    estado: Option<Begun>,
    /// Other data of the order: where to deliver, whom to ask for.
    datos: Option<Map<String, Value>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Line {
    /// The code of the product.
    #[schemars(length(min = 1, max = 100))]
    producto: String,
    /// The name by which the customer knows the product; its code if left out.
    #[schemars(length(min = 1, max = 200))]
    titulo: Option<String>,
    #[schemars(range(min = 1, max = 999))]
    cantidad: u32,
    precio: Price,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Begun {
    PendingConfirmation,
    Confirmed,
}

pub(crate) struct Create(Spec);

impl Default for Create {
    fn default() -> Self {
        let about = "Writes down an order of the customer who is writing; the total is made from its lines.";
        Self(Spec {
            needs_yes: true,
            engine_given: &["lineas", "moneda", "estado", "datos"],
            ..Spec::of::<Wanted>("crm.order.create", about)
        })
    }
}

impl LocalTool for Create {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn deed(&self, caller: &Caller, input: &Value) -> Result<Arc<dyn Deed>, ToolError> {
        Ok(Arc::new(WriteDown::read(caller, input)?))
    }

    fn needs(
        &self,
        caller: &Caller,
        input: &Value,
    ) -> Result<Option<Arc<dyn NeedsYes>>, ToolError> {
        Ok(Some(Arc::new(WriteDown::read(caller, input)?)))
    }
}

/// A new order.
struct WriteDown {
    contact: ContactId,
    conversation: ConversationId,
    status: OrderStatus,
    lines: Vec<OrderLine>,
    currency: Currency,
    total: Decimal,
    data: Map<String, Value>,
}

impl WriteDown {
    fn read(caller: &Caller, input: &Value) -> Result<Self, ToolError> {
        let Wanted { lineas, moneda, estado, datos } = read(input)?;
        let bad = |reason: String| ToolError::BadInput(reason);
        let currency: Currency =
            moneda.parse().map_err(|error: MoneyError| bad(error.to_string()))?;
        let lines = lineas.into_iter().map(line).collect::<Result<Vec<_>, _>>()?;
        let total =
            total(&lines, currency).ok_or_else(|| bad("the total is too large".to_owned()))?;
        let status = match estado.unwrap_or(Begun::PendingConfirmation) {
            Begun::PendingConfirmation => OrderStatus::PendingConfirmation,
            Begun::Confirmed => OrderStatus::Confirmed,
        };
        Ok(Self {
            contact: caller.contact,
            conversation: caller.conversation,
            status,
            lines,
            currency,
            total,
            data: datos.unwrap_or_default(),
        })
    }
}

/// An order that waits for a yes needs none to be written down; one that is confirmed from the
/// first does.
#[async_trait]
impl NeedsYes for WriteDown {
    async fn terms(&self, _records: &mut dyn Records) -> Result<Option<Terms>, DeedError> {
        if self.status != OrderStatus::Confirmed {
            return Ok(None);
        }
        let lines = self.lines.iter().map(|line| TermsLine {
            code: &line.product,
            title: &line.title,
            quantity: line.quantity,
            unit_price: line.unit_price,
        });
        let about = json!(["crm.order.create", self.data]);
        Ok(Some(shop::terms(lines, self.total, self.currency, &about)))
    }
}

#[async_trait]
impl Deed for WriteDown {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let number = records.take_number(ORDER_COUNTER).await?;
        let out_of_numbers = |_| StoreError::Unusable("there are no more order numbers".to_owned());
        let order = Order {
            id: OrderId(records.new_id()),
            number: u32::try_from(number).map_err(out_of_numbers)?,
            contact: self.contact,
            conversation: self.conversation,
            status: self.status,
            lines: self.lines.clone(),
            currency: self.currency,
            total: self.total,
            data: self.data.clone(),
            created_at: records.now(),
            updated_at: records.now(),
        };
        records.put_order(&order).await?;
        let Order { id, number, status, total, .. } = order;
        Ok(json!({ "order": id, "number": number, "status": status, "total": total.to_string() }))
    }
}

fn line(line: Line) -> Result<OrderLine, ToolError> {
    let product = written("producto", &line.producto)?;
    let title = match line.titulo {
        Some(title) => written("titulo", &title)?,
        None => product.clone(),
    };
    Ok(OrderLine { product, title, quantity: line.cantidad, unit_price: line.precio.0 })
}

fn total(lines: &[OrderLine], currency: Currency) -> Option<Decimal> {
    lines
        .iter()
        .try_fold(Money::new(Decimal::ZERO, currency), |sum, line| {
            sum.checked_add(Money::new(line.unit_price, currency).times(line.quantity)?)
        })
        .ok()
        .map(|total| total.amount)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Decision {
    /// The id of the order.
    #[schemars(with = "String", extend("format" = "uuid"))]
    pedido: OrderId,
    /// Confirmed only after the customer's explicit yes.
    estado: Decided,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Decided {
    Confirmed,
    Cancelled,
}

pub(crate) struct Update(Spec);

impl Default for Update {
    fn default() -> Self {
        let about = "Confirms or cancels an order of the customer who is writing.";
        Self(Spec { needs_yes: true, ..Spec::of::<Decision>("crm.order.update", about) })
    }
}

impl LocalTool for Update {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn deed(&self, caller: &Caller, input: &Value) -> Result<Arc<dyn Deed>, ToolError> {
        Ok(Arc::new(Settle::read(caller, input)?))
    }

    fn needs(
        &self,
        caller: &Caller,
        input: &Value,
    ) -> Result<Option<Arc<dyn NeedsYes>>, ToolError> {
        Ok(Some(Arc::new(Settle::read(caller, input)?)))
    }
}

/// The customer's yes or no to an order of theirs.
struct Settle {
    order: OrderId,
    contact: ContactId,
    status: OrderStatus,
}

impl Settle {
    fn read(caller: &Caller, input: &Value) -> Result<Self, ToolError> {
        let Decision { pedido, estado } = read(input)?;
        let status = match estado {
            Decided::Confirmed => OrderStatus::Confirmed,
            Decided::Cancelled => OrderStatus::Cancelled,
        };
        Ok(Self { order: pedido, contact: caller.contact, status })
    }

    async fn own(&self, records: &mut dyn Records) -> Result<Order, DeedError> {
        let found = records.order(self.order).await?;
        match found.filter(|order| order.contact == self.contact) {
            Some(order) => Ok(order),
            None => DeedError::refused(format!("the contact has no order {}", self.order)),
        }
    }
}

/// An order that nobody has agreed to yet is cancelled without a yes.
#[async_trait]
impl NeedsYes for Settle {
    async fn terms(&self, records: &mut dyn Records) -> Result<Option<Terms>, DeedError> {
        let order = self.own(records).await?;
        let unconfirmed = order.status == OrderStatus::PendingConfirmation;
        if unconfirmed && self.status == OrderStatus::Cancelled {
            return Ok(None);
        }
        let about = json!(["crm.order.update", self.status, order.id, order.data]);
        Ok(Some(order::terms(&order, &about)))
    }
}

#[async_trait]
impl Deed for Settle {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let (id, status) = (self.order, self.status);
        let order = self.own(records).await?;
        if !order.status.may_become(status) {
            let (stands, status) = (order.status.as_str(), status.as_str());
            return DeedError::refused(format!("an order that is {stands} cannot become {status}"));
        }
        let order = advance(records, order, status).await?;
        Ok(json!({ "order": id, "number": order.number, "status": status }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Shop, caller};
    use super::*;
    use domain::{Reservation, Stock};

    async fn created(input: Value) -> Result<Value, String> {
        Shop::new().await.call("crm.order.create", input).await
    }

    #[tokio::test]
    async fn the_total_is_ours_and_exact() {
        let input = json!({
            "lineas": [
                { "producto": "2x", "titulo": "Dos almohadas", "cantidad": 1, "precio": 129900 },
                { "producto": "funda", "cantidad": 3, "precio": 0.1 },
                { "producto": "envio", "cantidad": 999, "precio": "0.0001" },
            ],
            "moneda": "COP",
            "datos": { "direccion": "Calle 5" },
        });
        let line = |product: &str, title: &str, quantity, price: &str| OrderLine {
            product: product.to_owned(),
            title: title.to_owned(),
            quantity,
            unit_price: price.parse().unwrap(),
        };
        let mut shop = Shop::new().await;
        let answer = shop.call("crm.order.create", input).await.unwrap();
        let id: OrderId = serde_json::from_value(answer["order"].clone()).unwrap();
        let status = OrderStatus::PendingConfirmation;
        let expected =
            json!({ "order": id, "number": 1, "status": status, "total": "129900.3999" });
        assert_eq!(answer, expected);
        let expected = Order {
            id,
            number: 1,
            contact: caller().contact,
            conversation: caller().conversation,
            status,
            lines: vec![
                line("2x", "Dos almohadas", 1, "129900"),
                line("funda", "funda", 3, "0.1"),
                line("envio", "envio", 999, "0.0001"),
            ],
            currency: "COP".parse().unwrap(),
            total: "129900.3999".parse().unwrap(),
            data: json!({ "direccion": "Calle 5" }).as_object().unwrap().clone(),
            created_at: shop.records.now(),
            updated_at: shop.records.now(),
        };
        assert_eq!(shop.records.all_orders(), [&expected]);
    }

    #[tokio::test]
    async fn an_order_is_confirmed_only_when_that_is_said() {
        let status = async |estado: Value| {
            let order = json!({
                "lineas": [{ "producto": "a", "cantidad": 1, "precio": 1 }],
                "moneda": "COP",
                "estado": estado,
            });
            created(order).await.ok().map(|answer| answer["status"].clone())
        };
        assert_eq!(status(json!("confirmed")).await, Some(json!("confirmed")));
        let pending = Some(json!("pending_confirmation"));
        assert_eq!(status(json!("pending_confirmation")).await, pending);
        assert_eq!(status(json!(null)).await, pending);
        assert_eq!(status(json!("cancelled")).await, None);
    }

    #[tokio::test]
    async fn an_order_that_makes_no_sense_is_refused() {
        let with = |name: &str, value: Value| {
            let mut line = json!({ "producto": "a", "cantidad": 1, "precio": 1 });
            line[name] = value;
            json!({ "lineas": [line], "moneda": "COP" })
        };
        let one = json!({ "producto": "a", "cantidad": 1, "precio": 1 });
        for input in [
            json!({ "lineas": [], "moneda": "COP" }),
            json!({ "lineas": vec![one.clone(); 101], "moneda": "COP" }),
            json!({ "lineas": [one], "moneda": "pesos" }),
            json!({ "lineas": [one], "moneda": "COP", "total": 1 }),
            json!({ "lineas": [one], "moneda": "COP", "contacto": "otro" }),
            json!({ "lineas": [one], "moneda": "COP", "datos": "Calle 5" }),
            with("cantidad", json!(0)),
            with("cantidad", json!(1000)),
            with("cantidad", json!(1.5)),
            with("cantidad", json!(-1)),
            with("precio", json!(-1)),
            with("precio", json!("-1")),
            with("precio", json!(0.00001)),
            with("precio", json!("1,5")),
            with("precio", json!(1e300)),
            with("precio", json!(null)),
            with("producto", json!("  ")),
            with("titulo", json!("  ")),
            with("descuento", json!(1)),
        ] {
            assert!(created(input.clone()).await.is_err(), "{input}");
        }
    }

    fn order(n: u32, contact: ContactId, status: OrderStatus) -> Order {
        Order {
            id: OrderId(uuid::Uuid::from_u128(n.into())),
            number: n,
            contact,
            conversation: caller().conversation,
            status,
            lines: Vec::new(),
            currency: "COP".parse().unwrap(),
            total: 1.into(),
            data: Map::new(),
            created_at: domain::Timestamp::from_millis(1),
            updated_at: domain::Timestamp::from_millis(1),
        }
    }

    #[tokio::test]
    async fn an_order_moves_only_as_it_may() {
        for from in OrderStatus::ALL {
            for status in [OrderStatus::Confirmed, OrderStatus::Cancelled] {
                let mut shop = Shop::new().await;
                let written = order(7, caller().contact, from);
                shop.records.put_order(&written).await.unwrap();
                shop.records.set_now(domain::Timestamp::from_millis(9));
                let input = json!({ "pedido": written.id, "estado": status });
                let answer = shop.call("crm.order.update", input).await;
                if from.may_become(status) {
                    let expected = json!({ "order": written.id, "number": 7, "status": status });
                    assert_eq!(answer, Ok(expected));
                    let updated_at = domain::Timestamp::from_millis(9);
                    let moved = Order { status, updated_at, ..written };
                    assert_eq!(shop.records.all_orders(), [&moved]);
                } else {
                    let (from, to) = (from.as_str(), status.as_str());
                    let reason = format!("an order that is {from} cannot become {to}");
                    assert_eq!(answer, Err(reason));
                    assert_eq!(shop.records.all_orders(), [&written], "nothing changed");
                }
            }
        }
    }

    #[tokio::test]
    async fn only_a_yes_or_a_no_changes_an_order_and_only_the_callers_own() {
        let mut shop = Shop::new().await;
        let stranger = ContactId(uuid::Uuid::from_u128(99));
        let pending = OrderStatus::PendingConfirmation;
        let (own, other) = (order(7, caller().contact, pending), order(8, stranger, pending));
        shop.records.put_order(&own).await.unwrap();
        shop.records.put_order(&other).await.unwrap();
        let nobodys = OrderId(uuid::Uuid::from_u128(9));
        for id in [other.id, nobodys] {
            let input = json!({ "pedido": id, "estado": "confirmed" });
            let refused = shop.call("crm.order.update", input).await;
            assert_eq!(refused, Err(format!("the contact has no order {id}")));
        }
        for input in [
            json!({ "pedido": own.id, "estado": "pending_confirmation" }),
            json!({ "pedido": "7", "estado": "confirmed" }),
            json!({ "pedido": own.id }),
            json!({ "pedido": own.id, "estado": "confirmed", "contacto": own.id }),
        ] {
            assert!(shop.call("crm.order.update", input.clone()).await.is_err(), "{input}");
        }
        assert_eq!(shop.records.all_orders(), [&own, &other]);
    }

    #[tokio::test]
    async fn a_cancelled_order_gives_back_what_it_holds() {
        let mut shop = Shop::new().await;
        let mut stock = Stock { available: 5, ..Stock::none("coca") };
        assert!(stock.reserve(2));
        shop.records.put_stock(&stock).await.unwrap();
        let written = order(7, caller().contact, OrderStatus::Confirmed);
        shop.records.put_order(&written).await.unwrap();
        let held = Reservation { sku: "coca".to_owned(), quantity: 2 };
        shop.records.put_reservations(written.id, &[held]).await.unwrap();
        let input = json!({ "pedido": written.id, "estado": "cancelled" });
        shop.call("crm.order.update", input).await.unwrap();
        assert_eq!(shop.records.reservations(written.id).await.unwrap(), []);
        let stock = shop.records.stock(&["coca".to_owned()]).await.unwrap().remove(0);
        assert_eq!((stock.available, stock.reserved), (5, 0));
    }
}
