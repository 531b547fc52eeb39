//! Judges whether a reply is an answer.

use domain::{ModelReply, ModelRequest, StopReason};

use crate::{CallFailure, FailureKind};

/// The most characters of an answer that a failure quotes.
const TOLD: usize = 500;

/// The reply if it answers the request; a reply that does not was paid all the same.
pub fn judged(request: &ModelRequest, reply: ModelReply) -> Result<ModelReply, CallFailure> {
    let fault = |kind, message: String| Err(CallFailure::new(kind, message).paid(reply.usage));
    let text = reply.text();
    let calls = reply.calls().next().is_some();
    match reply.stop {
        StopReason::Refusal => {
            fault(FailureKind::Refused, format!("the model refused to answer: {text}"))
        }
        // An answer cut off by its limit is returned, because the same request would be cut off
        // again.
        StopReason::MaxTokens => Ok(reply),
        _ if calls => Ok(reply),
        _ if text.trim().is_empty() => fault(FailureKind::Empty, "the answer is empty".to_owned()),
        _ => match request
            .output
            .as_ref()
            .map(|_| serde_json::from_str::<serde::de::IgnoredAny>(&text))
        {
            Some(Err(_)) => {
                let said: String = text.chars().take(TOLD).collect();
                fault(FailureKind::Malformed, format!("the answer is not JSON: {said}"))
            }
            _ => Ok(reply),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{ModelPart, OutputSchema, Usage};
    use serde_json::json;

    #[test]
    fn an_answer_says_something_and_is_json_where_that_was_asked() {
        let text = |text: &str| ModelPart::Text { text: text.to_owned() };
        let call = ModelPart::ToolCall { id: "1".into(), name: "t".into(), input: json!({}) };
        let cases = [
            (vec![text("hola")], StopReason::End, false, None),
            (vec![text("hola")], StopReason::End, true, Some(FailureKind::Malformed)),
            (vec![text("{\"a\":1}")], StopReason::End, true, None),
            (vec![text("{\"a\":1} so")], StopReason::End, true, Some(FailureKind::Malformed)),
            (vec![text("let me see"), call.clone()], StopReason::ToolCalls, true, None),
            (vec![call], StopReason::ToolCalls, false, None),
            (vec![], StopReason::End, false, Some(FailureKind::Empty)),
            (vec![text(" \n")], StopReason::End, false, Some(FailureKind::Empty)),
            (vec![], StopReason::Other("pause_turn".into()), false, Some(FailureKind::Empty)),
            (vec![text("{\"a\":")], StopReason::MaxTokens, true, None),
            (vec![], StopReason::MaxTokens, false, None),
            (vec![text("no")], StopReason::Refusal, false, Some(FailureKind::Refused)),
            (vec![], StopReason::Refusal, false, Some(FailureKind::Refused)),
        ];
        for (parts, stop, by_schema, expected) in cases {
            let output = by_schema.then(|| OutputSchema { name: "o".into(), schema: json!({}) });
            let request = ModelRequest { output, ..ModelRequest::default() };
            let usage = Usage { input: 3, output: 5, ..Usage::default() };
            let reply = ModelReply { parts, stop, usage, model: "m".into() };
            let shown = format!("{reply:?}");
            match judged(&request, reply) {
                Ok(_) => assert_eq!(expected, None, "{shown}"),
                Err(failure) => {
                    assert_eq!(Some(failure.kind), expected, "{shown}");
                    assert_eq!(failure.usage, usage);
                }
            }
        }
    }
}
