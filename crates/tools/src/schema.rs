//! A tool's input schema, compiled once, and what it says of an input that does not fit.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;

/// More mistakes than these help nobody to mend the input.
const TOLD: usize = 3;

#[derive(Debug)]
pub(crate) struct Schema(Validator);

impl Schema {
    /// Schemas come from outside too: their patterns run in linear time, and what they refer to is
    /// never fetched.
    pub(crate) fn compile(schema: &Value) -> Result<Self, String> {
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err("an input is an object".to_owned());
        }
        let options = jsonschema::options()
            .with_pattern_options(PatternOptions::regex())
            .should_validate_formats(true);
        options.build(schema).map(Self).map_err(|error| error.to_string())
    }

    pub(crate) fn check(&self, input: &Value) -> Result<(), String> {
        let mut errors = self.0.iter_errors(input);
        let told: Vec<_> = errors.by_ref().take(TOLD).map(|error| sentence(&error)).collect();
        match (told.is_empty(), errors.next()) {
            (true, _) => Ok(()),
            (false, None) => Err(format!("the input does not fit: {}", told.join("; "))),
            (false, Some(_)) => {
                Err(format!("the input does not fit: {}; and more", told.join("; ")))
            }
        }
    }
}

/// Names the place and what belongs there; the value itself may be personal, and stays out.
fn sentence(error: &ValidationError<'_>) -> String {
    let at = error.instance_path().as_str();
    let place = match at.strip_prefix('/') {
        Some(path) => format!("`{path}`"),
        None => "the input".to_owned(),
    };
    let inside = |name: &str| match at.strip_prefix('/') {
        Some(path) => format!("`{path}/{name}`"),
        None => format!("`{name}`"),
    };
    match error.kind() {
        Kind::Required { property } => {
            format!("{} is missing", inside(property.as_str().unwrap_or_default()))
        }
        Kind::AdditionalProperties { unexpected } => {
            let names: Vec<_> = unexpected.iter().map(|name| inside(name)).collect();
            format!("there is no {}", names.join(" or "))
        }
        Kind::Type { kind } => format!("{place} must be {}", types(kind)),
        Kind::Enum { options } => format!("{place} must be one of {options}"),
        Kind::Minimum { limit } => format!("{place} must be at least {limit}"),
        Kind::Maximum { limit } => format!("{place} must be at most {limit}"),
        Kind::MinLength { limit } => format!("{place} must have {limit} characters or more"),
        Kind::MaxLength { limit } => format!("{place} must have {limit} characters or fewer"),
        Kind::MinItems { limit } => format!("{place} must have {limit} items or more"),
        Kind::MaxItems { limit } => format!("{place} must have {limit} items or fewer"),
        Kind::Pattern { pattern } => format!("{place} must match {pattern}"),
        Kind::Format { format } => format!("{place} must be a {format}"),
        _ => format!("{place}: {}", error.masked_with("it")),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => kind.to_string(),
        TypeKind::Multiple(kinds) => {
            kinds.iter().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(schema: Value, input: Value) -> String {
        Schema::compile(&schema).unwrap().check(&input).unwrap_err()
    }

    #[test]
    fn a_refusal_names_the_place_and_what_belongs_there_and_never_the_value() {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["a"],
            "properties": {
                "a": { "type": "string", "minLength": 2, "maxLength": 4, "pattern": "^x" },
                "b": { "type": ["integer", "null"], "minimum": 1, "maximum": 9 },
                "c": { "enum": ["si", "no"] },
                "d": { "type": "array", "minItems": 1, "maxItems": 2, "items": {
                    "type": "object", "required": ["e"], "properties": { "e": true } } },
                "f": { "type": "string", "format": "uuid" },
                "g": { "const": 7 }
            }
        });
        for (input, expected) in [
            (json!({}), "`a` is missing"),
            (json!({ "a": "xx", "z": 1 }), "there is no `z`"),
            (json!({ "a": 7 }), "`a` must be string"),
            (json!({ "a": "x" }), "`a` must have 2 characters or more"),
            (json!({ "a": "xxxxx" }), "`a` must have 4 characters or fewer"),
            (json!({ "a": "secret" }), "`a` must have 4 characters or fewer; `a` must match ^x"),
            (json!({ "a": "xx", "b": "1" }), "`b` must be null or integer"),
            (json!({ "a": "xx", "b": 0 }), "`b` must be at least 1"),
            (json!({ "a": "xx", "b": 10 }), "`b` must be at most 9"),
            (json!({ "a": "xx", "c": "quizá" }), "`c` must be one of [\"si\",\"no\"]"),
            (json!({ "a": "xx", "d": [] }), "`d` must have 1 items or more"),
            (json!({ "a": "xx", "d": [{ "e": 1 }, {}] }), "`d/1/e` is missing"),
            (json!({ "a": "xx", "f": "secret" }), "`f` must be a uuid"),
            (json!({ "a": "xx", "g": "secret" }), "`g`: 7 was expected"),
            (json!("secret"), "the input must be object"),
        ] {
            let told = told(schema.clone(), input.clone());
            assert_eq!(told, format!("the input does not fit: {expected}"), "{input}");
        }
    }

    #[test]
    fn three_mistakes_are_told_at_once_and_the_rest_only_counted() {
        let schema = json!({ "type": "object", "required": ["a", "b", "c", "d"] });
        let told = told(schema, json!({}));
        let expected = "`a` is missing; `b` is missing; `c` is missing; and more";
        assert_eq!(told, format!("the input does not fit: {expected}"));
    }

    #[test]
    fn a_schema_that_is_none_refers_outside_or_can_hang_is_refused() {
        for schema in [
            json!({ "type": "objeto" }),
            json!({ "type": "string" }),
            json!({}),
            json!(true),
            json!({ "type": "object", "properties": { "a": { "type": 7 } } }),
            json!({ "type": "object", "properties": { "a": { "$ref": "https://example.com/a" } } }),
            json!({ "type": "object", "properties": { "a": { "$ref": "file:///etc/passwd" } } }),
            json!({ "type": "object", "properties": { "a": { "pattern": "(a+)+\\1" } } }),
        ] {
            assert!(Schema::compile(&schema).is_err(), "{schema}");
        }
    }
}
