//! The answers of an MCP server of a few tools to each message, whichever way it came.

use serde_json::{Value, json};

/// `None` where nothing is to be answered.
pub(crate) fn answer(message: &Value) -> Option<Value> {
    let id = message.get("id")?.clone();
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "loopback", "version": "1" },
        }),
        "tools/list" => json!({ "tools": tools() }),
        "tools/call" => return Some(called(id, &message["params"])),
        method => {
            let error = json!({ "code": -32601, "message": format!("no method {method}") });
            return Some(json!({ "jsonrpc": "2.0", "id": id, "error": error }));
        }
    };
    Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn tools() -> Value {
    let text = json!({
        "type": "object",
        "properties": { "texto": { "type": "string" } },
        "required": ["texto"],
    });
    let none = json!({ "type": "object" });
    let tool = |name: &str, input: &Value, annotations: Value| {
        json!({ "name": name, "description": format!("Does {name}."), "inputSchema": input,
                "annotations": annotations })
    };
    json!([
        tool("leer", &text, json!({ "readOnlyHint": true })),
        tool("borrar", &none, json!({ "destructiveHint": true, "idempotentHint": true })),
        tool("decir", &text, json!({})),
        tool("objeto", &none, json!({})),
        tool("dibujo", &none, json!({})),
        tool("negarse", &none, json!({})),
        tool("romperse", &none, json!({})),
        tool("rechazar", &none, json!({})),
        tool("salir", &none, json!({})),
        tool("entorno", &none, json!({})),
        tool("mal esquema", &none, json!({})),
        tool(
            "torcido",
            &json!({ "type": "object", "properties": { "a": { "type": "x" } } }),
            json!({})
        ),
    ])
}

fn called(id: Value, params: &Value) -> Value {
    let text = |text: &str| json!({ "content": [{ "type": "text", "text": text }] });
    let said = params["arguments"]["texto"].as_str().unwrap_or_default();
    let result = match params["name"].as_str().unwrap_or_default() {
        "leer" => text(&format!("{{\"leido\":\"{said}\"}}")),
        "decir" => text(said),
        "borrar" => json!({ "content": [], "structuredContent": { "borrado": 1 } }),
        "objeto" => json!({ "content": [{ "type": "text", "text": "uno" },
                                        { "type": "text", "text": "dos" }] }),
        "dibujo" => {
            json!({ "content": [{ "type": "image", "data": "AA==", "mimeType": "image/png" },
                                        { "type": "text", "text": "ahí va" }] })
        }
        "negarse" => json!({ "content": [{ "type": "text", "text": "no hay stock" }],
                             "isError": true }),
        "salir" => json!({ "exits": true, "content": [] }),
        "entorno" => text(&environment()),
        "romperse" => {
            let error = json!({ "code": -32603, "message": "it broke" });
            return json!({ "jsonrpc": "2.0", "id": id, "error": error });
        }
        _ => {
            let error = json!({ "code": -32602, "message": "not like that" });
            return json!({ "jsonrpc": "2.0", "id": id, "error": error });
        }
    };
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

#[expect(clippy::disallowed_methods, reason = "the test asks what a process was given")]
fn environment() -> String {
    std::env::vars().map(|(name, _)| name).collect::<Vec<_>>().join(" ")
}
