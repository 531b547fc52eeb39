//! Values of CEL from JSON and back.

use std::collections::HashMap;
use std::sync::Arc;

use cel::Value as Cel;
use cel::objects::Key;
use serde_json::{Map, Value as Json};

/// A whole number becomes one that can be added to those written in an expression.
pub(super) fn from_json(value: &Json) -> Cel {
    match value {
        Json::Null => Cel::Null,
        Json::Bool(flag) => Cel::Bool(*flag),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Cel::Int(whole),
            (None, Some(large)) => Cel::UInt(large),
            (None, None) => Cel::Float(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Cel::String(Arc::new(text.clone())),
        Json::Array(items) => Cel::List(items.iter().map(from_json).collect::<Vec<_>>().into()),
        Json::Object(entries) => {
            let entries: HashMap<Key, Cel> = entries
                .iter()
                .map(|(key, value)| (Key::String(Arc::new(key.clone())), from_json(value)))
                .collect();
            Cel::Map(entries.into())
        }
    }
}

pub(super) fn to_json(value: &Cel) -> Result<Json, String> {
    Ok(match value {
        Cel::Null => Json::Null,
        Cel::Bool(flag) => (*flag).into(),
        Cel::Int(number) => (*number).into(),
        Cel::UInt(number) => (*number).into(),
        Cel::Float(number) if !number.is_finite() => {
            return Err("the result is no number".to_owned());
        }
        Cel::Float(number) => (*number).into(),
        Cel::String(text) => text.as_str().into(),
        Cel::List(items) => Json::Array(items.iter().map(to_json).collect::<Result<_, _>>()?),
        Cel::Map(entries) => {
            let entry = |(key, value): (&Key, &Cel)| Ok((key.to_string(), to_json(value)?));
            Json::Object(entries.map.iter().map(entry).collect::<Result<Map<_, _>, String>>()?)
        }
        other => return Err(format!("the result is {}", kind(other))),
    })
}

/// The word of a person for a value's type.
pub(super) fn kind(value: &Cel) -> &'static str {
    match value {
        Cel::Null => "nothing",
        Cel::Bool(_) => "true or false",
        Cel::Int(_) | Cel::UInt(_) | Cel::Float(_) => "a number",
        Cel::String(_) => "text",
        Cel::List(_) => "a list",
        Cel::Map(_) => "a group of keys",
        _ => "of a kind that cannot be used",
    }
}
