//! The requests sent: checked against the published schemas, and against recorded requests.

use std::collections::BTreeMap;

use domain::{ModelMessage, ModelPart, ModelRequest, OutputSchema, Speaker, ToolSpec, ToolUseMode};
use jsonschema::Validator;
use llm::{OpenAi, Provider, Refusals, TokenLimit};
use serde_json::{Value, json};

use super::providers::{BOTH, KEY, Kind, PATIENT, call, client, hello};
use super::server::{Answer, Server};

const PIXEL: &str = "iVBORw0KGgo=";

async fn posted(kind: Kind, model: &str, request: &ModelRequest) -> (String, Value) {
    let server = Server::giving(vec![Answer::events(&kind.good())]).await;
    let provider = kind.at(&server.base, PATIENT);
    call(&*provider, model, request).await.0.unwrap();
    server.requests().remove(0)
}

async fn body(kind: Kind, request: &ModelRequest) -> Value {
    posted(kind, kind.model(), request).await.1
}

fn parts(role: Speaker, parts: Vec<ModelPart>) -> ModelMessage {
    ModelMessage { role, parts }
}

fn text(text: &str) -> ModelPart {
    ModelPart::Text { text: text.to_owned() }
}

fn image() -> ModelPart {
    ModelPart::Image { media_type: "image/png".into(), data: PIXEL.into() }
}

fn called(id: &str, name: &str) -> ModelPart {
    ModelPart::ToolCall { id: id.into(), name: name.into(), input: json!({"q": "ñ"}) }
}

fn answered(id: &str, is_error: bool) -> ModelPart {
    ModelPart::ToolResult { id: id.into(), content: "sin stock".into(), is_error }
}

fn strict_schema() -> Value {
    json!({
        "type": "object", "properties": {"q": {"type": "string", "description": "What."}},
        "required": ["q"], "additionalProperties": false,
    })
}

fn loose_schema() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}})
}

fn tool(name: &str, input: Value) -> ToolSpec {
    ToolSpec { name: name.into(), description: "Does it.".into(), input }
}

fn with_tools(tool_use: ToolUseMode) -> ModelRequest {
    let tools = vec![tool("crm.find", strict_schema()), tool("crm_find", loose_schema())];
    ModelRequest { tools, tool_use, ..hello() }
}

fn with_output(schema: Value) -> ModelRequest {
    ModelRequest { output: Some(OutputSchema { name: "the intent".into(), schema }), ..hello() }
}

fn with_messages(messages: Vec<ModelMessage>) -> ModelRequest {
    ModelRequest { messages, ..hello() }
}

fn history() -> Vec<ModelMessage> {
    vec![
        ModelMessage::user("¿Hay?"),
        parts(
            Speaker::Assistant,
            vec![text("Veo."), called("a", "crm.find"), called("b", "old.one")],
        ),
        parts(Speaker::User, vec![text("¿Y?"), answered("a", false), answered("b", true)]),
        parts(Speaker::Assistant, vec![called("c", "crm.find")]),
        parts(Speaker::User, vec![answered("c", false)]),
    ]
}

/// A dozen requests that between them use everything.
fn requests() -> BTreeMap<&'static str, ModelRequest> {
    let bounds = json!({
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1, "maximum": 9},
            "who": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 9}}},
            "all": {"type": "array", "items": {"type": "string", "pattern": "^a"}},
            "any": {"oneOf": [{"type": "object", "properties": {}}, {"type": "null"}]},
        },
    });
    BTreeMap::from([
        ("text", hello()),
        ("no system", ModelRequest { system: "".into(), ..hello() }),
        ("a temperature", ModelRequest { temperature: Some(0.3), ..hello() }),
        ("an image", with_messages(vec![parts(Speaker::User, vec![text("¿Qué es?"), image()])])),
        ("an image alone", with_messages(vec![parts(Speaker::User, vec![image()])])),
        ("tools", with_tools(ToolUseMode::Free)),
        ("a tool by force", with_tools(ToolUseMode::Required)),
        ("no tool now", with_tools(ToolUseMode::Forbidden)),
        ("tool results", ModelRequest { messages: history(), ..with_tools(ToolUseMode::Free) }),
        ("an answer by schema", with_output(strict_schema())),
        ("an answer by a looser schema", with_output(bounds)),
        (
            "empty pieces",
            with_messages(vec![
                ModelMessage::user("Hola"),
                ModelMessage::assistant(""),
                parts(Speaker::User, vec![]),
                parts(Speaker::User, vec![text(""), text("¿Sí?")]),
            ]),
        ),
    ])
}

