//! A pack's tools over loopback systems, held as the pack says.

use std::collections::HashMap;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use domain::{Caller, ContactId, ConversationId, SessionId, Timestamp, ToolError, WorkspaceId};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tools::Prepared;
use uuid::Uuid;

use super::*;
use crate::with_causes;

const CALLER: Caller = Caller {
    workspace: WorkspaceId(Uuid::nil()),
    conversation: ConversationId(Uuid::nil()),
    contact: ContactId(Uuid::nil()),
    session: SessionId(Uuid::nil()),
    authority: domain::Authority::Person,
};

#[test]
fn packs_know_every_tool_which_need_a_yes_and_what_no_model_may_give_those() {
    let registry = tools::Registry::builtin();
    let mut names: Vec<String> = registry.specs().iter().map(|spec| spec.name.clone()).collect();
    // `avisar` is there where the configuration says which address it posts to.
    names.push("avisar".to_owned());
    let mut listed: Vec<&str> = pack::ENGINE_TOOLS.iter().map(|tool| tool.name).collect();
    names.sort_unstable();
    listed.sort_unstable();
    assert_eq!(names, listed);
    let specs = registry.specs().into_iter();
    let needs: Vec<String> =
        specs.filter(|spec| spec.needs_yes).map(|spec| spec.name.clone()).collect();
    let mut known: Vec<&str> = pack::need_yes().map(|(name, _)| name).collect();
    known.sort_unstable();
    assert_eq!(needs, known);
    for (name, given) in pack::need_yes() {
        let spec = registry.get(name).expect("a tool").spec().clone();
        let required = spec.input["required"].as_array().cloned().unwrap_or_default();
        let required = required.iter().filter_map(|name| name.as_str());
        let engines = required.filter(|name| spec.engine_given.contains(name));
        assert_eq!(engines.collect::<Vec<_>>(), given, "{name}");
    }
}

/// Says what it was asked, in the place where a pack looks.
async fn rate(
    Path(city): Path<String>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Json<Value> {
    let header = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let (key, token) = (header("idempotency-key"), header("authorization"));
    Json(json!({ "tarifa": { "ciudad": city, "peso": query.get("peso"), "key": key,
                             "token": token } }))
}

async fn mcp(Json(message): Json<Value>) -> Response {
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": {} }, "serverInfo": { "name": "l", "version": "1" },
        }),
        "tools/list" => json!({ "tools": [
            { "name": "buscar", "inputSchema": { "type": "object" },
              "annotations": { "readOnlyHint": true, "idempotentHint": true } },
            { "name": "borrar", "inputSchema": { "type": "object" } },
        ] }),
        "tools/call" => json!({ "content": [{ "type": "text", "text": "hay 3" }] }),
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    Json(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })).into_response()
}

/// The address of a system and of an MCP server, under one host.
async fn site() -> String {
    let routes =
        axum::Router::new().route("/v1/envios/{ciudad}", get(rate)).route("/mcp", post(mcp));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    format!("http://{address}")
}

fn config(yaml: &str) -> Config {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("recado.yaml");
    std::fs::write(&file, yaml).unwrap();
    config::load(Some(&file), &config::Environment::default()).unwrap()
}

fn declared(tools: Value) -> Tools {
    serde_json::from_value(tools).unwrap()
}

fn rates() -> Value {
    json!({
        "name": "envios.cotizar", "description": "Cotiza un envío.", "system": "transportadora",
        "method": "GET", "path": "/envios/{ciudad}", "class": "safe", "result": "/tarifa",
        "params": [
            { "name": "ciudad", "in": "path", "type": "string", "one_of": ["Cali", "Bogotá"] },
            { "name": "peso", "in": "query", "type": "number", "required": false },
        ],
    })
}

async fn call(registry: &Registry, name: &str, input: Value) -> Result<Value, ToolError> {
    match registry.prepare(&CALLER, name, &input) {
        Ok(Prepared::Outside(call)) => call.attempt(&input, "clave-1").await,
        Ok(_) => panic!("{name} is outside"),
        Err(refusal) => panic!("{refusal}"),
    }
}

