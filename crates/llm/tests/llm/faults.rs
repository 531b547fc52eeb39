//! Every way a provider fails, on both: attempts, kind of failure, and tokens paid.

use std::sync::Arc;

use domain::{ModelEvent, SystemClock, Usage, WorkspaceId};
use llm::{Answered, DEADLINE, FailureKind, Limits, ModelSource, Models, Prices};

use super::providers::{BOTH, Kind, PATIENT, events, hello};
use super::server::{Answer, Server, nowhere};
use FailureKind::*;

fn models(kind: Kind, base: &str) -> Models {
    let provider = kind.at(base, PATIENT);
    let source = ModelSource { provider, vendor: kind.vendor(), models: Vec::new() };
    let clock = Arc::new(SystemClock::default());
    Models::new(
        vec![source],
        Prices::built_in().unwrap(),
        Limits::default(),
        clock,
        Arc::new(|_| 0),
    )
}

async fn ask(kind: Kind, base: &str) -> (Answered, Vec<ModelEvent>) {
    let workspace = WorkspaceId::from_slug("demo");
    let chain = [kind.model().to_owned()];
    let mut heard = Vec::new();
    let mut listen = |event| heard.push(event);
    let answered =
        models(kind, base).ask(workspace, "writer", &chain, &hello(), DEADLINE, &mut listen).await;
    (answered, heard)
}

struct Fault {
    what: &'static str,
    answer: Answer,
    kind: FailureKind,
    /// The known or estimated tokens of an attempt: input, output.
    paid: (u32, u32),
}

fn fault(what: &'static str, answer: Answer, kind: FailureKind) -> Fault {
    Fault { what, answer, kind, paid: (0, 0) }
}

const NO_TEXT: &[u8] = b"{\"\xff\xfe\": 1}\n\n";