fn validator(schema: &str) -> Validator {
    jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap()
}

fn schema_of(kind: Kind) -> Validator {
    match kind {
        Kind::Anthropic => validator(include_str!("../data/anthropic/request.schema.json")),
        Kind::OpenAi => validator(include_str!("../data/openai/request.schema.json")),
    }
}

fn recorded(kind: Kind) -> Vec<Value> {
    let text = match kind {
        Kind::Anthropic => include_str!("../data/anthropic/recorded_requests.json"),
        Kind::OpenAi => include_str!("../data/openai/recorded_requests.json"),
    };
    let all: Vec<Value> = serde_json::from_str(text).unwrap();
    all.into_iter().map(|one| one["request"].clone()).collect()
}

#[tokio::test]
async fn every_request_fits_the_published_schema() {
    for kind in BOTH {
        let schema = schema_of(kind);
        for (what, request) in requests() {
            let body = body(kind, &request).await;
            let errors: Vec<_> = schema.iter_errors(&body).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{kind:?} {what}: {errors:?}\n{body:#}");
        }
    }
}

#[test]
fn the_schemas_take_what_was_recorded_and_refuse_what_is_wrong() {
    for kind in BOTH {
        let schema = schema_of(kind);
        let recorded = recorded(kind);
        assert!(recorded.len() > 5);
        for request in &recorded {
            assert!(schema.is_valid(request), "{kind:?} {request:#}");
        }
        let spoil = |key: &str, value: Value| {
            let mut request = recorded[0].clone();
            request[key] = value;
            request
        };
        for wrong in [
            spoil("messages", json!([])),
            spoil("messages", json!([{"role": "robot", "content": "x"}])),
            spoil("temperature", json!("hot")),
            spoil("tools", json!([{"name": 1}])),
            spoil("stream", json!("yes")),
        ] {
            assert!(!schema.is_valid(&wrong), "{kind:?} {wrong:#}");
        }
    }
}

/// Every path in a value with the type that stands there; all places of a list are one path.
fn shape(value: &Value, path: &str, into: &mut BTreeMap<String, &'static str>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(items) => {
            items.iter().for_each(|item| shape(item, &format!("{path}[]"), into));
            "array"
        }
        // The content of a schema is the caller's.
        Value::Object(_) if path.ends_with("schema") || path.ends_with("parameters") => "object",
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| shape(value, &format!("{path}.{key}"), into));
            "object"
        }
    };
    into.insert(path.to_owned(), kind);
}

#[tokio::test]
async fn whatever_we_and_a_recorded_request_both_say_has_the_same_type() {
    for kind in BOTH {
        let mut theirs = BTreeMap::new();
        recorded(kind).iter().for_each(|request| shape(request, "", &mut theirs));
        let mut shared = 0;
        for (what, request) in requests() {
            let body = body(kind, &request).await;
            let mut ours = BTreeMap::new();
            shape(&body, "", &mut ours);
            for (path, kind_of) in &ours {
                // Both forms are allowed here: a text, or a list of blocks.
                if path == ".system" || path == ".messages[].content" {
                    continue;
                }
                if let Some(recorded) = theirs.get(path) {
                    shared += 1;
                    assert_eq!(kind_of, recorded, "{kind:?} {what}: {path}");
                }
            }
        }
        assert!(shared > 60, "{kind:?} only {shared}");
    }
}

