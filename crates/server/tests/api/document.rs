//! The OpenAPI document: as it is kept, as it is served, and whole.

use std::collections::BTreeSet;
use std::path::Path;

use axum::http::Method;
use serde_json::{Value, json};

use crate::kit::{Kind, Shop};

#[test]
fn the_document_is_the_one_that_is_kept() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let document = server::document();
    if wants_update() {
        std::fs::write(&path, &document).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == document,
        "docs/openapi.json is not what the routes say: UPDATE_OPENAPI=1 cargo nextest run -p server"
    );
}

#[expect(clippy::disallowed_methods, reason = "whoever runs the test says so")]
fn wants_update() -> bool {
    std::env::var("UPDATE_OPENAPI").is_ok()
}

#[test]
fn every_route_says_what_it_is_who_may_call_it_and_how_it_may_fail() {
    let document: Value = serde_json::from_str(&server::document()).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["components"]["securitySchemes"]["key"]["scheme"], "bearer");
    let mut names = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, route) in methods.as_object().unwrap() {
            let what = format!("{method} {path}");
            let name = route["operationId"].as_str().expect(&what);
            assert!(names.insert(name.to_owned()), "{name} twice");
            assert!(route["summary"].as_str().is_some_and(|text| text.len() > 8), "{what}");
            assert!(route["security"].as_array().is_some_and(|list| !list.is_empty()), "{what}");
            for status in ["401", "403", "404", "422"] {
                let problem = &route["responses"][status]["content"]["application/problem+json"];
                assert!(problem.is_object(), "{what} {status}");
            }
            for name in path.split('{').skip(1).map(|rest| rest.split('}').next().unwrap()) {
                let named =
                    |parameter: &Value| parameter["name"] == name && parameter["in"] == "path";
                assert!(route["parameters"].as_array().unwrap().iter().any(named), "{what}");
            }
        }
    }
    let text = document.to_string();
    for reference in text.split("#/components/schemas/").skip(1) {
        let name = reference.split('"').next().unwrap();
        assert!(document["components"]["schemas"][name].is_object(), "{name}");
    }
}

#[test]
fn every_route_with_a_body_says_how_a_body_may_be_refused() {
    let document: Value = serde_json::from_str(&server::document()).unwrap();
    let mut taking = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, route) in methods.as_object().unwrap() {
            let takes = route["requestBody"].is_object();
            taking += usize::from(takes);
            for status in ["400", "413", "415"] {
                let told = route["responses"][status].is_object();
                let also = path == "/api/v1/stock" || path == "/stock";
                assert!(told == takes || also, "{method} {path} {status}");
            }
        }
    }
    assert_eq!(taking, 10);
}

#[test]
fn bounds_and_what_may_be_null_stand_in_the_document() {
    let document: Value = serde_json::from_str(&server::document()).unwrap();
    let mut limits = 0;
    for route in document["paths"].as_object().unwrap().values() {
        let parameters = route["get"]["parameters"].as_array().cloned().unwrap_or_default();
        for limit in parameters.iter().filter(|one| one["name"] == "limit") {
            let schema = &limit["schema"];
            assert_eq!((&schema["minimum"], &schema["maximum"]), (&json!(1), &json!(200)));
            limits += 1;
        }
    }
    assert!(limits >= 9, "{limits}");
    let schemas = &document["components"]["schemas"];
    for (schema, field) in [
        ("Reply", "text"),
        ("Return", "note"),
        ("Return", "mode"),
        ("Return", "message"),
        ("Assign", "to"),
        ("Resolve", "resolution"),
        ("NewKey", "name"),
    ] {
        let field = &schemas[schema]["properties"][field];
        assert_eq!(field["minLength"], 1, "{schema} {field}");
        assert!(field["maxLength"].is_u64(), "{schema} {field}");
    }
    let payload = &schemas["TimerCard"]["properties"]["payload"]["type"];
    assert_eq!(payload, &json!(["object", "null"]));
}

#[tokio::test]
async fn the_document_is_served_without_a_key() {
    let shop = Shop::open(Kind::Sqlite).await;
    let answer = shop.call(Method::GET, "/openapi.json", None, None).await;
    let document: Value = serde_json::from_str(&server::document()).unwrap();
    assert_eq!(answer.good(), document);
}
