//! A request in the words of the Messages API.

use domain::{ModelMessage, ModelPart, ModelRequest, Speaker, ToolSpec, ToolUseMode};
use serde_json::{Map, Value, json};

use crate::unsupported::Refused;
use crate::wire::{number, system};
use crate::{WireNames, schema};

/// Parameters that a request can do without.
pub(super) const CAN_DO_WITHOUT: &[&str] =
    &["temperature", "output_config", "strict", "cache_control", "tool_choice"];

/// Models without answers and tools by strict schema.
const WITHOUT_SCHEMAS: &[&str] = &[
    "claude-2",
    "claude-3",
    "claude-instant",
    "claude-opus-4-0",
    "claude-opus-4-2",
    "claude-sonnet-4-0",
    "claude-sonnet-4-2",
];

/// The most tools of one request that may be strict.
const MAX_STRICT_TOOLS: usize = 20;

/// The first version whose models refuse a temperature.
const WITHOUT_TEMPERATURE: (u32, u32) = (4, 7);

/// The JSON body to post.
pub(super) fn body(
    model: &str,
    request: &ModelRequest,
    names: &WireNames,
    refused: &Refused,
) -> Value {
    let knows_schemas = !WITHOUT_SCHEMAS.iter().any(|prefix| model.starts_with(prefix));
    let schemas = knows_schemas && refused.takes("output_config");
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("max_tokens".to_owned(), json!(request.max_tokens));
    body.insert("stream".to_owned(), json!(true));
    let messages: Vec<_> = request.messages.iter().filter_map(|m| message(m, names)).collect();
    body.insert("messages".to_owned(), Value::Array(messages));
    let system = system(request, schemas);
    if !system.is_empty() {
        let mut block = json!({"type": "text", "text": system});
        cache(&mut block, refused);
        body.insert("system".to_owned(), json!([block]));
    }
    if !request.tools.is_empty() {
        let strict = knows_schemas && refused.takes("strict");
        body.insert("tools".to_owned(), tools(&request.tools, names, strict, refused));
        if refused.takes("tool_choice") || request.tool_use != ToolUseMode::Free {
            body.insert("tool_choice".to_owned(), json!({"type": choice(request.tool_use)}));
        }
    }
    if let Some(output) = request.output.as_ref().filter(|_| schemas) {
        let format = json!({"type": "json_schema", "schema": schema::closed(&output.schema)});
        body.insert("output_config".to_owned(), json!({"format": format}));
    }
    let takes_temperature = version(model).is_none_or(|version| version < WITHOUT_TEMPERATURE)
        && refused.takes("temperature");
    if let Some(temperature) = request.temperature.filter(|_| takes_temperature) {
        body.insert("temperature".to_owned(), number(temperature));
    }
    Value::Object(body)
}

/// The version in a model's name: (4, 5) of `claude-sonnet-4-5-20250929`. A number as long as a
/// date is no version.
fn version(model: &str) -> Option<(u32, u32)> {
    let (_, name) = model.rsplit_once("claude-")?;
    let number = |part: &str| part.parse::<u32>().ok().filter(|number| *number < 1_000);
    let mut parts = name.split(['-', '.', '@', ':']).skip_while(|part| number(part).is_none());
    let major = parts.next().and_then(number)?;
    Some((major, parts.next().and_then(number).unwrap_or(0)))
}

/// Marks the block as the end of a part for the provider to cache.
fn cache(block: &mut Value, refused: &Refused) {
    if refused.takes("cache_control") {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
}

fn choice(mode: ToolUseMode) -> &'static str {
    match mode {
        ToolUseMode::Free => "auto",
        ToolUseMode::Required => "any",
        ToolUseMode::Forbidden => "none",
    }
}

/// The tools. The last one carries the cache mark, so that all of them are cached.
fn tools(specs: &[ToolSpec], names: &WireNames, strict: bool, refused: &Refused) -> Value {
    let mut strict_left = if strict { MAX_STRICT_TOOLS } else { 0 };
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
            cache(&mut tool, refused);
        }
        tool
    };
    specs.iter().enumerate().map(tool).collect()
}

/// `None` if no part of the message can be sent, because the provider refuses empty texts and empty
/// messages.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_models_version_is_read_from_its_name() {
        for (model, expected) in [
            ("claude-opus-5", Some((5, 0))),
            ("claude-opus-4-7", Some((4, 7))),
            ("claude-opus-4-6", Some((4, 6))),
            ("claude-opus-4-20250514", Some((4, 0))),
            ("claude-sonnet-4-5-20250929", Some((4, 5))),
            ("claude-3-5-sonnet-20241022", Some((3, 5))),
            ("anthropic.claude-opus-4-7-v1:0", Some((4, 7))),
            ("anthropic/claude-haiku-5@20270101", Some((5, 0))),
            ("claude-instant", None),
            ("llama-4", None),
        ] {
            assert_eq!(version(model), expected, "{model}");
        }
    }
}
