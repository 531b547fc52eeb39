//! Both providers at an address, and the words each uses for the same things.

use std::sync::Arc;
use std::time::Duration;

use domain::{ModelEvent, ModelMessage, ModelReply, ModelRequest};
use llm::{
    Anthropic, Ask, CallFailure, ModelVendor, OpenAi, Provider, Refusals, Timeouts, TokenLimit,
};

pub(crate) const KEY: &str = "sk-very-secret-key";

/// Long enough for any machine: a test that waits for it has failed.
pub(crate) const PATIENT: Timeouts = Timeouts {
    first_byte: Duration::from_secs(30),
    between_events: Duration::from_secs(30),
    total: Duration::from_secs(60),
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Anthropic,
    OpenAi,
}

pub(crate) const BOTH: [Kind; 2] = [Kind::Anthropic, Kind::OpenAi];

// This crate's tests build a client only here, in the shape the product must give it.
#[expect(clippy::disallowed_methods)]
pub(crate) fn client() -> reqwest::Client {
    // Another test may have installed the provider first; either way one is installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap()
}

impl Kind {
    pub(crate) fn at(self, base: &str, timeouts: Timeouts) -> Arc<dyn Provider> {
        match self {
            Self::Anthropic => Arc::new(Anthropic {
                id: "anthropic".into(),
                base_url: base.to_owned(),
                api_key: KEY.into(),
                client: client(),
                timeouts,
                refusals: Refusals::default(),
            }),
            Self::OpenAi => Arc::new(OpenAi {
                id: "openai".into(),
                base_url: format!("{base}/v1"),
                api_key: Some(KEY.into()),
                client: client(),
                timeouts,
                token_limit: TokenLimit::MaxCompletionTokens,
                refusals: Refusals::default(),
            }),
        }
    }

    pub(crate) fn vendor(self) -> ModelVendor {
        match self {
            Self::Anthropic => ModelVendor::Anthropic,
            Self::OpenAi => ModelVendor::OpenAi,
        }
    }

    pub(crate) fn model(self) -> &'static str {
        match self {
            Self::Anthropic => "claude-haiku-4-5",
            Self::OpenAi => "gpt-4o-mini",
        }
    }

    /// A stream that began to speak; 12 tokens were read for it.
    pub(crate) fn beginning(self) -> String {
        match self {
            Self::Anthropic => events(&[
                r#"{"type":"message_start","message":{"model":"claude-haiku-4-5-20251001","usage":{"input_tokens":12,"output_tokens":1}}}"#,
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
                r#"{"type":"ping"}"#,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hola, "}}"#,
            ]),
            Self::OpenAi => events(&[
                r#"{"model":"gpt-4o-mini-2024-07-18","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"content":"Hola, "}}]}"#,
            ]),
        }
    }

    /// The rest of that stream.
    pub(crate) fn ending(self, reason: &str) -> String {
        match self {
            Self::Anthropic => events(&[
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Ana"}}"#,
                r#"{"type":"content_block_stop","index":0}"#,
                &format!(
                    r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}},"usage":{{"output_tokens":4}}}}"#
                ),
                r#"{"type":"message_stop"}"#,
            ]),
            Self::OpenAi => events(&[
                r#"{"choices":[{"index":0,"delta":{"content":"Ana"}}]}"#,
                &format!(
                    r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{reason}"}}]}}"#
                ),
                r#"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":4}}"#,
                "[DONE]",
            ]),
        }
    }

    pub(crate) fn good(self) -> String {
        let reason = match self {
            Self::Anthropic => "end_turn",
            Self::OpenAi => "stop",
        };
        self.beginning() + &self.ending(reason)
    }

    /// A whole stream that calls one tool with these arguments.
    pub(crate) fn calling(self, tool: &str, arguments: &str) -> String {
        let arguments = serde_json::to_string(arguments).unwrap();
        match self {
            Self::Anthropic => events(&[
                r#"{"type":"message_start","message":{"model":"claude-haiku-4-5","usage":{"input_tokens":12,"output_tokens":1}}}"#,
                &format!(
                    r#"{{"type":"content_block_start","index":0,"content_block":{{"type":"tool_use","id":"t1","name":"{tool}","input":{{}}}}}}"#
                ),
                &format!(
                    r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"input_json_delta","partial_json":{arguments}}}}}"#
                ),
                r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":4}}"#,
                r#"{"type":"message_stop"}"#,
            ]),
            Self::OpenAi => events(&[
                &format!(
                    r#"{{"model":"gpt-4o-mini","choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,"id":"t1","function":{{"name":"{tool}","arguments":{arguments}}}}}]}}}}]}}"#
                ),
                r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
                r#"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":4}}"#,
                "[DONE]",
            ]),
        }
    }
}

pub(crate) fn events(data: &[&str]) -> String {
    data.iter().map(|data| format!("data: {data}\n\n")).collect()
}

pub(crate) fn hello() -> ModelRequest {
    ModelRequest {
        system: "Be brief.".into(),
        messages: vec![ModelMessage::user("Hola")],
        max_tokens: 100,
        ..ModelRequest::default()
    }
}

pub(crate) async fn call(
    provider: &dyn Provider,
    model: &str,
    request: &ModelRequest,
) -> (Result<ModelReply, CallFailure>, Vec<ModelEvent>) {
    let mut heard = Vec::new();
    let within = Duration::from_secs(60);
    let ask = Ask { component: "writer", model, request, within };
    let result = provider.call(&ask, &mut |event| heard.push(event)).await;
    (result, heard)
}
