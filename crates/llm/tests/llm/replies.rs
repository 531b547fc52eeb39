//! The parts of each provider's streams beyond plain text.

use domain::{ModelEvent, ModelPart, ModelReply, ModelRequest, StopReason, ToolSpec, Usage};
use llm::FailureKind;
use serde_json::json;

use super::providers::{BOTH, Kind, PATIENT, call, events, hello};
use super::server::{Answer, Server};

async fn reply_to(
    kind: Kind,
    answer: Answer,
    request: &ModelRequest,
) -> (Result<ModelReply, FailureKind>, Vec<ModelEvent>) {
    let server = Server::giving(vec![answer]).await;
    let provider = kind.at(&server.base, PATIENT);
    let (result, heard) = call(&*provider, kind.model(), request).await;
    (result.map_err(|failure| failure.kind), heard)
}

async fn reply(kind: Kind, body: &str) -> ModelReply {
    reply_to(kind, Answer::events(body), &hello()).await.0.unwrap()
}

#[tokio::test]
async fn a_stream_is_heard_as_it_comes_and_ends_in_the_whole_reply() {
    for kind in BOTH {
        for answer in [Answer::events(&kind.good()), Answer::chunked(&kind.good(), 5, false)] {
            let (reply, heard) = reply_to(kind, answer, &hello()).await;
            let reply = reply.unwrap();
            assert_eq!(reply.parts, [ModelPart::Text { text: "Hola, Ana".into() }]);
            assert_eq!(reply.stop, StopReason::End);
            assert_eq!(reply.usage, Usage { input: 12, output: 4, ..Usage::default() });
            assert!(reply.model.starts_with(kind.model()) && reply.model != kind.model());
            let text = |text: &str| ModelEvent::Text(text.to_owned());
            assert_eq!(heard, [text("Hola, "), text("Ana")]);
        }
    }
}

#[tokio::test]
async fn every_reason_to_stop_is_told_apart() {
    let cases = [
        (Kind::Anthropic, "end_turn", StopReason::End),
        (Kind::Anthropic, "stop_sequence", StopReason::End),
        (Kind::Anthropic, "max_tokens", StopReason::MaxTokens),
        (Kind::Anthropic, "model_context_window_exceeded", StopReason::MaxTokens),
        (Kind::Anthropic, "refusal", StopReason::Refusal),
        (Kind::Anthropic, "pause_turn", StopReason::Other("pause_turn".into())),
        (Kind::OpenAi, "stop", StopReason::End),
        (Kind::OpenAi, "length", StopReason::MaxTokens),
        (Kind::OpenAi, "content_filter", StopReason::Refusal),
        (Kind::OpenAi, "error", StopReason::Other("error".into())),
    ];
    for (kind, word, expected) in cases {
        let reply = reply(kind, &(kind.beginning() + &kind.ending(word))).await;
        assert_eq!(reply.stop, expected, "{kind:?} {word}");
    }
}

