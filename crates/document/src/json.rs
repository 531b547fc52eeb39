//! A tree as JSON, for code that needs values without their places.

use serde_json::{Map, Number, Value as Json};

use crate::{Node, Value};

impl<P> Node<P> {
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Null | Value::Wrong => Json::Null,
            Value::Flag(flag) => Json::Bool(*flag),
            Value::Whole(number) => whole(*number),
            Value::Fraction(number) => Number::from_f64(*number).map_or(Json::Null, Json::Number),
            Value::Text(text) => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Group(entries) => Json::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.node.to_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }
}

/// A whole number; beyond 64 bits JSON holds it as a fraction.
fn whole(number: i128) -> Json {
    if let Ok(number) = i64::try_from(number) {
        return number.into();
    }
    if let Ok(number) = u64::try_from(number) {
        return number.into();
    }
    Number::from_f64(number as f64).map_or(Json::Null, Json::Number)
}
