//! Tools on a business's own systems: the request a call makes, and what its answer means.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::ToolError;
use serde_json::{Value, json};
use tools::http::{DeclarationError, Endpoint, HttpTool, System, SystemSettings};
use tools::{Class, Egress, Notify, OutsideTool, Prepared, Registry, Spec};

use crate::kit::{Names, Seen, Site, caller};

fn settings(base_url: String, allow_private: bool) -> SystemSettings {
    let headers = vec![("X-Api-Key".to_owned(), "secreto".into())];
    SystemSettings { id: "erp".to_owned(), base_url, headers, allow_private }
}

fn system(site: &Site) -> Arc<System> {
    let settings = settings(site.url("/v1"), true);
    Arc::new(System::new(&settings, Arc::new(Names::default())).unwrap())
}

fn spec() -> Spec {
    let text = json!({ "type": "string" });
    let input = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["numero"],
        "properties": { "numero": text, "ciudad": text, "etiquetas": { "type": "array" },
                        "nota": text, "total": { "type": "number" } },
    });
    Spec {
        name: "erp.pedido".to_owned(),
        description: "Changes an order.".to_owned(),
        input,
        class: Class::Execute,
        timeout: Duration::from_secs(10),
        limit: None,
        needs_yes: false,
        engine_given: &[],
    }
}

fn endpoint(change: Value) -> Endpoint {
    let mut declared = json!({
        "method": "POST",
        "path": "/pedidos/{numero}/nota",
        "query": { "ciudad": "city", "etiquetas": "tag" },
        "body": ["nota", "total"],
        "idempotency_header": "Idempotency-Key",
        "idempotent": true,
    });
    for (name, value) in change.as_object().unwrap() {
        declared[name] = value.clone();
    }
    serde_json::from_value(declared).unwrap()
}

async fn called(site: &Site, change: Value, input: Value) -> Result<Value, ToolError> {
    let tool = HttpTool::new(spec(), system(site), endpoint(change)).unwrap();
    tool.call(&caller(), &input, "turno/clave").await
}

fn by_path(seen: &Seen) -> Response {
    let (status, body) = match seen.line.as_str() {
        line if line.contains("/texto/") => (200, "listo, señora".to_owned()),
        line if line.contains("/nada/") => (204, String::new()),
        line if line.contains("/largo/") => (200, format!("\"{}\"", "x".repeat(300_000))),
        line if line.contains("/mal/") => (422, format!("{}FIN", "ñ".repeat(500))),
        line if line.contains("/roto/") => (503, "ay".to_owned()),
        line if line.contains("/raro/") => (304, String::new()),
        _ => (200, json!({ "pedido": { "estado": "listo" } }).to_string()),
    };
    (StatusCode::from_u16(status).unwrap(), body).into_response()
}

#[tokio::test]
async fn every_input_goes_to_its_place_and_no_further() {
    let site = Site::answering(by_path).await;
    let input = json!({ "numero": "A/1?x=#2", "ciudad": "Bogotá & Cía",
                        "etiquetas": ["uno", 2, true], "nota": "con ñ", "total": 10.5 });
    called(&site, json!({}), input).await.unwrap();
    called(&site, json!({}), json!({ "numero": "7" })).await.unwrap();
    let [full, bare] = &site.seen()[..] else { panic!("two requests") };
    let query = "city=Bogot%C3%A1+%26+C%C3%ADa&tag=uno&tag=2&tag=true";
    assert_eq!(full.line, format!("POST /v1/pedidos/A%2F1%3Fx=%232/nota?{query}"));
    assert_eq!(full.body, json!({ "nota": "con ñ", "total": 10.5 }));
    assert_eq!(full.headers["x-api-key"], "secreto");
    assert_eq!(full.headers["idempotency-key"], "turno/clave");
    assert_eq!((bare.line.as_str(), &bare.body), ("POST /v1/pedidos/7/nota", &json!({})));
}

#[tokio::test]
async fn a_value_that_would_leave_its_place_is_refused_and_nothing_is_sent() {
    let site = Site::answering(by_path).await;
    for numero in ["../../admin", "..", ".", "a/../b", "..\\x", "%2e%2e/", "a\nb", " ", ""] {
        let outcome = called(&site, json!({}), json!({ "numero": numero })).await;
        assert!(matches!(outcome, Err(ToolError::Refused(_))), "{numero:?}: {outcome:?}");
    }
    let nested = json!({ "numero": "1", "ciudad": { "a": 1 } });
    assert!(called(&site, json!({}), nested).await.is_err());
    assert!(site.seen().is_empty());
}

#[tokio::test]
async fn an_answer_is_json_or_text_and_only_the_part_wanted() {
    let site = Site::answering(by_path).await;
    for (change, numero, expected) in [
        (json!({}), "bien", json!({ "pedido": { "estado": "listo" } })),
        (json!({ "response": "/pedido/estado" }), "bien", json!("listo")),
        (json!({ "response": "/otra/cosa" }), "bien", json!(null)),
        (json!({ "response": "/pedido" }), "texto", json!({ "text": "listo, señora" })),
        (json!({}), "nada", json!({ "text": "" })),
    ] {
        let answer = called(&site, change.clone(), json!({ "numero": numero })).await;
        assert_eq!(answer, Ok(expected), "{change} {numero}");
    }
    let long = called(&site, json!({}), json!({ "numero": "largo" })).await.unwrap();
    assert_eq!(long["text"].as_str().unwrap().len(), 256 * 1024);
    assert_eq!(long["note"], "the answer was too long; this is the beginning");
}

