//! The schemas that editors read are those that the checks use.

use std::path::Path;

#[test]
#[expect(clippy::disallowed_methods, reason = "the one test that may also write what it compares")]
fn the_schemas_checked_in_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/schema");
    let update = std::env::var("UPDATE_SCHEMAS").is_ok();
    for (name, schema) in pack::schemas() {
        let text = format!("{schema:#}\n");
        let path = folder.join(name);
        if update {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(checked_in == text, "{name} differs: run the tests with UPDATE_SCHEMAS=1");
    }
}

#[test]
fn every_schema_says_what_it_is_and_describes_its_keys() {
    for (name, schema) in pack::schemas() {
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
        let id = name.replace(".schema.json", "");
        assert_eq!(schema["$id"], format!("urn:recado:schema:{id}"), "{name}");
        assert!(schema["title"].is_string() && schema["description"].is_string(), "{name}");
        let groups = schema["$defs"].as_object().into_iter().flat_map(|defs| defs.values());
        for group in groups.chain([&schema]) {
            for (key, value) in group["properties"].as_object().into_iter().flatten() {
                assert!(value["description"].is_string() || key == "enabled", "{name} {key}");
            }
        }
    }
}

/// The keywords that the checks know; a new one must be taught to them.
#[test]
fn the_checks_know_every_keyword_of_the_schemas() {
    const KNOWN: &[&str] = &[
        "$defs",
        "$id",
        "$ref",
        "$schema",
        "additionalProperties",
        "anyOf",
        "const",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "oneOf",
        "pattern",
        "patternErrorMessage",
        "properties",
        "required",
        "title",
        "type",
    ];
    fn visit(schema: &serde_json::Value, name: &str) {
        let Some(schema) = schema.as_object() else { return };
        for (keyword, value) in schema {
            assert!(KNOWN.contains(&keyword.as_str()), "{name}: {keyword}");
            match keyword.as_str() {
                "$defs" | "properties" => {
                    value.as_object().into_iter().flatten().for_each(|(_, one)| visit(one, name));
                }
                "items" | "additionalProperties" => visit(value, name),
                "anyOf" | "oneOf" => {
                    value.as_array().into_iter().flatten().for_each(|one| visit(one, name));
                }
                "format" => {
                    let known = ["length-of-time", "uint32", "uint64", "float", "double"];
                    assert!(known.iter().any(|format| value == format), "{name}: {value}");
                }
                _ => {}
            }
        }
    }
    for (name, schema) in pack::schemas() {
        visit(&schema, name);
    }
}
