//! The port: one attempt at one provider.

use std::time::Duration;

use async_trait::async_trait;
use domain::{ModelEvent, ModelReply, ModelRequest};

use crate::CallFailure;

/// What is asked of a provider.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// What part of the agent asks.
    pub component: &'a str,
    /// The model, as the provider names it.
    pub model: &'a str,
    pub request: &'a ModelRequest,
    /// How long the caller waits at most, whatever the provider's own limits are.
    pub within: Duration,
}

/// Hears what happens while a model answers.
pub type Events<'a> = dyn FnMut(ModelEvent) + Send + 'a;

/// One attempt at one provider. Never retries.
#[async_trait]
pub trait Provider: Send + Sync {
    /// The configured id, such as `anthropic`.
    fn name(&self) -> &str;

    async fn call(&self, ask: &Ask<'_>, events: &mut Events<'_>)
    -> Result<ModelReply, CallFailure>;
}

/// Tells of a whole reply at once, as a provider without a stream does.
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
