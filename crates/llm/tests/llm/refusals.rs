//! Models that do not take a parameter: the call is made again without it, and the next at once so.

use std::sync::Arc;
use std::time::Duration;

use domain::{ModelRequest, OutputSchema, ToolSpec, WorkspaceId};
use llm::{
    Answered, Limits, ModelSource, ModelVendor, Models, OpenAi, Prices, Refusals, TokenLimit,
};
use serde_json::{Value, json};

use super::fake::TokioClock;
use super::providers::{Kind, PATIENT, call, client, hello};
use super::server::{Answer, Server};

fn refusal(body: &Value) -> Answer {
    Answer::status("400 Bad Request", "content-type: application/json\r\n", &body.to_string())
}

fn unsupported(parameter: &str) -> Answer {
    let message = format!("Unsupported parameter: '{parameter}' is not supported with this model.");
    refusal(&json!({"error": {"message": message, "type": "invalid_request_error",
        "param": parameter, "code": "unsupported_parameter"}}))
}

/// A gateway that is asked with the old name of the limit.
fn gateway(base: &str) -> OpenAi {
    OpenAi {
        id: "gateway".into(),
        base_url: format!("{base}/v1"),
        api_key: None,
        client: client(),
        timeouts: PATIENT,
        token_limit: TokenLimit::MaxTokens,
        refusals: Refusals::default(),
    }
}

fn models(source: ModelSource) -> Models {
    let prices = Prices::parse("a: {input: 1, output: 2}").unwrap();
    Models::new(vec![source], prices, Limits::default(), TokioClock::new(), Arc::new(|_| 0))
}

async fn ask(models: &Models, model: &str, request: &ModelRequest) -> Answered {
    let (workspace, chain) = (WorkspaceId::from_slug("demo"), [model.to_owned()]);
    let within = Duration::from_secs(60);
    models.ask(workspace, "writer", &chain, request, within, &mut |_| ()).await
}

fn outcomes(answered: &Answered) -> Vec<&str> {
    answered.calls.iter().map(|call| call.outcome.as_str()).collect()
}

#[tokio::test]
async fn a_gateway_that_refuses_the_old_word_for_the_limit_is_asked_with_the_new_one() {
    let good = Answer::events(&Kind::OpenAi.good());
    let server = Server::giving(vec![unsupported("max_tokens"), good]).await;
    let provider = Arc::new(gateway(&server.base));
    let models = models(ModelSource {
        provider: Arc::clone(&provider) as _,
        vendor: ModelVendor::Any,
        models: vec![],
    });
    let answered = ask(&models, "thinker", &hello()).await;
    assert_eq!(answered.result.as_ref().unwrap().text(), "Hola, Ana");
    assert_eq!(outcomes(&answered), ["unsupported_parameter", "answered"]);
    let again = ask(&models, "thinker", &hello()).await;
    assert_eq!(outcomes(&again), ["answered"], "the next call is right at once");
    call(&*provider, "another", &hello()).await.0.unwrap();
    let limits: Vec<_> = server
        .requests()
        .iter()
        .map(|(_, body)| (body["max_tokens"].clone(), body["max_completion_tokens"].clone()))
        .collect();
    let (old, new) = ((json!(100), json!(null)), (json!(null), json!(100)));
    assert_eq!(limits, [old.clone(), new.clone(), new, old], "another model is asked as ever");
}

#[tokio::test]
async fn each_parameter_a_model_refuses_is_left_out_within_the_attempts_there_are() {
    let good = Answer::events(&Kind::OpenAi.good());
    let both = vec![unsupported("max_tokens"), unsupported("max_completion_tokens"), good];
    let server = Server::giving(both).await;
    let provider = Arc::new(gateway(&server.base));
    let models = models(ModelSource { provider, vendor: ModelVendor::Any, models: vec![] });
    let answered = ask(&models, "thinker", &hello()).await;
    assert_eq!(
        outcomes(&answered),
        ["unsupported_parameter", "unsupported_parameter", "answered",]
    );
    let (_, last) = server.requests().pop().unwrap();
    assert!(last.get("max_tokens").is_none() && last.get("max_completion_tokens").is_none());

    let stubborn = Server::giving(vec![unsupported("messages")]).await;
    let provider = Arc::new(gateway(&stubborn.base));
    let models = self::models(ModelSource { provider, vendor: ModelVendor::Any, models: vec![] });
    let answered = ask(&models, "thinker", &hello()).await;
    assert_eq!(outcomes(&answered), ["bad_request"], "nothing goes without its messages");
}

