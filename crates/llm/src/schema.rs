//! The conditions under which providers promise to keep to a JSON Schema.

use serde_json::{Map, Value, json};

/// Keywords that every provider of strict schemas supports.
const KNOWN: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "anyOf",
    "description",
    "title",
];

const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Keywords that bound a value further; a provider that does not know one gets it as a description.
const BOUNDS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "pattern",
];

/// Whether every provider takes the schema as strict: at each level an object whose every property
/// is required and that admits no others. Some providers allow more; these are the conditions of
/// all.
pub(crate) fn strict(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "object") && fits(schema)
}

fn fits(schema: &Value) -> bool {
    let Some(fields) = schema.as_object() else { return false };
    let keywords = fields.iter().all(|(keyword, value)| match keyword.as_str() {
        "properties" => value.as_object().is_some_and(|all| all.values().all(fits)),
        "items" => fits(value),
        "anyOf" => value.as_array().is_some_and(|all| all.iter().all(fits)),
        "format" => value.as_str().is_some_and(|format| FORMATS.contains(&format)),
        keyword => KNOWN.contains(&keyword),
    });
    keywords && (!is_object(fields) || closed_and_required(fields))
}

fn is_object(fields: &Map<String, Value>) -> bool {
    let named = |kind: &Value| kind == "object";
    let kind = fields.get("type");
    kind.is_some_and(|kind| named(kind) || kind.as_array().is_some_and(|all| all.iter().any(named)))
        || fields.contains_key("properties")
}

fn closed_and_required(fields: &Map<String, Value>) -> bool {
    let required = fields.get("required").and_then(Value::as_array);
    let is_required = |name: &String| required.is_some_and(|all| all.iter().any(|one| one == name));
    fields.get("additionalProperties") == Some(&Value::Bool(false))
        && fields
            .get("properties")
            .and_then(Value::as_object)
            .is_some_and(|all| all.keys().all(is_required))
}

/// The schema for a provider that knows no bounds and wants objects closed. Unknown keywords are
/// told to the model in the description, and checked by us when the answer is here.
pub(crate) fn closed(schema: &Value) -> Value {
    let Some(fields) = schema.as_object() else { return schema.clone() };
    let mut kept = Map::new();
    let mut told = Vec::new();
    for (keyword, value) in fields {
        match keyword.as_str() {
            "properties" | "$defs" | "definitions" => {
                kept.insert(keyword.clone(), closed_values(value));
            }
            "items" => _ = kept.insert(keyword.clone(), closed(value)),
            "anyOf" | "allOf" => _ = kept.insert(keyword.clone(), closed_list(value)),
            "oneOf" => _ = kept.insert("anyOf".to_owned(), closed_list(value)),
            bound if BOUNDS.contains(&bound) => told.push(format!("{bound}: {}", plain(value))),
            "$schema" => {}
            _ => _ = kept.insert(keyword.clone(), value.clone()),
        }
    }
    if is_object(fields) {
        kept.insert("additionalProperties".to_owned(), json!(false));
    }
    if !told.is_empty() {
        let said = fields.get("description").and_then(Value::as_str).unwrap_or_default();
        let told = format!("{said} {{{}}}", told.join(", "));
        kept.insert("description".to_owned(), json!(told.trim_start()));
    }
    Value::Object(kept)
}

fn closed_values(schemas: &Value) -> Value {
    let Some(schemas) = schemas.as_object() else { return schemas.clone() };
    schemas.iter().map(|(name, schema)| (name.clone(), closed(schema))).collect()
}

fn closed_list(schemas: &Value) -> Value {
    let Some(schemas) = schemas.as_array() else { return schemas.clone() };
    schemas.iter().map(closed).collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_is_an_object_closed_and_required_all_the_way_down() {
        let leaf = json!({"type": "string", "description": "x", "enum": ["a"]});
        let object = |rest: Value| {
            let mut schema = json!({
                "type": "object", "properties": {"a": leaf}, "required": ["a"],
                "additionalProperties": false,
            });
            for (key, value) in rest.as_object().unwrap() {
                schema[key] = value.clone();
            }
            schema
        };
        let fine = object(json!({}));
        assert!(strict(&fine));
        assert!(strict(&object(json!({"properties": {"a": fine}}))));
        assert!(strict(&object(json!({"properties": {"a": {"type": "array", "items": fine}}}))));
        assert!(strict(&object(json!({"properties": {"a": {"anyOf": [fine, {"type": "null"}]}}}))));
        let open = json!({"type": "object", "properties": {"b": leaf}, "required": ["b"]});
        let faults = [
            json!({"required": []}),
            json!({"properties": {"a": leaf, "b": leaf}}),
            json!({"additionalProperties": true}),
            json!({"additionalProperties": {"type": "string"}}),
            json!({"properties": {"a": {"type": "string", "minLength": 1}}}),
            json!({"properties": {"a": {"type": "string", "format": "phone"}}}),
            json!({"properties": {"a": {"$ref": "#/$defs/b"}}}),
            json!({"properties": {"a": {"type": ["object", "null"]}}}),
            json!({"properties": {"a": open}}),
            json!({"properties": {"a": {"type": "array", "items": open}}}),
            json!({"properties": {"a": {"anyOf": [open]}}}),
            json!({"type": "string"}),
        ];
        for fault in faults {
            assert!(!strict(&object(fault.clone())), "{fault}");
        }
        assert!(!strict(&json!({})));
    }

    #[test]
    fn bounds_are_told_instead_of_asked_and_objects_are_closed() {
        let schema = json!({
            "$schema": "x", "type": "object", "required": ["pattern"],
            "properties": {
                "pattern": {"type": "string", "pattern": "^a$", "description": "A word."},
                "some": {"type": "array", "minItems": 2, "items": {"type": "integer", "maximum": 9}},
                "either": {"oneOf": [{"type": "object", "properties": {}}, {"type": "null"}]},
            },
            "$defs": {"n": {"type": "number", "minimum": 0}},
        });
        let expected = json!({
            "type": "object", "required": ["pattern"], "additionalProperties": false,
            "properties": {
                "pattern": {"type": "string", "description": "A word. {pattern: ^a$}"},
                "some": {
                    "type": "array", "description": "{minItems: 2}",
                    "items": {"type": "integer", "description": "{maximum: 9}"},
                },
                "either": {"anyOf": [
                    {"type": "object", "properties": {}, "additionalProperties": false},
                    {"type": "null"},
                ]},
            },
            "$defs": {"n": {"type": "number", "description": "{minimum: 0}"}},
        });
        assert_eq!(closed(&schema), expected);
    }
}