fn with_system(base: &str) -> Config {
    config(&format!(
        "systems: [{{ id: transportadora, base_url: {base}/v1, allow_private: true, \
         headers: [{{ name: Authorization, value: Bearer s3creto }}] }}]"
    ))
}

#[tokio::test]
async fn a_declared_call_reaches_its_system_with_all_its_parts() {
    let toolbox = Toolbox::configured(&with_system(&site().await)).unwrap();
    let tools = declared(json!({ "http": [rates()] }));
    let registry = toolbox.registry(&tools, Missing::Refuse).unwrap();
    let rate = call(&registry, "envios.cotizar", json!({ "ciudad": "Bogotá", "peso": 2 })).await;
    let expected =
        json!({ "ciudad": "Bogotá", "peso": "2", "key": null, "token": "Bearer s3creto" });
    assert_eq!(rate, Ok(expected));
    for wrong in [json!({}), json!({ "ciudad": "Lima" }), json!({ "ciudad": "Cali", "x": 1 })] {
        let refused = registry.prepare(&CALLER, "envios.cotizar", &wrong);
        assert!(matches!(refused, Err(ToolError::BadInput(_))), "{wrong}");
    }
    let mut keyed = rates();
    keyed["idempotent"] = json!(true);
    let registry =
        toolbox.registry(&declared(json!({ "http": [keyed] })), Missing::Refuse).unwrap();
    let rate = call(&registry, "envios.cotizar", json!({ "ciudad": "Cali" })).await.unwrap();
    assert_eq!(rate["key"], "clave-1");
}

#[tokio::test]
async fn a_system_that_is_not_configured_is_an_error_with_its_fix_or_a_stand_in() {
    let tools = declared(json!({
        "http": [rates()], "mcp": [{ "server": "inventario", "tools": ["buscar"] }],
    }));
    let toolbox = Toolbox::indoors();
    let error = toolbox.registry(&tools, Missing::Refuse).err().unwrap().to_string();
    for part in ["`envios.cotizar`", "`transportadora`", "`systems:`", "`inventario`", "`mcp:`"] {
        assert!(error.contains(part), "{error}");
    }
    let registry = toolbox.registry(&tools, Missing::StandIn).unwrap();
    for (name, input) in
        [("envios.cotizar", json!({ "ciudad": "Cali" })), ("inventario.buscar", json!({ "a": 1 }))]
    {
        let refused = call(&registry, name, input).await;
        assert!(matches!(refused, Err(ToolError::Refused(_))), "{name}: {refused:?}");
    }
    // A bad input is one without the system too.
    let refused = registry.prepare(&CALLER, "envios.cotizar", &json!({ "ciudad": "Lima" }));
    assert!(matches!(refused, Err(ToolError::BadInput(_))));
}

#[tokio::test]
async fn a_pack_holds_the_engines_tools_and_its_own_tighter() {
    let mut limited = rates();
    limited["limit"] = json!({ "count": 1, "per": "1h" });
    let tools = declared(json!({
        "tools": [
            { "name": "crm.contact.update", "class": "suggest" },
            { "name": "crm.order.update", "class": "bulk" },
            { "name": "turno.tomar", "limit": { "count": 1, "per": "1h" } },
            { "name": "avisar", "class": "suggest" },
        ],
        "http": [limited],
    }));
    let registry = Toolbox::indoors().registry(&tools, Missing::StandIn).unwrap();
    let name = json!({ "nombre": "Ana" });
    let suggested = registry.prepare(&CALLER, "crm.contact.update", &name);
    assert!(matches!(suggested, Ok(Prepared::Suggested(_))));
    let order = json!({ "pedido": Uuid::nil(), "estado": "cancelled" });
    let bulk = registry.prepare(&CALLER, "crm.order.update", &order);
    assert!(matches!(bulk, Err(ToolError::NeedsApproval(_))));
    for tool in ["turno.tomar", "envios.cotizar"] {
        let now = Timestamp::from_millis(0);
        assert!(registry.admit(&CALLER, tool, now).is_ok(), "{tool}");
        let again = registry.admit(&CALLER, tool, now.plus_ms(3_599_000));
        assert!(matches!(again, Err(ToolError::TooOften { .. })), "{tool}");
        assert!(registry.admit(&CALLER, tool, now.plus_ms(3_600_000)).is_ok(), "{tool}");
    }
    assert!(registry.get("avisar").is_none(), "nothing is configured to tell");
    let free = Toolbox::indoors().registry(&Tools::default(), Missing::Refuse).unwrap();
    let acts = free.prepare(&CALLER, "crm.contact.update", &name);
    assert!(matches!(acts, Ok(Prepared::Local { .. })), "another pack holds nothing");
}