#[tokio::test]
async fn a_no_is_a_no_and_anything_else_may_have_acted() {
    let site = Site::answering(by_path).await;
    let outcome = |numero| called(&site, json!({}), json!({ "numero": numero }));
    let told = format!("the system answered 422 Unprocessable Entity: {}", "ñ".repeat(500));
    assert_eq!(outcome("mal").await, Err(ToolError::Refused(told)));
    let broken = ToolError::Unknown("the system answered 503 Service Unavailable".to_owned());
    assert_eq!(outcome("roto").await, Err(broken));
    assert!(matches!(outcome("raro").await, Err(ToolError::Unknown(_))));
    let gone = Site::answering(by_path).await;
    let tool = HttpTool::new(spec(), system(&gone), endpoint(json!({}))).unwrap();
    drop(gone);
    tokio::task::yield_now().await;
    let outcome = tool.call(&caller(), &json!({ "numero": "1" }), "clave").await;
    assert_eq!(outcome, Err(ToolError::Refused("nobody answers at the address".to_owned())));
}

#[tokio::test]
async fn a_system_that_does_not_answer_in_time_may_have_acted() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let settings = settings(address, true);
    let system = Arc::new(System::new(&settings, Arc::new(Names::default())).unwrap());
    let spec = Spec { timeout: Duration::from_millis(100), ..spec() };
    let mut registry = Registry::default();
    registry.add_outside(HttpTool::new(spec, system, endpoint(json!({}))).unwrap()).unwrap();
    let input = json!({ "numero": "1" });
    let Ok(Prepared::Outside(call)) = registry.prepare(&caller(), "erp.pedido", &input) else {
        panic!("a call outside");
    };
    assert!(call.repeatable());
    let outcome = call.attempt(&input, "clave").await;
    assert_eq!(outcome, Err(ToolError::Unknown("no answer within 100ms".to_owned())));
}

#[tokio::test]
async fn a_declaration_that_cannot_work_is_told_at_once() {
    let site = Site::answering(by_path).await;
    for (change, told) in [
        (json!({ "path": "pedidos" }), "the path `pedidos` of `erp.pedido` cannot be used"),
        (json!({ "path": "/{otro}" }), "`erp.pedido` uses `otro`, which is not in its input"),
        (json!({ "body": ["nota"] }), "the input `total` of `erp.pedido` goes nowhere"),
        (json!({ "query": { "x": "y" } }), "`erp.pedido` uses `x`"),
        (json!({ "response": "pedido" }), "`pedido` of `erp.pedido` is no JSON pointer"),
        (json!({ "idempotency_header": "a b" }), "`a b` and its value are no HTTP header"),
    ] {
        let error = HttpTool::new(spec(), system(&site), endpoint(change)).unwrap_err();
        assert!(error.to_string().starts_with(told), "{error}");
    }
    let names = || Arc::new(Names::default());
    for private in [site.url("/"), "https://10.0.0.1/".to_owned(), "http://example.com".to_owned()]
    {
        let error = System::new(&settings(private.clone(), false), names()).unwrap_err();
        assert!(matches!(error, DeclarationError::Address { .. }), "{private}: {error}");
    }
    let mut bad = settings(site.url("/"), true);
    bad.headers = vec![("X-Key".to_owned(), "uno\ndos".into())];
    let error = System::new(&bad, names()).unwrap_err().to_string();
    assert_eq!(error, "`X-Key` and its value are no HTTP header");
}

#[tokio::test]
async fn what_opens_a_system_is_never_printed() {
    let site = Site::answering(by_path).await;
    let tool = HttpTool::new(spec(), system(&site), endpoint(json!({}))).unwrap();
    let printed = format!("{tool:?} {:?}", settings(site.url("/"), true));
    assert!(!printed.contains("secreto"), "{printed}");
}

#[tokio::test]
async fn a_notice_is_posted_under_its_key_and_says_how_it_went() {
    let site = Site::answering(by_path).await;
    let egress = Egress::client(["127.0.0.1"], Arc::new(Names::default())).unwrap();
    for (path, expected) in [
        ("/bien/", Ok(json!({ "status": 200 }))),
        ("/mal/", Err(ToolError::Refused("the address answered 422 Unprocessable Entity".into()))),
        ("/roto/", Err(ToolError::Unknown("the address answered 503 Service Unavailable".into()))),
    ] {
        let notify = Notify::new(egress.clone(), &site.url(path), true).unwrap();
        let outcome = notify.call(&caller(), &json!({ "texto": "hola" }), "clave").await;
        assert_eq!(outcome, expected);
    }
    let seen = site.seen().remove(0);
    assert_eq!((seen.line.as_str(), &seen.body), ("POST /bien/", &json!({ "texto": "hola" })));
    assert_eq!(seen.headers["idempotency-key"], "clave");
    let shut = Egress::client([""; 0], Arc::new(Names::default())).unwrap();
    assert!(Notify::new(shut, &site.url("/"), true).is_err());
}
