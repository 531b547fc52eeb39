//! Providers that fall silent: the limits are small, and no time is measured.

use std::time::Duration;

use domain::Usage;
use llm::{Ask, FailureKind, Timeouts};

use super::providers::{BOTH, Kind, PATIENT, call, events, hello};
use super::server::{Answer, Server};

const SOON: Duration = Duration::from_millis(50);

fn silent_from_the_start() -> Answer {
    Answer::raw("").then_silence()
}

fn silent_after_the_head() -> Answer {
    Answer::events("").then_silence()
}

fn silent_midway(kind: Kind) -> Answer {
    Answer::events(&kind.beginning()).then_silence()
}

#[tokio::test]
async fn each_silence_is_ended_by_its_own_limit_and_what_was_paid_is_known() {
    let first_byte = Timeouts { first_byte: SOON, ..PATIENT };
    let between = Timeouts { between_events: SOON, ..PATIENT };
    let total = Timeouts { total: SOON, ..PATIENT };
    for kind in BOTH {
        let input = if kind == Kind::Anthropic { 12 } else { 4 };
        let paid = Usage { input, output: 2, ..Usage::default() };
        let none = Usage::default();
        let cases = [
            (silent_from_the_start(), first_byte, FailureKind::TimeoutFirstByte, none),
            (silent_after_the_head(), first_byte, FailureKind::TimeoutFirstByte, none),
            (silent_midway(kind), between, FailureKind::TimeoutBetweenEvents, paid),
            (silent_from_the_start(), total, FailureKind::TimeoutTotal, none),
            (silent_midway(kind), total, FailureKind::TimeoutTotal, paid),
        ];
        for (answer, timeouts, expected, usage) in cases {
            let server = Server::giving(vec![answer.clone()]).await;
            let provider = kind.at(&server.base, timeouts);
            let failure = call(&*provider, kind.model(), &hello()).await.0.unwrap_err();
            assert_eq!(failure.kind, expected, "{kind:?} {answer:?}");
            // A busy machine may cut the stream off before a byte of it arrived.
            if failure.usage != none {
                assert_eq!(failure.usage, usage, "{kind:?} {answer:?}");
            }
        }
    }
}

#[tokio::test]
async fn the_callers_patience_counts_as_much_as_the_providers_limit() {
    for kind in BOTH {
        let server = Server::giving(vec![silent_from_the_start()]).await;
        let provider = kind.at(&server.base, PATIENT);
        let request = hello();
        let ask = Ask { component: "writer", model: kind.model(), request: &request, within: SOON };
        let failure = provider.call(&ask, &mut |_| ()).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::TimeoutTotal);
    }
}

#[tokio::test]
async fn silence_after_a_whole_answer_does_not_spoil_it() {
    let done = events(&[
        r#"{"model":"m","choices":[{"delta":{"content":"Hola"},"finish_reason":"stop"}]}"#,
    ]);
    let server = Server::giving(vec![Answer::events(&done).then_silence()]).await;
    let provider = Kind::OpenAi.at(&server.base, Timeouts { between_events: SOON, ..PATIENT });
    let reply = call(&*provider, "m", &hello()).await.0.unwrap();
    assert_eq!(reply.text(), "Hola");
    // Nobody reported tokens, so they are estimated.
    assert_eq!(reply.usage, Usage { input: 4, output: 1, ..Usage::default() });
}
