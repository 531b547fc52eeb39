//! Flattens an object of unknown form: each value with its path, for people to read.

use domain::{Pii, storable};
use serde_json::Value;

/// The most characters of such an object on one line.
const LONGEST: usize = 4_000;

/// The values in a JSON text, each under its path (`values.city`); empty ones are left out. A text
/// that is no JSON is one value without a path.
pub(crate) fn entries(json: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    match serde_json::from_str(json) {
        Ok(value) => walk(String::new(), &value, &mut found),
        Err(_) => found.push((String::new(), storable(json))),
    }
    found.retain(|(_, value)| !value.is_empty());
    found
}

/// The values on one line, without the fields that only name the kind of object; `None` if there
/// are none.
pub(crate) fn in_line(json: &str, but: &[&str]) -> Option<Pii> {
    let said = entries(json).into_iter().filter(|(field, _)| !but.contains(&field.as_str()));
    let line = said.map(|(field, value)| match field.as_str() {
        "" => value,
        field => format!("{field}: {value}"),
    });
    let line: String = line.collect::<Vec<_>>().join(", ").chars().take(LONGEST).collect();
    (!line.is_empty()).then(|| line.into())
}

fn walk(path: String, value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::String(text) => found.push((path, storable(text))),
        Value::Bool(_) | Value::Number(_) => found.push((path, value.to_string())),
        Value::Array(items) => {
            let plain = items.iter().all(|item| !item.is_array() && !item.is_object());
            if plain {
                let words = items.iter().map(|item| match item {
                    Value::String(text) => storable(text),
                    item => item.to_string(),
                });
                found.push((path, words.collect::<Vec<_>>().join(", ")));
            } else {
                items.iter().for_each(|item| walk(path.clone(), item, found));
            }
        }
        Value::Object(fields) => {
            for (field, value) in fields {
                let field = storable(field);
                let path = if path.is_empty() { field } else { format!("{path}.{field}") };
                walk(path, value, found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_told_with_the_way_to_it() {
        for (json, line) in [
            (r#"{"a":"x","b":2,"c":true,"d":null,"e":""}"#, "a: x, b: 2, c: true"),
            (r#"{"values":{"city":"La Plata","tags":["a",1]}}"#, {
                "values.city: La Plata, values.tags: a, 1"
            }),
            (r#"[{"email":"a@x.co","type":"HOME"},{"email":"b@x.co"}]"#, {
                "email: a@x.co, type: HOME, email: b@x.co"
            }),
            (r#""solo""#, "solo"),
            ("nada de JSON", "nada de JSON"),
            (r#"{"kind":"k"}"#, ""),
            (r#"{"a":"x\u0000y"}"#, "a: x\u{fffd}y"),
        ] {
            let told = in_line(json, &["kind"]).map(Pii::into_revealed);
            assert_eq!(told.unwrap_or_default(), line, "{json}");
        }
    }
}