#[tokio::test]
async fn a_tool_is_called_by_our_name_and_an_invented_one_by_the_models() {
    let tool = ToolSpec {
        name: "crm.contact.create".into(),
        description: "Creates.".into(),
        input: json!({"type": "object"}),
    };
    let request = ModelRequest { tools: vec![tool], ..hello() };
    for kind in BOTH {
        for (written, meant) in
            [("crm_contact_create", "crm.contact.create"), ("crm_contact_nuke", "crm_contact_nuke")]
        {
            let body = kind.calling(written, r#"{"name":"Ana"}"#);
            let (reply, heard) = reply_to(kind, Answer::events(&body), &request).await;
            let reply = reply.unwrap();
            let input = json!({"name": "Ana"});
            assert_eq!(reply.calls().collect::<Vec<_>>(), [("t1", meant, &input)]);
            assert_eq!(reply.stop, StopReason::ToolCalls);
            assert_eq!(heard, [ModelEvent::ToolCall { name: meant.into() }]);
        }
    }
}

#[tokio::test]
async fn no_call_survives_an_answer_that_was_cut_off_or_refused() {
    for kind in BOTH {
        let whole = kind.calling("t", r#"{"a":1}"#);
        let reasons = match kind {
            Kind::Anthropic => ["\"max_tokens\"", "\"refusal\""],
            Kind::OpenAi => ["\"length\"", "\"content_filter\""],
        };
        for reason in reasons {
            let cut = whole.replace("\"tool_use\"}", &format!("{reason}}}"));
            let cut = cut.replace("\"tool_calls\"}", &format!("{reason}}}"));
            assert_ne!(cut, whole);
            assert_eq!(reply(kind, &cut).await.calls().count(), 0, "{kind:?} {reason}");
        }
    }
}

#[tokio::test]
async fn a_call_without_arguments_has_an_empty_object() {
    for kind in BOTH {
        let reply = reply(kind, &kind.calling("t", "")).await;
        assert_eq!(reply.calls().next(), Some(("t1", "t", &json!({}))));
    }
}

#[tokio::test]
async fn thinking_and_whatever_anthropic_invents_are_passed_over() {
    let body = events(&[
        r#"{"type":"message_start","message":{"model":"m","usage":{"input_tokens":5,"cache_read_input_tokens":7,"cache_creation_input_tokens":11,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"x"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"brand_new","stuff":[1]}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"Ho"}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"la"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}"#,
        r#"{"type":"message_stop"}"#,
    ]);
    let reply = reply(Kind::Anthropic, &body).await;
    assert_eq!(reply.parts, [ModelPart::Text { text: "Hola".into() }]);
    let usage = Usage { input: 5, output: 9, cache_read: 7, cache_write: 11 };
    assert_eq!(reply.usage, usage);
}

#[tokio::test]
async fn anthropic_blocks_keep_their_order_and_parallel_calls_their_arguments() {
    let block = |index: u32, name: &str| {
        format!(
            r#"{{"type":"content_block_start","index":{index},"content_block":{{"type":"tool_use","id":"i{index}","name":"{name}","input":{{}}}}}}"#
        )
    };
    let json = |index: u32, json: &str| {
        format!(
            r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"input_json_delta","partial_json":"{json}"}}}}"#
        )
    };
    let body = events(&[
        r#"{"type":"message_start","message":{"model":"m","usage":{}}}"#,
        &block(0, "a"),
        &json(0, r#"{\"n\":"#),
        &block(1, "b"),
        &json(1, r#"{\"n\":2}"#),
        &json(0, "1}"),
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{}}"#,
        r#"{"type":"message_stop"}"#,
    ]);
    let reply = reply(Kind::Anthropic, &body).await;
    let (one, two) = (json!({"n": 1}), json!({"n": 2}));
    assert_eq!(reply.calls().collect::<Vec<_>>(), [("i0", "a", &one), ("i1", "b", &two)]);
}

#[tokio::test]
async fn a_message_that_stops_without_a_reason_is_malformed() {
    let body = events(&[
        r#"{"type":"message_start","message":{"model":"m"}}"#,
        r#"{"type":"message_stop"}"#,
    ]);
    let (result, _) = reply_to(Kind::Anthropic, Answer::events(&body), &hello()).await;
    assert_eq!(result, Err(FailureKind::Malformed));
}

#[tokio::test]
async fn what_openai_read_from_its_cache_is_counted_apart() {
    let body = events(&[
        r#"{"model":"m","choices":[{"delta":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":64}}}"#,
        "[DONE]",
    ]);
    let usage = Usage { input: 36, output: 3, cache_read: 64, cache_write: 0 };
    assert_eq!(reply(Kind::OpenAi, &body).await.usage, usage);
}

#[tokio::test]
async fn vendors_ends_are_ends() {
    let text = r#"{"model":"m","choices":[{"delta":{"content":"x"}}]}"#;
    let call = r#"{"model":"m","choices":[{"delta":{"tool_calls":[{"function":{"name":"t","arguments":"{}"}}]}}]}"#;
    let finish = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    let cases = [
        (events(&[text, "[DONE]"]), StopReason::End),
        (events(&[text, finish]), StopReason::End),
        (events(&[call, "[DONE]"]), StopReason::ToolCalls),
        (events(&[call, finish, "[DONE]"]), StopReason::ToolCalls),
    ];
    for (body, expected) in cases {
        assert_eq!(reply(Kind::OpenAi, &body).await.stop, expected, "{body}");
    }
}

#[tokio::test]
async fn a_refusal_in_words_is_a_refusal_and_keeps_them() {
    let body = events(&[
        r#"{"model":"m","choices":[{"delta":{"refusal":"I can"}}]}"#,
        r#"{"choices":[{"delta":{"refusal":"not."},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ]);
    let reply = reply(Kind::OpenAi, &body).await;
    assert_eq!((reply.stop.clone(), reply.text()), (StopReason::Refusal, "I cannot.".to_owned()));
}

#[tokio::test]
async fn a_completion_that_comes_whole_is_taken_too() {
    let body = r#"{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hola","tool_calls":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#;
    let (result, _) = reply_to(Kind::OpenAi, Answer::json(body), &hello()).await;
    assert_eq!(result.unwrap().text(), "Hola");
}

#[tokio::test]
async fn only_the_first_of_several_choices_is_heard() {
    let body = events(&[
        r#"{"model":"m","choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ]);
    assert_eq!(reply(Kind::OpenAi, &body).await.text(), "a");
}