#[tokio::test]
async fn whatever_can_be_done_without_is_left_out_however_it_is_refused() {
    let output = Some(OutputSchema { name: "o".into(), schema: json!({"type": "object"}) });
    let input = json!({"type": "object", "properties": {}, "required": [],
        "additionalProperties": false});
    let tools = vec![ToolSpec { name: "t".into(), description: "Does it.".into(), input }];
    let request = ModelRequest { temperature: Some(0.2), output, tools, ..hello() };
    let sends = |body: &Value, name: &str| body.to_string().contains(&format!("\"{name}\":"));
    let in_band = Answer::json(
        &json!({"error": {"type": "invalid_request_error", "param": "temperature",
            "message": "temperature is not supported"}})
        .to_string(),
    );
    let plain = |text: &str| refusal(&json!({"error": {"message": text}}));
    let listed =
        refusal(&json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"],
        "msg": "Extra inputs are not permitted"}]}));
    for (kind, refusal, parameter) in [
        (Kind::OpenAi, unsupported("temperature"), "temperature"),
        (Kind::OpenAi, unsupported("response_format"), "response_format"),
        (Kind::OpenAi, plain("Unrecognized request argument supplied: stream_options"), {
            "stream_options"
        }),
        (Kind::OpenAi, listed, "stream_options"),
        (Kind::OpenAi, in_band, "temperature"),
        (Kind::OpenAi, unsupported("tools[0].function.strict"), "strict"),
        (Kind::OpenAi, unsupported("tool_choice"), "tool_choice"),
        (Kind::Anthropic, plain("tools.0.strict: Extra inputs are not permitted"), "strict"),
        (Kind::Anthropic, plain("tool_choice: Extra inputs are not permitted"), "tool_choice"),
        (Kind::Anthropic, plain("system.0.cache_control: Extra inputs are not permitted"), {
            "cache_control"
        }),
        (Kind::Anthropic, plain("`temperature` is deprecated for this model."), "temperature"),
        (Kind::Anthropic, plain("temperature: Extra inputs are not permitted"), "temperature"),
        (Kind::Anthropic, plain("output_config.format: Extra inputs are not permitted"), {
            "output_config"
        }),
    ] {
        let answer = Answer::events(&kind.good());
        let server = Server::giving(vec![refusal, answer]).await;
        let provider = kind.at(&server.base, PATIENT);
        let model = kind.model();
        let failure = call(&*provider, model, &request).await.0.unwrap_err();
        assert_eq!(failure.kind.as_str(), "unsupported_parameter", "{kind:?} {parameter}");
        call(&*provider, model, &request).await.0.unwrap();
        let requests = server.requests();
        assert!(sends(&requests[0].1, parameter), "{kind:?} {parameter}");
        assert!(!sends(&requests[1].1, parameter), "{kind:?} {parameter}");
        let is_schema = matches!(parameter, "response_format" | "output_config");
        let told = requests[1].1.to_string().contains("fits this JSON Schema");
        assert_eq!(told, is_schema, "a schema that is not taken is told in words: {parameter}");
    }
}

#[tokio::test]
async fn anthropics_newest_models_are_told_no_temperature() {
    for (model, told) in [
        ("claude-haiku-4-5", true),
        ("claude-opus-4-6", true),
        ("claude-opus-4-7", false),
        ("claude-opus-5", false),
    ] {
        let server = Server::giving(vec![Answer::events(&Kind::Anthropic.good())]).await;
        let provider = Kind::Anthropic.at(&server.base, PATIENT);
        let request = ModelRequest { temperature: Some(0.0), ..hello() };
        call(&*provider, model, &request).await.0.unwrap();
        let (_, body) = server.requests().remove(0);
        assert_eq!(body.get("temperature").is_some(), told, "{model}");
    }
}