#[tokio::test]
async fn anthropic_is_asked_in_its_words() {
    let (head, body) =
        posted(Kind::Anthropic, "claude-haiku-4-5", &with_tools(ToolUseMode::Required)).await;
    assert!(head.starts_with("post /v1/messages http/1.1"), "{head}");
    assert!(head.contains(&format!("x-api-key: {KEY}")), "{head}");
    assert!(head.contains("anthropic-version: 2023-06-01"), "{head}");
    let cached = json!({"type": "ephemeral"});
    let expected = json!({
        "model": "claude-haiku-4-5", "max_tokens": 100, "stream": true,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": cached}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hola"}]}],
        "tools": [
            {
                "name": "crm_find_2", "description": "Does it.", "input_schema": strict_schema(),
                "strict": true,
            },
            {
                "name": "crm_find", "description": "Does it.", "input_schema": loose_schema(),
                "cache_control": cached,
            },
        ],
        "tool_choice": {"type": "any"},
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn anthropic_history_keeps_calls_results_and_errors() {
    let body = body(Kind::Anthropic, &with_messages(history())).await;
    let call = |id: &str, name: &str| json!({"type": "tool_use", "id": id, "name": name, "input": {"q": "ñ"}});
    let result = |id: &str, is_error: bool| {
        json!({
            "type": "tool_result", "tool_use_id": id, "content": "sin stock", "is_error": is_error,
        })
    };
    let said = |text: &str| json!({"type": "text", "text": text});
    let expected = json!([
        {"role": "user", "content": [said("¿Hay?")]},
        {"role": "assistant", "content": [said("Veo."), call("a", "crm_find"), call("b", "old_one")]},
        {"role": "user", "content": [said("¿Y?"), result("a", false), result("b", true)]},
        {"role": "assistant", "content": [call("c", "crm_find")]},
        {"role": "user", "content": [result("c", false)]},
    ]);
    assert_eq!(body["messages"], expected);
    assert!(body.get("tools").is_none() && body.get("tool_choice").is_none());
}

#[tokio::test]
async fn an_older_claude_is_told_of_the_schema_that_it_cannot_take() {
    let request =
        ModelRequest { tools: vec![tool("t", strict_schema())], ..with_output(strict_schema()) };
    for model in ["claude-3-5-haiku-latest", "claude-sonnet-4-20250514"] {
        let (_, body) = posted(Kind::Anthropic, model, &request).await;
        assert!(body.get("output_config").is_none() && body["tools"][0].get("strict").is_none());
        let system = body["system"][0]["text"].as_str().unwrap();
        assert!(system.starts_with("Be brief.") && system.contains(&strict_schema().to_string()));
    }
    let body = body(Kind::Anthropic, &request).await;
    let format = json!({"type": "json_schema", "schema": strict_schema()});
    assert_eq!(body["output_config"], json!({"format": format}));
    assert_eq!(body["system"][0]["text"], "Be brief.");
}

#[tokio::test]
async fn at_most_twenty_tools_are_strict_at_anthropic() {
    let tools = (0..25).map(|n| tool(&format!("t{n}"), strict_schema())).collect();
    let body = body(Kind::Anthropic, &ModelRequest { tools, ..hello() }).await;
    let strict = body["tools"].as_array().unwrap().iter().filter(|tool| tool["strict"] == true);
    assert_eq!(strict.count(), 20);
}

