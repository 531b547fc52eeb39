//! The Anthropic Messages API.

mod request;
mod stream;

use async_trait::async_trait;
use domain::ModelReply;
use secrecy::{ExposeSecret, SecretString};

use crate::exchange::{Timeouts, exchange};
use crate::provider::{Ask, Events, Provider};
use crate::{CallFailure, Refusals, WireNames};

pub(crate) use stream::Message;

const VERSION: &str = "2023-06-01";

/// Claude at Anthropic, or behind another server with the same protocol. `Debug` shows no secret.
#[derive(Clone, Debug)]
pub struct Anthropic {
    /// The configured name.
    pub id: String,
    /// Without the version: `https://api.anthropic.com`.
    pub base_url: String,
    pub api_key: SecretString,
    /// The HTTP client, which should follow no redirect, because the key would go along.
    pub client: reqwest::Client,
    pub timeouts: Timeouts,
    /// The parameters that the provider's models have refused so far.
    pub refusals: Refusals,
}

#[async_trait]
impl Provider for Anthropic {
    fn name(&self) -> &str {
        &self.id
    }

    async fn call(
        &self,
        ask: &Ask<'_>,
        events: &mut Events<'_>,
    ) -> Result<ModelReply, CallFailure> {
        let names = WireNames::of(ask.request);
        let key = self.api_key.expose_secret();
        let refused = self.refusals.of(ask.model);
        let body = request::body(ask.model, ask.request, &names, &refused);
        let request = self
            .client
            .post(format!("{}/v1/messages", self.base_url.trim_end_matches('/')))
            .header("x-api-key", key)
            .header("anthropic-version", VERSION)
            .json(&body);
        let fold = Message::new(names);
        let reply = exchange(request, self.timeouts, ask.within, fold, events).await;
        reply.map_err(|failure| {
            let without = request::CAN_DO_WITHOUT;
            self.refusals.learn(ask.model, &body, without, failure).shown_without(key)
        })
    }
}