fn status_faults() -> Vec<Fault> {
    let status = |status: &str, headers: &str, error: &str| {
        Answer::status(status, headers, &format!(r#"{{"error":{{{error}}}}}"#))
    };
    let busy = "429 Too Many Requests";
    let limit = r#""type":"rate_limit_error","message":"slow down""#;
    let cap = r#""type":"insufficient_quota","message":"You exceeded your current quota""#;
    vec![
        fault("429 with a wait", status(busy, "retry-after: 0\r\n", limit), RateLimited),
        fault("429 without a wait", status(busy, "", limit), RateLimited),
        fault("a spend cap", status(busy, "retry-after: 1\r\n", cap), SpendCap),
        fault("529", status("529 Overloaded", "", r#""type":"overloaded_error""#), Overloaded),
        fault("500", status("500 Internal Server Error", "", r#""type":"api_error""#), Server),
        fault("503", Answer::status("503 Service Unavailable", "", "<html>"), Server),
        fault("400", status("400 Bad Request", "", r#""message":"no""#), BadRequest),
        fault("413", status("413 Too Large", "", r#""type":"request_too_large""#), BadRequest),
        fault("401", status("401 Unauthorized", "", r#""message":"who?""#), Auth),
        fault("403", status("403 Forbidden", "", r#""message":"you?""#), Auth),
        fault("a closed connection", Answer::raw(""), Unreachable),
        fault("a 200 that is an error", Answer::json(r#"{"type":"error","error":{}}"#), Server),
        fault("an empty body", Answer::events(""), Truncated),
        fault("bytes that are no text", Answer::events("data: ").followed_by(NO_TEXT), Malformed),
        fault("too much", Answer::events(&": padding\n".repeat(500_000)), Oversized),
    ]
}

fn stream_faults(kind: Kind) -> Vec<Fault> {
    let (begun, paid) = (kind.beginning(), (if kind == Kind::Anthropic { 12 } else { 4 }, 2));
    let refusal = match kind {
        Kind::Anthropic => begun.clone() + &kind.ending("refusal"),
        Kind::OpenAi => begun.clone() + &kind.ending("content_filter"),
    };
    let error = match kind {
        Kind::Anthropic => r#"{"type":"error","error":{"type":"overloaded_error"}}"#,
        Kind::OpenAi => r#"{"error":{"type":"overloaded_error"}}"#,
    };
    let empty = match kind {
        Kind::Anthropic => events(&[
            r#"{"type":"message_start","message":{"model":"m","usage":{"input_tokens":12,"output_tokens":1}}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}"#,
            r#"{"type":"message_stop"}"#,
        ]),
        Kind::OpenAi => events(&[
            r#"{"choices":[{"delta":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":2}}"#,
        ]),
    };
    let faults = [
        (
            "an error after a 200",
            Answer::events(&(begun.clone() + &events(&[error]))),
            Overloaded,
            paid,
        ),
        ("a stream that ends early", Answer::events(&begun), Truncated, paid),
        ("a stream cut off in its chunks", Answer::chunked(&begun, 7, true), Truncated, paid),
        ("an event that is no JSON", Answer::events(&(begun + "data: {oops\n\n")), Malformed, paid),
        (
            "arguments that are no JSON",
            Answer::events(&kind.calling("t", "{\"a\":")),
            Malformed,
            (12, 4),
        ),
        (
            "arguments that are no object",
            Answer::events(&kind.calling("t", "[1]")),
            Malformed,
            (12, 4),
        ),
        ("an empty answer", Answer::events(&empty), Empty, (12, 2)),
        ("a refusal", Answer::events(&refusal), Refused, (12, 4)),
    ];
    faults
        .into_iter()
        .map(|(what, answer, kind, paid)| Fault { what, answer, kind, paid })
        .collect()
}

fn all_faults(kind: Kind) -> Vec<Fault> {
    status_faults().into_iter().chain(stream_faults(kind)).collect()
}

#[tokio::test]
async fn a_fault_that_stays_is_tried_three_times_at_most_and_every_attempt_is_counted() {
    for kind in BOTH {
        for Fault { what, answer, kind: expected, paid } in all_faults(kind) {
            let server = Server::giving(vec![answer]).await;
            let (answered, _) = ask(kind, &server.base).await;
            let failure = answered.result.expect_err(what);
            assert_eq!(failure.kind, expected, "{kind:?} {what}: {failure}");
            let attempts = if expected.retryable() { 3 } else { 1 };
            assert_eq!(answered.calls.len(), attempts, "{kind:?} {what}");
            assert_eq!(server.requests().len(), attempts, "{kind:?} {what}");
            for (call, number) in answered.calls.iter().zip(1..) {
                assert_eq!((call.attempt, call.outcome.as_str()), (number, expected.as_str()));
                let usage = Usage { input: paid.0, output: paid.1, ..Usage::default() };
                assert_eq!(call.usage, usage, "{kind:?} {what}");
                assert_eq!(call.cost.0 > 0, paid != (0, 0), "{kind:?} {what}");
            }
        }
    }
}

#[tokio::test]
async fn a_fault_that_passes_is_followed_by_the_whole_answer_and_nothing_of_the_failed_one() {
    for kind in BOTH {
        for Fault { what, answer, kind: expected, .. } in all_faults(kind) {
            if !expected.retryable() {
                continue;
            }
            let server = Server::giving(vec![answer, Answer::events(&kind.good())]).await;
            let (answered, heard) = ask(kind, &server.base).await;
            assert_eq!(answered.result.expect(what).text(), "Hola, Ana");
            let outcomes: Vec<_> =
                answered.calls.iter().map(|call| call.outcome.as_str()).collect();
            assert_eq!(outcomes, [expected.as_str(), "answered"], "{kind:?} {what}");
            let again = heard.iter().rposition(|event| *event == ModelEvent::Again).expect(what);
            let text = |text: &str| ModelEvent::Text(text.to_owned());
            assert_eq!(heard[again + 1..], [text("Hola, "), text("Ana")], "{kind:?} {what}");
        }
    }
}

#[tokio::test]
async fn with_nothing_listening_the_provider_is_unreachable() {
    for kind in BOTH {
        let (answered, _) = ask(kind, &nowhere().await).await;
        let failure = answered.result.unwrap_err();
        assert_eq!(failure.kind, Unreachable);
        assert!(failure.message.to_lowercase().contains("connection refused"), "{failure}");
        assert_eq!(answered.calls.len(), 3);
    }
}

#[tokio::test]
async fn a_base_address_that_is_none_is_not_tried_again() {
    for kind in BOTH {
        let (answered, _) = ask(kind, "not an address").await;
        assert_eq!(answered.result.unwrap_err().kind, BadRequest);
        assert_eq!(answered.calls.len(), 1);
    }
}