#[tokio::test]
async fn openai_is_asked_in_its_words() {
    let request = ModelRequest { temperature: Some(0.3), ..with_tools(ToolUseMode::Required) };
    let (head, body) = posted(Kind::OpenAi, "gpt-4o-mini", &request).await;
    assert!(head.starts_with("post /v1/chat/completions http/1.1"), "{head}");
    assert!(head.contains(&format!("authorization: bearer {KEY}")), "{head}");
    let function = |name: &str, parameters: Value| json!({"name": name, "description": "Does it.", "parameters": parameters});
    let mut strict = function("crm_find_2", strict_schema());
    strict["strict"] = json!(true);
    let expected = json!({
        "model": "gpt-4o-mini", "max_completion_tokens": 100, "stream": true, "temperature": 0.3,
        "stream_options": {"include_usage": true},
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hola"},
        ],
        "tools": [
            {"type": "function", "function": strict},
            {"type": "function", "function": function("crm_find", loose_schema())},
        ],
        "tool_choice": "required",
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn openai_history_has_a_message_for_each_result_and_says_which_failed() {
    let body = body(Kind::OpenAi, &with_messages(history())).await;
    let call = |id: &str, name: &str| {
        let function = json!({"name": name, "arguments": "{\"q\":\"ñ\"}"});
        json!({"id": id, "type": "function", "function": function})
    };
    let result =
        |id: &str, content: &str| json!({"role": "tool", "tool_call_id": id, "content": content});
    let expected = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "¿Hay?"},
        {
            "role": "assistant", "content": "Veo.",
            "tool_calls": [call("a", "crm_find"), call("b", "old_one")],
        },
        result("a", "sin stock"),
        result("b", "error: sin stock"),
        {"role": "user", "content": "¿Y?"},
        {"role": "assistant", "tool_calls": [call("c", "crm_find")]},
        result("c", "sin stock"),
    ]);
    assert_eq!(body["messages"], expected);
}

#[tokio::test]
async fn openai_answers_by_schema_are_strict_where_the_schema_is() {
    for (schema, strict) in [(strict_schema(), true), (loose_schema(), false)] {
        let body = body(Kind::OpenAi, &with_output(schema.clone())).await;
        let expected = json!({"name": "the_intent", "schema": schema, "strict": strict});
        assert_eq!(
            body["response_format"],
            json!({"type": "json_schema", "json_schema": expected})
        );
    }
}

#[tokio::test]
async fn an_image_goes_as_data_in_each_providers_form() {
    let request = with_messages(vec![parts(Speaker::User, vec![text("¿Qué es?"), image()])]);
    let source = json!({"type": "base64", "media_type": "image/png", "data": PIXEL});
    assert_eq!(
        body(Kind::Anthropic, &request).await["messages"][0]["content"][1],
        json!({"type": "image", "source": source})
    );
    let url = format!("data:image/png;base64,{PIXEL}");
    assert_eq!(
        body(Kind::OpenAi, &request).await["messages"][1]["content"][1],
        json!({"type": "image_url", "image_url": {"url": url}})
    );
}

#[tokio::test]
async fn models_that_think_first_get_no_temperature() {
    let request = ModelRequest { temperature: Some(0.3), ..hello() };
    for (model, sent) in [("o4-mini", false), ("gpt-5-mini", false), ("gpt-4.1", true)] {
        let (_, body) = posted(Kind::OpenAi, model, &request).await;
        assert_eq!(body.get("temperature").is_some(), sent, "{model}");
    }
}

#[tokio::test]
async fn a_server_of_ones_own_needs_no_key_and_knows_the_old_word_for_the_limit() {
    let server = Server::giving(vec![Answer::events(&Kind::OpenAi.good())]).await;
    let provider = OpenAi {
        id: "ollama".into(),
        base_url: format!("{}/v1/", server.base),
        api_key: None,
        client: client(),
        timeouts: PATIENT,
        token_limit: TokenLimit::for_base(&server.base),
        refusals: Refusals::default(),
    };
    assert_eq!(provider.name(), "ollama");
    call(&provider, "llama3.2", &hello()).await.0.unwrap();
    let (head, body) = server.requests().remove(0);
    assert!(head.starts_with("post /v1/chat/completions http/1.1"), "{head}");
    assert!(!head.contains("authorization"), "{head}");
    assert_eq!(body["max_tokens"], 100);
    assert!(body.get("max_completion_tokens").is_none());
}
