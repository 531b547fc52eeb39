//! The stream of a language model, in the words of either provider.

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    OpenAi,
    Anthropic,
}

/// The answer of a model.
#[derive(Clone, Debug)]
pub(crate) enum Says {
    /// A text, in pieces.
    Text(Vec<&'static str>),
    /// Tools with their arguments, written in two pieces.
    Calls(Vec<(String, &'static str, &'static str)>),
    Nothing,
    Refusal,
}

/// The tokens of every answer: input, output.
pub(crate) const TOKENS: (i64, i64) = (100, 20);

impl Wire {
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// The address that a provider of this kind is configured with.
    pub(crate) fn base(self, server: &str) -> String {
        match self {
            Self::OpenAi => format!("{server}/v1"),
            Self::Anthropic => server.to_owned(),
        }
    }

    /// The tools on offer whose names have this word, as they are named on the wire.
    pub(crate) fn offered(self, request: &Value, word: &str) -> Option<String> {
        let tools = request["tools"].as_array()?;
        let name = |tool: &Value| match self {
            Self::OpenAi => tool["function"]["name"].as_str().map(str::to_owned),
            Self::Anthropic => tool["name"].as_str().map(str::to_owned),
        };
        tools.iter().filter_map(name).find(|name| name.contains(word))
    }

    /// Whether it is told what its tools answered.
    pub(crate) fn has_results(self, request: &Value) -> bool {
        let Some(last) = request["messages"].as_array().and_then(|all| all.last()) else {
            return false;
        };
        match self {
            Self::OpenAi => last["role"] == "tool",
            Self::Anthropic => {
                let parts = last["content"].as_array().into_iter().flatten();
                parts.into_iter().any(|part| part["type"] == "tool_result")
            }
        }
    }

    /// The events of a whole answer.
    pub(crate) fn events(self, says: &Says) -> Vec<String> {
        match self {
            Self::OpenAi => openai(says).iter().map(|chunk| format!("data: {chunk}\n\n")).collect(),
            Self::Anthropic => {
                anthropic(says).iter().map(|event| format!("data: {event}\n\n")).collect()
            }
        }
    }

    /// An error as an event of the stream.
    pub(crate) fn error(self) -> String {
        let error = json!({ "type": "overloaded_error", "message": "busy" });
        match self {
            Self::OpenAi => format!("data: {}\n\n", json!({ "error": error })),
            Self::Anthropic => format!("data: {}\n\n", json!({ "type": "error", "error": error })),
        }
    }

    /// Keeps a stream alive and says nothing.
    pub(crate) fn ping(self) -> &'static str {
        match self {
            Self::OpenAi => "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"}}]}\n\n",
            Self::Anthropic => "data: {\"type\":\"ping\"}\n\n",
        }
    }
}

fn openai(says: &Says) -> Vec<String> {
    let chunk = |delta: Value, finish: Value| json!({ "model": "gpt-prueba", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    let mut chunks = vec![chunk(json!({ "role": "assistant", "content": null }), Value::Null)];
    let finish = match says {
        Says::Text(pieces) => {
            chunks.extend(pieces.iter().map(|text| chunk(json!({ "content": text }), Value::Null)));
            "stop"
        }
        Says::Calls(calls) => {
            for (index, (name, first, rest)) in calls.iter().enumerate() {
                let piece = |call: Value| chunk(json!({ "tool_calls": [call] }), Value::Null);
                let function = json!({ "name": name, "arguments": first });
                let id = format!("call_{index}");
                chunks.push(piece(
                    json!({ "index": index, "id": id, "type": "function", "function": function }),
                ));
                chunks.push(piece(json!({ "index": index, "function": { "arguments": rest } })));
            }
            "tool_calls"
        }
        Says::Nothing => "stop",
        Says::Refusal => "content_filter",
    };
    chunks.push(chunk(json!({}), json!(finish)));
    let (input, output) = TOKENS;
    let usage = json!({ "prompt_tokens": input, "completion_tokens": output });
    chunks.push(json!({ "model": "gpt-prueba", "choices": [], "usage": usage }));
    chunks.iter().map(Value::to_string).chain(["[DONE]".to_owned()]).collect()
}

fn anthropic(says: &Says) -> Vec<String> {
    let (input, output) = TOKENS;
    let usage = json!({ "input_tokens": input, "output_tokens": 1 });
    let message = json!({ "model": "claude-prueba", "usage": usage });
    let mut events = vec![json!({ "type": "message_start", "message": message })];
    let mut block = |index: usize, start: Value, deltas: Vec<Value>| {
        events
            .push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
        let delta =
            |delta| json!({ "type": "content_block_delta", "index": index, "delta": delta });
        events.extend(deltas.into_iter().map(delta));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    };
    let stop = match says {
        Says::Text(pieces) => {
            let delta = |text: &&str| json!({ "type": "text_delta", "text": text });
            block(0, json!({ "type": "text", "text": "" }), pieces.iter().map(delta).collect());
            "end_turn"
        }
        Says::Calls(calls) => {
            for (index, (name, first, rest)) in calls.iter().enumerate() {
                let start = json!({ "type": "tool_use", "id": format!("toolu_{index}"), "name": name, "input": {} });
                let delta =
                    |json: &str| json!({ "type": "input_json_delta", "partial_json": json });
                block(index, start, vec![delta(first), delta(rest)]);
            }
            "tool_use"
        }
        Says::Nothing => "end_turn",
        Says::Refusal => "refusal",
    };
    let usage = json!({ "output_tokens": output });
    events
        .push(json!({ "type": "message_delta", "delta": { "stop_reason": stop }, "usage": usage }));
    events.push(json!({ "type": "message_stop" }));
    events.iter().map(Value::to_string).collect()
}
