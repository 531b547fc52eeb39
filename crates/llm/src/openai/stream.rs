//! The chunks of a completion, folded into a reply; missing fields of some vendors are made good.

use domain::{ModelEvent, ModelPart, ModelReply, ModelRequest, StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;

use super::calls::{Calls, Piece};
use crate::exchange::{Flow, Fold};
use crate::provider::Events;
use crate::{CallFailure, FailureKind, WireNames, estimate, status};

const END: &str = "[DONE]";

/// A chunk, or a whole completion of a server that does not stream.
#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    usage: Option<Counts>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: u32,
    #[serde(default, alias = "message")]
    delta: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<Piece>>,
}

#[derive(Deserialize)]
struct Counts {
    #[serde(default)]
    prompt_tokens: u32,
    #[serde(default)]
    completion_tokens: u32,
    #[serde(default)]
    prompt_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    cached_tokens: Option<u32>,
}

impl From<Counts> for Usage {
    /// Separates tokens read from the cache, which OpenAI counts among those of the prompt.
    fn from(counts: Counts) -> Self {
        let cached = counts.prompt_tokens_details.and_then(|details| details.cached_tokens);
        let cache_read = cached.unwrap_or(0).min(counts.prompt_tokens);
        Self {
            input: counts.prompt_tokens - cache_read,
            output: counts.completion_tokens,
            cache_read,
            cache_write: 0,
        }
    }
}

/// A completion under construction.
pub(crate) struct Completion {
    model: String,
    text: String,
    refusal: String,
    calls: Calls,
    finish: Option<String>,
    done: bool,
    usage: Option<Usage>,
    /// The request's estimated tokens, for a stream that broke before its count came.
    input: u32,
    begun: bool,
}

impl Completion {
    pub(crate) fn new(names: WireNames, request: &ModelRequest) -> Self {
        Self {
            model: String::new(),
            text: String::new(),
            refusal: String::new(),
            calls: Calls::new(names, request),
            finish: None,
            done: false,
            usage: None,
            input: estimate::input(request),
            begun: false,
        }
    }

    fn take(&mut self, choice: Choice, events: &mut Events<'_>) {
        self.finish = choice.finish_reason.or(self.finish.take());
        let Some(delta) = choice.delta else { return };
        if let Some(more) = delta.content.filter(|more| !more.is_empty()) {
            self.text.push_str(&more);
            events(ModelEvent::Text(more));
        }
        self.refusal.push_str(&delta.refusal.unwrap_or_default());
        for piece in delta.tool_calls.unwrap_or_default() {
            if let Some(name) = self.calls.take(piece) {
                events(ModelEvent::ToolCall { name });
            }
        }
    }

    fn stop(&self) -> StopReason {
        match self.finish.as_deref() {
            _ if !self.refusal.is_empty() => StopReason::Refusal,
            Some("content_filter") => StopReason::Refusal,
            Some("length") => StopReason::MaxTokens,
            // Some vendors say `stop` although they ask for tools.
            Some("stop" | "tool_calls" | "function_call") | None if !self.calls.is_empty() => {
                StopReason::ToolCalls
            }
            Some("stop" | "tool_calls" | "function_call") | None => StopReason::End,
            Some(other) => StopReason::Other(other.to_owned()),
        }
    }
}

impl Fold for Completion {
    fn feed(&mut self, data: &str, events: &mut Events<'_>) -> Result<Flow, CallFailure> {
        if data.trim() == END {
            self.done = true;
            return Ok(Flow::Done);
        }
        let chunk: Chunk = serde_json::from_str(data).map_err(|error| {
            CallFailure::new(
                FailureKind::Malformed,
                format!("a chunk is not in the provider's format: {error}"),
            )
        })?;
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(status::in_band(&error));
        }
        self.begun = true;
        if let Some(model) = chunk.model.filter(|model| !model.is_empty()) {
            self.model = model;
        }
        if let Some(counts) = chunk.usage {
            self.usage = Some(counts.into());
        }
        for choice in chunk.choices.unwrap_or_default().into_iter().filter(|one| one.index == 0) {
            self.take(choice, events);
        }
        Ok(Flow::More)
    }

    fn whole(&self) -> bool {
        self.done || self.finish.is_some()
    }

    fn usage(&self) -> Usage {
        let chars = estimate::chars(&self.text) + self.calls.chars();
        let guessed =
            || Usage { input: self.input, output: estimate::tokens(chars), ..Usage::default() };
        self.usage.unwrap_or_else(|| if self.begun { guessed() } else { Usage::default() })
    }

    fn reply(self) -> Result<ModelReply, CallFailure> {
        let usage = self.usage();
        if !self.whole() {
            let failure = CallFailure::new(FailureKind::Truncated, "the stream ended early");
            return Err(failure.paid(usage));
        }
        let stop = self.stop();
        let text = if self.text.is_empty() { self.refusal } else { self.text };
        let mut parts = Vec::new();
        if !text.is_empty() {
            parts.push(ModelPart::Text { text });
        }
        // No tool may run from an answer that is not whole.
        if stop == StopReason::ToolCalls {
            let calls = self
                .calls
                .parts()
                .map_err(|message| CallFailure::new(FailureKind::Malformed, message).paid(usage))?;
            parts.extend(calls);
        }
        Ok(ModelReply { parts, stop, usage, model: self.model })
    }
}
