//! The benchmark's normal form: no nulls, numbers as texts with two decimals, keys in order.

use serde_json::Value;

/// A value as a text that is the same wherever the value is.
pub(super) fn normal(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, into: &mut String) {
    match value {
        Value::Number(number) => {
            into.push('"');
            into.push_str(&format!("{:.2}", number.as_f64().unwrap_or(f64::NAN)));
            into.push('"');
        }
        Value::Array(items) => {
            into.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    into.push(',');
                }
                write(item, into);
            }
            into.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().filter(|(_, value)| !value.is_null()).collect();
            fields.sort_by_key(|(name, _)| *name);
            let texts = fields.into_iter().map(|(name, value)| (name, normal(value)));
            object(texts, into);
        }
        Value::Null | Value::Bool(_) | Value::String(_) => into.push_str(&value.to_string()),
    }
}

/// An object of values that are in normal form, in the order of their names.
pub(super) fn object<N: AsRef<str>, T: AsRef<str>>(
    fields: impl IntoIterator<Item = (N, T)>,
    into: &mut String,
) {
    into.push('{');
    for (place, (name, value)) in fields.into_iter().enumerate() {
        if place > 0 {
            into.push(',');
        }
        into.push_str(&Value::from(name.as_ref()).to_string());
        into.push(':');
        into.push_str(value.as_ref());
    }
    into.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_means_the_same_is_written_the_same() {
        let value =
            json!({ "b": [1, 2.5, null, true], "a": null, "ñ": { "z": -0.125, "y": "é\n" } });
        let text = r#"{"b":["1.00","2.50",null,true],"ñ":{"y":"é\n","z":"-0.12"}}"#;
        assert_eq!(normal(&value), text);
    }
}
