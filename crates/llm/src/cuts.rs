//! Tests: recorded streams give the same reply as the official packages, wherever they are cut.

use bytes::Bytes;
use domain::{ModelEvent, ModelPart, ModelReply, ModelRequest, StopReason, Usage};
use serde_json::Value;

use crate::exchange::{Fold, folded};
use crate::{CallFailure, FailureKind, WireNames, anthropic, openai};

fn message() -> anthropic::Message {
    anthropic::Message::new(WireNames::default())
}

fn completion() -> openai::Completion {
    openai::Completion::new(WireNames::default(), &ModelRequest::default())
}

macro_rules! sample {
    ($path:literal) => {
        (
            include_str!(concat!("../tests/data/", $path, ".sse")),
            include_str!(concat!("../tests/data/", $path, ".expected.json")),
        )
    };
}

async fn fold_in<F: Fold>(
    pieces: Vec<Bytes>,
    fold: F,
) -> (Result<ModelReply, CallFailure>, Vec<ModelEvent>) {
    let mut heard = Vec::new();
    let result = folded(pieces, fold, &mut |event| heard.push(event)).await;
    (result, heard)
}

/// The reply of a stream that comes whole, in two pieces cut at every byte, and byte by byte.
async fn reply_of<F: Fold>(stream: &str, fold: impl Fn() -> F) -> ModelReply {
    let bytes = Bytes::copy_from_slice(stream.as_bytes());
    let (whole, heard) = fold_in(vec![bytes.clone()], fold()).await;
    for cut in 1..bytes.len() {
        let pieces = vec![bytes.slice(..cut), bytes.slice(cut..)];
        assert_eq!(fold_in(pieces, fold()).await, (whole.clone(), heard.clone()), "cut at {cut}");
    }
    let single = bytes.chunks(1).map(Bytes::copy_from_slice).collect();
    assert_eq!(fold_in(single, fold()).await, (whole.clone(), heard.clone()));
    let reply = whole.unwrap();
    assert_eq!(said(&heard), reply.text());
    reply
}

fn said(heard: &[ModelEvent]) -> String {
    let text = |event: &ModelEvent| match event {
        ModelEvent::Text(text) => Some(text.clone()),
        _ => None,
    };
    heard.iter().filter_map(text).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn count(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap_or(0)).unwrap()
}

fn expected_of_anthropic(expected: &str) -> ModelReply {
    let expected: Value = serde_json::from_str(expected).unwrap();
    let (content, usage) = (expected["content"].as_array().unwrap(), &expected["usage"]);
    let part = |block: &Value| match block["type"].as_str().unwrap() {
        "text" => ModelPart::Text { text: text(&block["text"]) },
        _ => ModelPart::ToolCall {
            id: text(&block["id"]),
            name: text(&block["name"]),
            input: block["input"].clone(),
        },
    };
    ModelReply {
        parts: content.iter().map(part).collect(),
        stop: match expected["stop_reason"].as_str().unwrap() {
            "end_turn" => StopReason::End,
            "tool_use" => StopReason::ToolCalls,
            "max_tokens" => StopReason::MaxTokens,
            other => panic!("{other}"),
        },
        usage: Usage {
            input: count(&usage["input_tokens"]),
            output: count(&usage["output_tokens"]),
            cache_read: count(&usage["cache_read_input_tokens"]),
            cache_write: count(&usage["cache_creation_input_tokens"]),
        },
        model: text(&expected["model"]),
    }
}

#[tokio::test]
async fn an_anthropic_stream_gives_what_the_official_package_makes_of_it() {
    for (stream, expected) in [
        sample!("anthropic/basic"),
        sample!("anthropic/text"),
        sample!("anthropic/tool"),
        sample!("anthropic/json_tool"),
    ] {
        assert_eq!(reply_of(stream, message).await, expected_of_anthropic(expected));
    }
}

#[tokio::test]
async fn a_call_that_was_cut_off_is_left_out_so_that_no_tool_runs_from_it() {
    let (stream, expected) = sample!("anthropic/cut_off_tool");
    let mut expected = expected_of_anthropic(expected);
    expected.parts.retain(|part| matches!(part, ModelPart::Text { .. }));
    assert_eq!(expected.stop, StopReason::MaxTokens);
    assert_eq!(reply_of(stream, message).await, expected);
}

fn expected_of_openai(expected: &str) -> ModelReply {
    let expected: Value = serde_json::from_str(expected).unwrap();
    let (choice, usage) = (&expected["choices"][0], &expected["usage"]);
    let said = text(&choice["message"]["content"]);
    let said = (!said.is_empty()).then_some(ModelPart::Text { text: said });
    let calls = choice["message"]["tool_calls"].as_array().into_iter().flatten();
    let calls = calls.map(|call| ModelPart::ToolCall {
        id: text(&call["id"]),
        name: text(&call["function"]["name"]),
        input: serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap(),
    });
    let cached = count(&usage["prompt_tokens_details"]["cached_tokens"]);
    ModelReply {
        parts: said.into_iter().chain(calls).collect(),
        stop: match choice["finish_reason"].as_str().unwrap() {
            "stop" => StopReason::End,
            "tool_calls" => StopReason::ToolCalls,
            other => panic!("{other}"),
        },
        usage: Usage {
            input: count(&usage["prompt_tokens"]) - cached,
            output: count(&usage["completion_tokens"]),
            cache_read: cached,
            cache_write: 0,
        },
        model: text(&expected["model"]),
    }
}

#[tokio::test]
async fn an_openai_stream_gives_what_the_official_package_makes_of_it() {
    let (stream, expected) = sample!("openai/groq_tool");
    assert_eq!(reply_of(stream, completion).await, expected_of_openai(expected));

    // Azure's first chunk names no model, and the official package keeps that.
    let (stream, expected) = sample!("openai/azure_text");
    let model = "gpt-5-nano-2025-08-07".to_owned();
    assert_eq!(
        reply_of(stream, completion).await,
        ModelReply { model, ..expected_of_openai(expected) }
    );
}

#[tokio::test]
async fn letters_of_several_bytes_survive_any_cut() {
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"¿Añadir 🧉?\"}}]}\r\n\r\n\
                  data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\r\n\r\n";
    assert_eq!(reply_of(stream, completion).await.text(), "¿Añadir 🧉?");
}

/// A stream that ends at any byte before its end gives no reply but reports its cost.
async fn never_whole_before<F: Fold>(stream: &str, whole_from: &str, fold: impl Fn() -> F) {
    let end = stream.find(whole_from).unwrap() + whole_from.len();
    let bytes = Bytes::copy_from_slice(stream.as_bytes());
    for cut in 0..end {
        let (result, _) = fold_in(vec![bytes.slice(..cut)], fold()).await;
        let failure = result.expect_err(&format!("cut at {cut}"));
        assert_eq!(failure.kind, FailureKind::Truncated, "cut at {cut}");
    }
    assert!(fold_in(vec![bytes], fold()).await.0.is_ok());
}

#[tokio::test]
async fn a_stream_that_ends_early_is_never_taken_for_an_answer() {
    for (stream, _) in [sample!("anthropic/tool"), sample!("anthropic/text")] {
        never_whole_before(stream, "{\"type\":\"message_stop\"}\n", message).await;
    }
    never_whole_before(
        sample!("openai/groq_tool").0,
        "\"finish_reason\":\"tool_calls\"",
        completion,
    )
    .await;
    never_whole_before(sample!("openai/azure_text").0, "\"finish_reason\":\"stop\"", completion)
        .await;
}
