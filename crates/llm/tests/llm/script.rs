//! Scripted models: the choice of the answer, and that the same comes every time.

use domain::{ModelEvent, ModelMessage, ModelPart, ModelRequest, Speaker, StopReason, Usage};
use llm::{FailureKind, Player, Script, Scripted, ScriptedAnswer, ScriptedReply};
use serde_json::json;

use super::providers::call;

fn says(
    component: Option<&str>,
    when: Option<&str>,
    times: Option<u32>,
    text: &str,
) -> ScriptedAnswer {
    ScriptedAnswer {
        component: component.map(str::to_owned),
        when: when.map(str::to_owned),
        times,
        reply: ScriptedReply::Text(text.to_owned()),
    }
}

fn replies(reply: ScriptedReply) -> ScriptedAnswer {
    ScriptedAnswer { component: None, when: None, times: Some(1), reply }
}

fn request(said: &str) -> ModelRequest {
    ModelRequest { messages: vec![ModelMessage::user(said)], ..ModelRequest::default() }
}

fn heard(player: &mut Player, component: &str, request: &ModelRequest) -> String {
    match player.answer(component, request) {
        Ok(reply) => reply.text(),
        Err(failure) => failure.kind.as_str().to_owned(),
    }
}

#[test]
fn the_first_answer_that_fits_and_is_left_is_taken() {
    let script = Script {
        answers: vec![
            says(Some("judge"), None, None, "for the judge"),
            says(None, Some("PRECIO"), Some(2), "the price"),
            says(Some("writer"), Some("hola"), Some(1), "hello"),
            says(Some("writer"), None, Some(1), "anything"),
        ],
    };
    let mut player = script.player();
    let cases = [
        ("writer", "¿Qué Precio tiene?", "the price"),
        ("judge", "precio", "for the judge"),
        ("writer", "Hola", "hello"),
        ("writer", "hola", "anything"),
        ("writer", "hola", "no_script"),
        ("detector", "su precio", "the price"),
        ("detector", "su precio", "no_script"),
        ("judge", "", "for the judge"),
    ];
    for (component, said, expected) in cases {
        assert_eq!(heard(&mut player, component, &request(said)), expected, "{component} {said}");
    }
    assert_eq!(heard(&mut script.player(), "writer", &request("hola")), "hello");
}

#[test]
fn what_counts_is_what_the_user_said_last_and_the_last_tools_result() {
    let script = |when: &str| Script { answers: vec![says(None, Some(when), None, "yes")] };
    let result = |content: &str| ModelPart::ToolResult {
        id: "1".into(),
        content: content.into(),
        is_error: false,
    };
    let mut request = request("first words");
    request.messages.push(ModelMessage::assistant("echo"));
    request.messages.push(ModelMessage::user("last words"));
    let parts = vec![result("early result"), result("late result")];
    request.messages.push(ModelMessage { role: Speaker::User, parts });
    for (when, expected) in [
        ("last words", "yes"),
        ("late result", "yes"),
        ("first", "no_script"),
        ("echo", "no_script"),
        ("early", "no_script"),
    ] {
        assert_eq!(heard(&mut script(when).player(), "writer", &request), expected, "{when}");
    }
}

#[test]
fn each_kind_of_reply_comes_as_a_model_would_give_it() {
    let calls = vec![("crm.find".to_owned(), json!({"q": 1})), ("crm.find".to_owned(), json!({}))];
    let script = Script {
        answers: vec![
            replies(ScriptedReply::Json(json!({"intent": "buy"}))),
            replies(ScriptedReply::Calls(calls, Some("One moment.".into()))),
            replies(ScriptedReply::Calls(vec![("t".to_owned(), json!({}))], None)),
            replies(ScriptedReply::Fail(FailureKind::Overloaded)),
        ],
    };
    let mut player = script.player();
    let request = request("12345678");
    let json = player.answer("detector", &request).unwrap();
    assert_eq!((json.text().as_str(), json.stop), ("{\"intent\":\"buy\"}", StopReason::End));
    assert_eq!(json.usage, Usage { input: 2, output: 4, ..Usage::default() });

    let calls = player.answer("orchestrator", &request).unwrap();
    assert_eq!((calls.text().as_str(), &calls.stop), ("One moment.", &StopReason::ToolCalls));
    let (first, second) = (json!({"q": 1}), json!({}));
    let expected = [("call_1", "crm.find", &first), ("call_2", "crm.find", &second)];
    assert_eq!(calls.calls().collect::<Vec<_>>(), expected);
    let later = player.answer("orchestrator", &request).unwrap();
    assert_eq!(later.calls().next().unwrap().0, "call_3");

    let failure = player.answer("writer", &request).unwrap_err();
    assert_eq!((failure.kind, failure.usage.input), (FailureKind::Overloaded, 2));
    let none = player.answer("writer", &request).unwrap_err();
    assert!(none.message.contains("writer") && none.message.contains("12345678"), "{none}");
    assert!(!none.kind.retryable());
}

#[tokio::test(start_paused = true)]
async fn as_a_provider_it_tells_what_it_says_and_takes_its_time() {
    let reply = ScriptedReply::Calls(vec![("t".to_owned(), json!({}))], Some("Wait.".into()));
    let script = Script { answers: vec![replies(reply)] };
    let delay = std::time::Duration::from_millis(800);
    let scripted = Scripted::new("demo", &script).with_delay(delay);
    let began = tokio::time::Instant::now();
    let (reply, heard) = call(&scripted, "any", &request("x")).await;
    assert_eq!(began.elapsed(), delay);
    assert!(reply.is_ok());
    let expected = [ModelEvent::Text("Wait.".into()), ModelEvent::ToolCall { name: "t".into() }];
    assert_eq!(heard, expected);
    assert_eq!(
        call(&scripted, "any", &request("x")).await.0.unwrap_err().kind,
        FailureKind::NoScript
    );
}
