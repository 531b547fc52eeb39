//! `crm.order.create` and `crm.order.update`: what the customer orders, and their yes or no to it.

use std::borrow::Cow;

use domain::{Currency, Money, OrderId, OrderLine, OrderStatus};
use rust_decimal::Decimal;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use store::Effect;

use super::{read, written};
use crate::{Caller, LocalTool, Spec};

/// No currency has smaller parts.
const DECIMALS: u32 = 4;

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
    /// What else belongs to the order: where to deliver, whom to ask for.
    datos: Option<Map<String, Value>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Line {
    /// The code of the product.
    #[schemars(length(min = 1, max = 100))]
    producto: String,
    /// What the customer knows the product as; its code if left out.
    #[schemars(length(min = 1, max = 200))]
    titulo: Option<String>,
    #[schemars(range(min = 1, max = 999))]
    cantidad: u32,
    precio: Price,
}

/// The price of one piece, taken as it is written: no binary fraction in between.
struct Price(Decimal);

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match Value::deserialize(deserializer)? {
            Value::String(text) => text,
            other => other.to_string(),
        };
        match Decimal::from_str_exact(&text).map(|price| price.normalize()) {
            Ok(price) if price.is_sign_negative() && !price.is_zero() => {
                Err(serde::de::Error::custom("a price cannot be below zero"))
            }
            Ok(price) if price.scale() <= DECIMALS => Ok(Self(price)),
            _ => Err(serde::de::Error::custom("a price has at most four decimals")),
        }
    }
}

impl JsonSchema for Price {
    fn schema_name() -> Cow<'static, str> {
        "Price".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The price of one piece.",
            "type": ["number", "string"],
            "minimum": 0,
            "maximum": 999_999_999_999_999_i64,
            "pattern": r"^[0-9]{1,15}(\.[0-9]{1,4})?$",
        })
    }
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
        Self(Spec::of::<Wanted>(
            "crm.order.create",
            "Writes down an order of the customer who is writing; the total is made from its lines.",
        ))
    }
}

impl LocalTool for Create {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn effect(&self, caller: &Caller, input: &Value) -> Result<Effect, String> {
        let Wanted { lineas, moneda, estado, datos } = read(input)?;
        let currency: Currency = moneda.parse().map_err(|error| format!("{error}"))?;
        let lines = lineas.into_iter().map(line).collect::<Result<Vec<_>, _>>()?;
        let total = total(&lines, currency).ok_or("the total is too large")?;
        let status = match estado.unwrap_or(Begun::PendingConfirmation) {
            Begun::PendingConfirmation => OrderStatus::PendingConfirmation,
            Begun::Confirmed => OrderStatus::Confirmed,
        };
        Ok(Effect::CreateOrder {
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

fn line(line: Line) -> Result<OrderLine, String> {
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
        Self(Spec::of::<Decision>(
            "crm.order.update",
            "Confirms or cancels an order of the customer who is writing.",
        ))
    }
}

impl LocalTool for Update {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn effect(&self, caller: &Caller, input: &Value) -> Result<Effect, String> {
        let Decision { pedido, estado } = read(input)?;
        let status = match estado {
            Decided::Confirmed => OrderStatus::Confirmed,
            Decided::Cancelled => OrderStatus::Cancelled,
        };
        Ok(Effect::SetOrderStatus { order: pedido, contact: caller.contact, status })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{caller, effect};
    use super::*;
    use serde_json::json;

    fn created(input: Value) -> Result<Effect, String> {
        effect("crm.order.create", input)
    }

    #[test]
    fn the_total_is_ours_and_exact() {
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
        let expected = Effect::CreateOrder {
            contact: caller().contact,
            conversation: caller().conversation,
            status: OrderStatus::PendingConfirmation,
            lines: vec![
                line("2x", "Dos almohadas", 1, "129900"),
                line("funda", "funda", 3, "0.1"),
                line("envio", "envio", 999, "0.0001"),
            ],
            currency: "COP".parse().unwrap(),
            total: "129900.3999".parse().unwrap(),
            data: json!({ "direccion": "Calle 5" }).as_object().unwrap().clone(),
        };
        assert_eq!(created(input), Ok(expected));
    }

    #[test]
    fn an_order_is_confirmed_only_when_that_is_said() {
        let order = |estado: Value| {
            json!({ "lineas": [{ "producto": "a", "cantidad": 1, "precio": 1 }],
                    "moneda": "COP", "estado": estado })
        };
        let status = |estado| match created(order(estado)) {
            Ok(Effect::CreateOrder { status, .. }) => Some(status),
            _ => None,
        };
        assert_eq!(status(json!("confirmed")), Some(OrderStatus::Confirmed));
        let pending = Some(OrderStatus::PendingConfirmation);
        assert_eq!(status(json!("pending_confirmation")), pending);
        assert_eq!(status(json!(null)), pending);
        assert_eq!(status(json!("cancelled")), None);
    }

    #[test]
    fn an_order_that_makes_no_sense_is_refused() {
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
            assert!(created(input.clone()).is_err(), "{input}");
        }
    }

    #[test]
    fn only_a_yes_or_a_no_changes_an_order_and_only_the_callers_own() {
        let order = OrderId(uuid::Uuid::from_u128(7));
        for (estado, status) in
            [("confirmed", OrderStatus::Confirmed), ("cancelled", OrderStatus::Cancelled)]
        {
            let input = json!({ "pedido": order, "estado": estado });
            let expected = Effect::SetOrderStatus { order, contact: caller().contact, status };
            assert_eq!(effect("crm.order.update", input), Ok(expected));
        }
        for input in [
            json!({ "pedido": order, "estado": "pending_confirmation" }),
            json!({ "pedido": "7", "estado": "confirmed" }),
            json!({ "pedido": order }),
            json!({ "pedido": order, "estado": "confirmed", "contacto": order }),
        ] {
            assert!(effect("crm.order.update", input.clone()).is_err(), "{input}");
        }
    }
}
