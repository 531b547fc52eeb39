//! Small values that every provider writes and reads alike.

use domain::ModelRequest;
use serde_json::Value;

/// The system text. For a model that takes no schema, it includes the schema that the answer must
/// fit.
pub(crate) fn system(request: &ModelRequest, takes_schema: bool) -> String {
    match &request.output {
        Some(output) if !takes_schema => {
            let told = format!(
                "Answer with JSON alone, without fences, that fits this JSON Schema:\n{}",
                output.schema
            );
            let parts = [&*request.system, told.as_str()];
            let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            parts.join("\n\n")
        }
        _ => request.system.to_string(),
    }
}

/// A number as it was meant, because an `f32` made an `f64` would be sent as 0.30000001192092896
/// for 0.3.
pub(crate) fn number(value: f32) -> Value {
    value.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}

/// A tool's arguments as the model wrote them; an empty text is an empty object.
pub(crate) fn arguments(tool: &str, json: &str) -> Result<Value, String> {
    if json.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    match serde_json::from_str(json) {
        Ok(input @ Value::Object(_)) => Ok(input),
        Ok(_) => Err(format!("the arguments for {tool} are not a JSON object")),
        Err(error) => Err(format!("the arguments for {tool} are not JSON: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_number_is_written_as_it_was_meant() {
        assert_eq!(number(0.3).to_string(), "0.3");
        assert_eq!(number(1.0).to_string(), "1.0");
        assert_eq!(number(f32::NAN), Value::Null);
    }

    #[test]
    fn arguments_are_an_object_or_nothing() {
        assert_eq!(arguments("t", r#"{"a": 1}"#), Ok(json!({"a": 1})));
        assert_eq!(arguments("t", " "), Ok(json!({})));
        for wrong in ["[1]", "null", "\"x\"", "{\"a\":", "{} {}"] {
            assert!(arguments("t", wrong).is_err(), "{wrong}");
        }
    }
}