#[tokio::test]
async fn an_address_at_home_is_called_only_where_that_is_allowed() {
    let base = site().await;
    let at_home = format!("systems: [{{ id: transportadora, base_url: '{base}/v1' }}]");
    let error = Toolbox::configured(&config(&at_home)).err().unwrap();
    let error = with_causes(&error);
    for part in ["transportadora", "allow_private", "egress"] {
        assert!(error.contains(part), "{error}");
    }
    let listed = format!("{at_home}\negress: {{ allow: [127.0.0.1] }}");
    let toolbox = Toolbox::configured(&config(&listed)).unwrap();
    let registry =
        toolbox.registry(&declared(json!({ "http": [rates()] })), Missing::Refuse).unwrap();
    let rate = call(&registry, "envios.cotizar", json!({ "ciudad": "Cali" })).await;
    assert_eq!(rate.unwrap()["ciudad"], "Cali");
}

#[tokio::test]
async fn a_server_is_reached_in_the_background_and_gives_only_the_tools_named() {
    let base = site().await;
    let reached = config(&format!(
        "mcp: [{{ id: inventario, url: '{base}/mcp' }}, {{ id: lejos, url: 'http://127.0.0.1:9' }}]\n\
         egress: {{ allow: [127.0.0.1] }}"
    ));
    let toolbox = Toolbox::configured(&reached).unwrap();
    let tools = declared(json!({ "mcp": [
        { "server": "inventario", "tools": ["buscar"] }, { "server": "lejos", "tools": ["x"] },
    ] }));
    let registry = toolbox.registry(&tools, Missing::Refuse).unwrap();
    let offered = async {
        while registry.get("inventario.buscar").is_none() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), offered).await.expect("it is reached");
    // The server's word on its tool is a hint; the pack's word holds.
    for (vouched, repeatable, class) in [
        (json!({}), false, Class::Execute),
        (json!({ "safe": ["buscar"] }), true, Class::Safe),
        (json!({ "idempotent": ["buscar"] }), true, Class::Execute),
        (json!({ "tools": ["borrar", "buscar"], "safe": ["borrar"] }), false, Class::Execute),
        (json!({ "tools": ["borrar", "buscar"], "idempotent": ["borrar"] }), false, Class::Execute),
    ] {
        let mut entry = json!({ "server": "inventario", "tools": ["buscar"] });
        entry.as_object_mut().unwrap().extend(vouched.as_object().unwrap().clone());
        let tools = declared(json!({ "mcp": [entry] }));
        let registry = toolbox.registry(&tools, Missing::Refuse).unwrap();
        assert_eq!(registry.get("inventario.buscar").unwrap().spec().class, class, "{vouched}");
        let prepared = registry.prepare(&CALLER, "inventario.buscar", &json!({}));
        let Ok(Prepared::Outside(call)) = prepared else { panic!("{vouched}") };
        assert_eq!(call.repeatable(), repeatable, "{vouched}");
    }
    let found = call(&registry, "inventario.buscar", json!({})).await;
    assert_eq!(found, Ok(json!({ "text": "hay 3" })));
    assert!(registry.get("inventario.borrar").is_none(), "the pack does not name it");
    assert!(registry.get("lejos.x").is_none());
}
