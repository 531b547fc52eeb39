//! A request in the words of the Messages API.

use domain::{ModelMessage, ModelPart, ModelRequest, Speaker, ToolSpec, ToolUseMode};
use serde_json::{Map, Value, json};

use crate::wire::number;
use crate::{WireNames, schema};

/// Models from before answers and tools by strict schema.
const WITHOUT_SCHEMAS: &[&str] = &[
    "claude-2",
    "claude-3",
    "claude-instant",
    "claude-opus-4-0",
    "claude-opus-4-2",
    "claude-sonnet-4-0",
    "claude-sonnet-4-2",
];

/// How many tools of one request may be strict.
const MAX_STRICT_TOOLS: usize = 20;

/// The JSON body to post.
pub(super) fn body(model: &str, request: &ModelRequest, names: &WireNames) -> Value {
    let schemas = !WITHOUT_SCHEMAS.iter().any(|prefix| model.starts_with(prefix));
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("max_tokens".to_owned(), json!(request.max_tokens));
    body.insert("stream".to_owned(), json!(true));
    let messages: Vec<_> = request.messages.iter().filter_map(|m| message(m, names)).collect();
    body.insert("messages".to_owned(), Value::Array(messages));
    let system = system(request, schemas);
    if !system.is_empty() {
        let block = json!({"type": "text", "text": system, "cache_control": cached()});
        body.insert("system".to_owned(), json!([block]));
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), tools(&request.tools, names, schemas));
        body.insert("tool_choice".to_owned(), json!({"type": choice(request.tool_use)}));
    }
    if let Some(output) = request.output.as_ref().filter(|_| schemas) {
        let format = json!({"type": "json_schema", "schema": schema::closed(&output.schema)});
        body.insert("output_config".to_owned(), json!({"format": format}));
    }
    if let Some(temperature) = request.temperature {
        body.insert("temperature".to_owned(), number(temperature));
    }
    Value::Object(body)
}

/// A model that takes no schema is told of it.
fn system(request: &ModelRequest, schemas: bool) -> String {
    match &request.output {
        Some(output) if !schemas => format!(
            "{}\n\nAnswer with JSON alone, without fences, that fits this JSON Schema:\n{}",
            request.system, output.schema
        ),
        _ => request.system.clone(),
    }
}

fn cached() -> Value {
    json!({"type": "ephemeral"})
}

fn choice(mode: ToolUseMode) -> &'static str {
    match mode {
        ToolUseMode::Free => "auto",
        ToolUseMode::Required => "any",
        ToolUseMode::Forbidden => "none",
    }
}

/// The last one carries the mark up to which the provider caches, so that all are.
fn tools(specs: &[ToolSpec], names: &WireNames, schemas: bool) -> Value {
    let mut strict_left = if schemas { MAX_STRICT_TOOLS } else { 0 };
    let tool = |(place, spec): (usize, &ToolSpec)| {
        let mut tool = json!({
            "name": names.wire(&spec.name),
            "description": spec.description,
            "input_schema": spec.input,
        });
        if strict_left > 0 && schema::strict(&spec.input) {
            strict_left -= 1;
            tool["strict"] = json!(true);
        }
        if place + 1 == specs.len() {
            tool["cache_control"] = cached();
        }
        tool
    };
    specs.iter().enumerate().map(tool).collect()
}

/// None if nothing of it can be sent: the provider refuses empty texts and empty messages.
fn message(message: &ModelMessage, names: &WireNames) -> Option<Value> {
    let content: Vec<_> = message.parts.iter().filter_map(|part| block(part, names)).collect();
    let role = match message.role {
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
    };
    (!content.is_empty()).then(|| json!({"role": role, "content": content}))
}

fn block(part: &ModelPart, names: &WireNames) -> Option<Value> {
    Some(match part {
        ModelPart::Text { text } if text.trim().is_empty() => return None,
        ModelPart::Text { text } => json!({"type": "text", "text": text}),
        ModelPart::Image { media_type, data } => json!({
            "type": "image",
            "source": {"type": "base64", "media_type": media_type, "data": data},
        }),
        ModelPart::ToolCall { id, name, input } => {
            json!({"type": "tool_use", "id": id, "name": names.wire(name), "input": input})
        }
        ModelPart::ToolResult { id, content, is_error } => json!({
            "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error,
        }),
    })
}
