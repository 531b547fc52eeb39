//! Prices as the input of a tool writes them.

use std::borrow::Cow;

use rust_decimal::Decimal;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The most decimals of a price, because no currency has smaller parts.
const DECIMALS: u32 = 4;

/// The price of one piece, taken as it is written: no binary fraction in between.
pub(super) struct Price(pub(super) Decimal);

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
