//! The tools of an MCP server on loopback, over HTTP and as a process.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::ToolError;
use serde_json::{Value, json};
use tools::mcp::{Mcp, McpServer, McpTransport};
use tools::{Class, Egress, OutsideCall, Prepared, Registry};

use crate::kit::{Names, Seen, Site, caller, mcp_server};

/// Speaks the streamable transport without sessions: one answer to one POST.
fn speak(seen: &Seen) -> Response {
    if !seen.line.starts_with("POST /mcp") {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    match mcp_server::answer(&seen.body) {
        Some(answer) => Json(answer).into_response(),
        None => StatusCode::ACCEPTED.into_response(),
    }
}

fn over_http(url: String, allowed: &[&str]) -> McpServer {
    let egress = Egress::client(allowed.iter().copied(), Arc::new(Names::default())).unwrap();
    let headers = vec![("X-Api-Key".to_owned(), "secreto".into())];
    McpServer { id: "erp".to_owned(), transport: McpTransport::Http { url, headers, egress } }
}

fn as_process() -> McpServer {
    let command = env!("CARGO_BIN_EXE_mcp-loopback").to_owned();
    let env = vec![("CLAVE".to_owned(), "secreto".into())];
    let transport = McpTransport::Process { command, args: vec![], env };
    McpServer { id: "erp".to_owned(), transport }
}

async fn registry(server: McpServer) -> (Registry, Arc<Mcp>) {
    let mcp = Arc::new(Mcp::connect(server).await);
    let mut registry = Registry::builtin();
    registry.add_source(Arc::clone(&mcp) as _).unwrap();
    (registry, mcp)
}

fn prepared(registry: &Registry, tool: &str, input: &Value) -> OutsideCall {
    match registry.prepare(&caller(), tool, input) {
        Ok(Prepared::Outside(call)) => call,
        Ok(_) => panic!("{tool} is outside"),
        Err(refusal) => panic!("{refusal}"),
    }
}

async fn call(registry: &Registry, tool: &str, input: Value) -> Result<Value, ToolError> {
    prepared(registry, tool, &input).attempt(&input, "clave").await
}

fn offered(registry: &Registry) -> Vec<String> {
    let specs = registry.specs().into_iter();
    specs.map(|spec| spec.name.clone()).filter(|name| name.starts_with("erp.")).collect()
}

async fn check_tools(registry: &Registry) {
    let expected = [
        "erp.borrar",
        "erp.decir",
        "erp.dibujo",
        "erp.entorno",
        "erp.leer",
        "erp.negarse",
        "erp.objeto",
        "erp.rechazar",
        "erp.romperse",
        "erp.salir",
    ];
    assert_eq!(offered(registry), expected, "what cannot be offered is left out");
    // The server says that `leer` only reads and that `borrar` may be repeated: so it says.
    for tool in ["erp.leer", "erp.borrar", "erp.decir"] {
        let input = json!({ "texto": "a" });
        assert_eq!(registry.get(tool).unwrap().spec().class, Class::Execute, "{tool}");
        assert!(!prepared(registry, tool, &input).repeatable(), "{tool}");
    }
    assert_eq!(registry.get("erp.leer").unwrap().spec().description, "Does leer.");
    let unfit = registry.prepare(&caller(), "erp.leer", &json!({})).err().unwrap();
    assert_eq!(unfit.to_string(), "the input does not fit: `texto` is missing");
}

async fn check_calls(registry: &Registry) {
    for (tool, expected) in [
        ("erp.leer", Ok(json!({ "leido": "hola" }))),
        ("erp.decir", Ok(json!({ "text": "hola" }))),
        ("erp.borrar", Ok(json!({ "borrado": 1 }))),
        ("erp.objeto", Ok(json!({ "text": "uno\ndos" }))),
        ("erp.dibujo", Ok(json!({ "text": "ahí va", "left_out": 1 }))),
        ("erp.negarse", Err(ToolError::Refused("no hay stock".to_owned()))),
    ] {
        assert_eq!(call(registry, tool, json!({ "texto": "hola" })).await, expected, "{tool}");
    }
    let refused = call(registry, "erp.rechazar", json!({})).await;
    assert!(matches!(&refused, Err(ToolError::Refused(why)) if why.contains("not like that")));
    let broke = call(registry, "erp.romperse", json!({})).await;
    assert!(
        matches!(&broke, Err(ToolError::Unknown(why)) if why.contains("it broke")),
        "{broke:?}"
    );
}

#[tokio::test]
async fn a_server_over_http_offers_its_tools_and_answers_calls() {
    let site = Site::answering(speak).await;
    let (registry, _mcp) = registry(over_http(site.url("/mcp"), &["127.0.0.1"])).await;
    check_tools(&registry).await;
    check_calls(&registry).await;
    assert!(site.seen().iter().all(|seen| seen.headers["x-api-key"] == "secreto"));
}

#[tokio::test]
async fn a_process_offers_its_tools_and_answers_calls() {
    let (registry, _mcp) = registry(as_process()).await;
    check_tools(&registry).await;
    check_calls(&registry).await;
}

#[tokio::test]
async fn a_process_sees_nothing_of_our_environment() {
    let (registry, _mcp) = registry(as_process()).await;
    let seen = call(&registry, "erp.entorno", json!({})).await;
    assert_eq!(seen, Ok(json!({ "text": "CLAVE" })));
}

#[tokio::test]
async fn a_process_that_ends_during_a_call_may_have_acted_and_is_started_again() {
    let (registry, _mcp) = registry(as_process()).await;
    let ended = call(&registry, "erp.salir", json!({})).await;
    assert!(matches!(ended, Err(ToolError::Unknown(_))), "{ended:?}");
    let said = call(&registry, "erp.decir", json!({ "texto": "otra vez" })).await;
    assert_eq!(said, Ok(json!({ "text": "otra vez" })));
}

#[tokio::test]
async fn a_server_that_is_away_stops_nothing_and_its_tools_appear_when_it_is_back() {
    let first = Site::answering(speak).await;
    let (address, url) = (first.address, first.url("/mcp"));
    drop(first);
    tokio::task::yield_now().await;
    let (registry, mcp) = registry(over_http(url, &["127.0.0.1"])).await;
    assert!(offered(&registry).is_empty());
    let missing = registry.prepare(&caller(), "erp.decir", &json!({})).err().unwrap();
    assert_eq!(missing.to_string(), "there is no tool `erp.decir`");
    let back = Site::at(address, speak).await;
    mcp.ready().await;
    check_tools(&registry).await;
    // Gone again: its tools stay known, and a call says that it did nothing.
    drop(back);
    tokio::task::yield_now().await;
    let away = call(&registry, "erp.decir", json!({ "texto": "hola" })).await;
    assert_eq!(away, Err(ToolError::Refused("the server is away".to_owned())));
    let _back = Site::at(address, speak).await;
    let said = call(&registry, "erp.decir", json!({ "texto": "hola" })).await;
    assert_eq!(said, Ok(json!({ "text": "hola" })));
}

#[tokio::test]
async fn a_server_that_may_not_be_called_is_not() {
    let site = Site::answering(speak).await;
    let (registry, _mcp) = registry(over_http(site.url("/mcp"), &["otro.example.com"])).await;
    assert!(offered(&registry).is_empty());
    assert!(site.seen().is_empty());
}

fn redirect(seen: &Seen) -> Response {
    if seen.line.starts_with("POST /mcp") {
        return (StatusCode::TEMPORARY_REDIRECT, [("location", "/otra")]).into_response();
    }
    speak(seen)
}

#[tokio::test]
async fn a_redirect_takes_the_credentials_nowhere() {
    let site = Site::answering(redirect).await;
    let (registry, _mcp) = registry(over_http(site.url("/mcp"), &["127.0.0.1"])).await;
    assert!(offered(&registry).is_empty());
    assert!(site.lines().iter().all(|line| !line.contains("/otra")), "{:?}", site.lines());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_is_not_waited_for_long() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let connecting = registry(over_http(url, &["127.0.0.1"]));
    let (registry, _mcp) =
        tokio::time::timeout(Duration::from_secs(11), connecting).await.expect("it gives up");
    assert!(offered(&registry).is_empty());
}

#[tokio::test]
async fn a_process_that_cannot_be_started_stops_nothing() {
    let transport =
        McpTransport::Process { command: "/no/existe".to_owned(), args: vec![], env: vec![] };
    let (registry, _mcp) = registry(McpServer { id: "erp".to_owned(), transport }).await;
    assert!(offered(&registry).is_empty());
}
