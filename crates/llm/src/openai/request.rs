//! A request in the words of Chat Completions.

use domain::{ModelMessage, ModelPart, ModelRequest, OutputSchema, Speaker, ToolSpec, ToolUseMode};
use serde_json::{Map, Value, json};

use super::TokenLimit;
use crate::unsupported::Refused;
use crate::wire::{number, system};
use crate::{WireNames, schema};

/// Parameters that a request can do without, or has another name for.
pub(super) const CAN_DO_WITHOUT: &[&str] = &[
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "stream_options",
    "response_format",
    "strict",
    "tool_choice",
];

/// Models that think first, which take no temperature but their own.
const THINKING: &[&str] = &["o1", "o3", "o4", "gpt-5"];

/// The JSON body to post.
pub(super) fn body(
    model: &str,
    request: &ModelRequest,
    names: &WireNames,
    limit: TokenLimit,
    refused: &Refused,
) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("stream".to_owned(), json!(true));
    if refused.takes("stream_options") {
        body.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
    if let Some(word) = limit.word(refused) {
        body.insert(word.to_owned(), json!(request.max_tokens));
    }
    let (schemas, strict) = (refused.takes("response_format"), refused.takes("strict"));
    body.insert("messages".to_owned(), messages(request, names, &system(request, schemas)));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|spec| tool(spec, names, strict)).collect();
        body.insert("tools".to_owned(), tools);
        if refused.takes("tool_choice") || request.tool_use != ToolUseMode::Free {
            body.insert("tool_choice".to_owned(), json!(choice(request.tool_use)));
        }
    }
    if let Some(output) = request.output.as_ref().filter(|_| schemas) {
        body.insert("response_format".to_owned(), format(output, strict));
    }
    let thinks = THINKING.iter().any(|prefix| model.starts_with(prefix));
    let takes_temperature = !thinks && refused.takes("temperature");
    if let Some(temperature) = request.temperature.filter(|_| takes_temperature) {
        body.insert("temperature".to_owned(), number(temperature));
    }
    Value::Object(body)
}

fn choice(mode: ToolUseMode) -> &'static str {
    match mode {
        ToolUseMode::Free => "auto",
        ToolUseMode::Required => "required",
        ToolUseMode::Forbidden => "none",
    }
}

fn tool(spec: &ToolSpec, names: &WireNames, strict: bool) -> Value {
    let mut function = json!({
        "name": names.wire(&spec.name),
        "description": spec.description,
        "parameters": spec.input,
    });
    // `strict` is left out if false, because not every server knows the word.
    if strict && schema::strict(&spec.input) {
        function["strict"] = json!(true);
    }
    json!({"type": "function", "function": function})
}

/// The format of the answer, whose name is bound by the same rules as a tool's.
fn format(output: &OutputSchema, strict: bool) -> Value {
    let name = WireNames::default().wire(&output.name);
    let mut schema = json!({"name": name, "schema": output.schema});
    if strict {
        schema["strict"] = json!(schema::strict(&output.schema));
    }
    json!({"type": "json_schema", "json_schema": schema})
}

fn messages(request: &ModelRequest, names: &WireNames, system: &str) -> Value {
    let system = (!system.is_empty()).then(|| json!({"role": "system", "content": system}));
    let said = request.messages.iter().flat_map(|message| match message.role {
        Speaker::User => user(message),
        Speaker::Assistant => assistant(message, names).into_iter().collect(),
    });
    system.into_iter().chain(said).collect()
}

/// The messages of a user's turn. Tool results are messages of their own and must come right after
/// the calls they answer.
fn user(message: &ModelMessage) -> Vec<Value> {
    let mut messages: Vec<Value> = message.parts.iter().filter_map(result).collect();
    let content: Vec<Value> = message.parts.iter().filter_map(content).collect();
    match content.as_slice() {
        [] => {}
        [only] if only["type"] == "text" => {
            messages.push(json!({"role": "user", "content": only["text"]}));
        }
        _ => messages.push(json!({"role": "user", "content": content})),
    }
    messages
}

/// A tool's result. The wire has no mark for a failed tool, so its text says that it failed.
fn result(part: &ModelPart) -> Option<Value> {
    let ModelPart::ToolResult { id, content, is_error } = part else { return None };
    let content = if *is_error { format!("error: {content}") } else { content.clone() };
    Some(json!({"role": "tool", "tool_call_id": id, "content": content}))
}

fn content(part: &ModelPart) -> Option<Value> {
    match part {
        ModelPart::Text { text } if !text.is_empty() => Some(json!({"type": "text", "text": text})),
        ModelPart::Image { media_type, data } => Some(json!({
            "type": "image_url",
            "image_url": {"url": format!("data:{media_type};base64,{data}")},
        })),
        _ => None,
    }
}

/// The assistant's message; `None` if no part of it can be sent.
fn assistant(message: &ModelMessage, names: &WireNames) -> Option<Value> {
    let mut text = String::new();
    let mut calls = Vec::new();
    for part in &message.parts {
        match part {
            ModelPart::Text { text: more } => text.push_str(more),
            ModelPart::ToolCall { id, name, input } => calls.push(json!({
                "id": id, "type": "function",
                "function": {"name": names.wire(name), "arguments": input.to_string()},
            })),
            _ => {}
        }
    }
    let mut message = Map::new();
    if !text.is_empty() {
        message.insert("content".to_owned(), json!(text));
    }
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    if message.is_empty() {
        return None;
    }
    message.insert("role".to_owned(), json!("assistant"));
    Some(Value::Object(message))
}
