//! The number people call an order by, in all the ways they write it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// An order's number as people read it, such as `ORD-00042`.
pub fn order_code(number: u32) -> String {
    format!("ORD-{number:05}")
}

/// Read from a number, or from a text as people write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OrderNumber(pub(crate) u32);

/// An order's number as people write it: `42`, `#42` or `ORD-00042`.
pub fn order_number(text: &str) -> Result<u32, String> {
    let bare = text.trim().trim_start_matches('#');
    let digits = match bare.get(..4) {
        Some(prefix) if prefix.eq_ignore_ascii_case("ord-") => &bare[4..],
        _ => bare,
    };
    let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match digits.parse() {
        Ok(number) if whole => Ok(number),
        _ => Err("an order's number is written like 42 or ORD-00042".to_owned()),
    }
}

impl<'de> Deserialize<'de> for OrderNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match Value::deserialize(deserializer)? {
            Value::String(text) => text,
            other => other.to_string(),
        };
        order_number(&text).map(Self).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for OrderNumber {
    fn schema_name() -> Cow<'static, str> {
        "OrderNumber".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An order's number, such as 42 or ORD-00042.",
            "type": ["integer", "string"],
            "minimum": 1,
            "maximum": u32::MAX,
            "maxLength": 20,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_order_is_known_by_its_number_however_it_is_written() {
        assert_eq!(order_code(42), "ORD-00042");
        assert_eq!(order_code(123_456), "ORD-123456");
        for written in [
            json!(42),
            json!("42"),
            json!(" 42 "),
            json!("#42"),
            json!("#ORD-00042"),
            json!("ord-42"),
            json!("ORD-00042"),
        ] {
            let number: OrderNumber = serde_json::from_value(written.clone()).unwrap();
            assert_eq!(number, OrderNumber(42), "{written}");
        }
        for written in ["", "ORD-", "ORD", "ñord-1", "4 2", "-42", "+42", "42.0", "99999999999"] {
            assert!(order_number(written).is_err(), "{written}");
        }
    }
}
