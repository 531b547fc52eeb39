//! The OpenAI Chat Completions API, which Groq, vLLM, Ollama and many others speak too.

mod calls;
mod request;
mod stream;

use async_trait::async_trait;
use domain::ModelReply;
use secrecy::{ExposeSecret, SecretString};

use crate::exchange::{Timeouts, exchange};
use crate::provider::{Ask, Events, Provider};
use crate::unsupported::Refused;
use crate::{CallFailure, Refusals, WireNames};

pub(crate) use stream::Completion;

/// The name of the parameter for the longest answer. OpenAI's newer models refuse the old name;
/// most other servers do not know the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenLimit {
    MaxTokens,
    MaxCompletionTokens,
}

impl TokenLimit {
    /// The parameter's name for a model, which may have refused one or both names.
    fn word(self, refused: &Refused) -> Option<&'static str> {
        let words = match self {
            Self::MaxTokens => ["max_tokens", "max_completion_tokens"],
            Self::MaxCompletionTokens => ["max_completion_tokens", "max_tokens"],
        };
        words.into_iter().find(|word| refused.takes(word))
    }

    /// The new name for OpenAI itself and for Azure, the old one for all other servers.
    pub fn for_base(base_url: &str) -> Self {
        let host = base_url.split("://").last().unwrap_or_default();
        let host = host.split(['/', ':']).next().unwrap_or_default();
        if host == "openai.com" || host.ends_with(".openai.com") || host.ends_with(".azure.com") {
            Self::MaxCompletionTokens
        } else {
            Self::MaxTokens
        }
    }
}

/// OpenAI or another server with the same protocol. `Debug` shows no secret.
#[derive(Clone, Debug)]
pub struct OpenAi {
    /// The configured name.
    pub id: String,
    /// With the version: `https://api.openai.com/v1`.
    pub base_url: String,
    /// `None` for a server that needs no key.
    pub api_key: Option<SecretString>,
    /// The HTTP client, which should follow no redirect, because the key would go along.
    pub client: reqwest::Client,
    pub timeouts: Timeouts,
    pub token_limit: TokenLimit,
    /// The parameters that the provider's models have refused so far.
    pub refusals: Refusals,
}

#[async_trait]
impl Provider for OpenAi {
    fn name(&self) -> &str {
        &self.id
    }

    async fn call(
        &self,
        ask: &Ask<'_>,
        events: &mut Events<'_>,
    ) -> Result<ModelReply, CallFailure> {
        let names = WireNames::of(ask.request);
        let refused = self.refusals.of(ask.model);
        let body = request::body(ask.model, ask.request, &names, self.token_limit, &refused);
        let url = format!("{}/chat/completions", self.base_url.trim_end_matches('/'));
        let mut request = self.client.post(url).json(&body);
        let key = self.api_key.as_ref().map_or("", |key| key.expose_secret());
        if !key.is_empty() {
            request = request.bearer_auth(key);
        }
        let fold = Completion::new(names, ask.request);
        let reply = exchange(request, self.timeouts, ask.within, fold, events).await;
        reply.map_err(|failure| {
            let without = request::CAN_DO_WITHOUT;
            self.refusals.learn(ask.model, &body, without, failure).shown_without(key)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_openai_and_azure_are_given_the_new_word_for_the_limit() {
        let cases = [
            ("https://api.openai.com/v1", TokenLimit::MaxCompletionTokens),
            ("https://eu.api.openai.com/v1/", TokenLimit::MaxCompletionTokens),
            ("https://x.openai.azure.com/openai/v1", TokenLimit::MaxCompletionTokens),
            ("https://api.groq.com/openai/v1", TokenLimit::MaxTokens),
            ("http://localhost:11434/v1", TokenLimit::MaxTokens),
            ("https://notopenai.com/v1", TokenLimit::MaxTokens),
            ("", TokenLimit::MaxTokens),
        ];
        for (base, expected) in cases {
            assert_eq!(TokenLimit::for_base(base), expected, "{base}");
        }
    }
}
