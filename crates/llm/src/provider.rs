//! The port: an attempt at a provider.

use std::time::Duration;

use async_trait::async_trait;
use domain::{ModelEvent, ModelReply, ModelRequest};

use crate::CallFailure;

/// A request to a provider.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The part of the agent that asks.
    pub component: &'a str,
    /// The model's name at the provider.
    pub model: &'a str,
    pub request: &'a ModelRequest,
    /// How long the caller waits at most, whatever the provider's own limits are.
    pub within: Duration,
}

/// The listener to events while a model answers.
pub type Events<'a> = dyn FnMut(ModelEvent) + Send + 'a;

/// An attempt at a provider. Never retries.
#[async_trait]
pub trait Provider: Send + Sync {
    /// The configured id, such as `anthropic`.
    fn name(&self) -> &str;

    async fn call(&self, ask: &Ask<'_>, events: &mut Events<'_>)
    -> Result<ModelReply, CallFailure>;
}

/// Announces a whole reply at once, as a provider without a stream does.
pub(crate) fn tell(reply: &ModelReply, events: &mut Events<'_>) {
    for part in &reply.parts {
        match part {
            domain::ModelPart::Text { text } => events(ModelEvent::Text(text.clone())),
            domain::ModelPart::ToolCall { name, .. } => {
                events(ModelEvent::ToolCall { name: name.clone() });
            }
            _ => {}
        }
    }
}
