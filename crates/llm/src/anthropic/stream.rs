//! The events of a Messages stream, folded into a reply.

use std::collections::BTreeMap;

use domain::{ModelEvent, ModelPart, ModelReply, StopReason, Usage};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::exchange::{Flow, Fold};
use crate::provider::Events;
use crate::wire::arguments;
use crate::{CallFailure, FailureKind, WireNames, estimate, status};

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Start,
    },
    ContentBlockStart {
        index: u32,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u32,
        delta: Delta,
    },
    MessageDelta {
        delta: Ending,
        #[serde(default)]
        usage: Counts,
    },
    MessageStop,
    Error {
        error: Value,
    },
    /// A ping, or a kind of event that is newer than this code.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Start {
    model: String,
    #[serde(default)]
    usage: Counts,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    ToolUse {
        id: String,
        name: String,
        #[serde(default)]
        input: Map<String, Value>,
    },
    /// Thinking, and other blocks that we did not ask for.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "input_json_delta")]
    Json { partial_json: String },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Ending {
    stop_reason: Option<String>,
}

/// Counts so far; a count that an event leaves out stays as it was.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Counts {
    input_tokens: Option<u32>,
    output_tokens: Option<u32>,
    cache_read_input_tokens: Option<u32>,
    cache_creation_input_tokens: Option<u32>,
}

enum Open {
    Text(String),
    Call { id: String, name: String, input: Map<String, Value>, json: String },
}

/// A message under construction.
pub(crate) struct Message {
    names: WireNames,
    model: String,
    blocks: BTreeMap<u32, Open>,
    stop: Option<String>,
    stopped: bool,
    usage: Usage,
    /// Characters received, to estimate the tokens that a broken stream does not report.
    chars: usize,
}

impl Message {
    pub(crate) fn new(names: WireNames) -> Self {
        Self {
            names,
            model: String::new(),
            blocks: BTreeMap::new(),
            stop: None,
            stopped: false,
            usage: Usage::default(),
            chars: 0,
        }
    }

    fn count(&mut self, counts: Counts) {
        let usage = &mut self.usage;
        for (kept, given) in [
            (&mut usage.input, counts.input_tokens),
            (&mut usage.output, counts.output_tokens),
            (&mut usage.cache_read, counts.cache_read_input_tokens),
            (&mut usage.cache_write, counts.cache_creation_input_tokens),
        ] {
            *kept = given.unwrap_or(*kept);
        }
    }

    fn open(&mut self, index: u32, block: Block, events: &mut Events<'_>) {
        match block {
            Block::Text { text } => {
                self.blocks.insert(index, Open::Text(String::new()));
                self.say(index, text, events);
            }
            Block::ToolUse { id, name, input } => {
                let name = self.names.ours(&name);
                events(ModelEvent::ToolCall { name: name.clone() });
                self.blocks.insert(index, Open::Call { id, name, input, json: String::new() });
            }
            Block::Other => {}
        }
    }

    fn say(&mut self, index: u32, more: String, events: &mut Events<'_>) {
        if let Some(Open::Text(text)) = self.blocks.get_mut(&index)
            && !more.is_empty()
        {
            self.chars += estimate::chars(&more);
            text.push_str(&more);
            events(ModelEvent::Text(more));
        }
    }

    fn ask(&mut self, index: u32, more: &str) {
        if let Some(Open::Call { json, .. }) = self.blocks.get_mut(&index) {
            self.chars += estimate::chars(more);
            json.push_str(more);
        }
    }

    fn parts(blocks: BTreeMap<u32, Open>, stop: &StopReason) -> Result<Vec<ModelPart>, String> {
        let mut parts = Vec::new();
        for block in blocks.into_values() {
            match block {
                Open::Text(text) if text.is_empty() => {}
                Open::Text(text) => parts.push(ModelPart::Text { text }),
                // No tool may run from an answer that is not whole.
                Open::Call { .. } if !matches!(stop, StopReason::ToolCalls | StopReason::End) => {}
                Open::Call { id, name, input, json } => {
                    let input = if json.is_empty() {
                        Value::Object(input)
                    } else {
                        arguments(&name, &json)?
                    };
                    parts.push(ModelPart::ToolCall { id, name, input });
                }
            }
        }
        Ok(parts)
    }
}

impl Fold for Message {
    fn feed(&mut self, data: &str, events: &mut Events<'_>) -> Result<Flow, CallFailure> {
        let event = serde_json::from_str(data).map_err(|error| {
            CallFailure::new(
                FailureKind::Malformed,
                format!("an event is not in the provider's format: {error}"),
            )
        })?;
        match event {
            Event::MessageStart { message } => {
                self.model = message.model;
                self.count(message.usage);
            }
            Event::ContentBlockStart { index, content_block } => {
                self.open(index, content_block, events);
            }
            Event::ContentBlockDelta { index, delta } => match delta {
                Delta::Text { text } => self.say(index, text, events),
                Delta::Json { partial_json } => self.ask(index, &partial_json),
                Delta::Other => {}
            },
            Event::MessageDelta { delta, usage } => {
                self.stop = delta.stop_reason.or(self.stop.take());
                self.count(usage);
            }
            Event::MessageStop => {
                self.stopped = true;
                return Ok(Flow::Done);
            }
            Event::Error { error } => return Err(status::in_band(&error)),
            Event::Other => {}
        }
        Ok(Flow::More)
    }

    fn whole(&self) -> bool {
        self.stopped
    }

    fn usage(&self) -> Usage {
        Usage { output: self.usage.output.max(estimate::tokens(self.chars)), ..self.usage }
    }

    fn reply(self) -> Result<ModelReply, CallFailure> {
        if !self.stopped {
            let failure = CallFailure::new(FailureKind::Truncated, "the stream ended early");
            return Err(failure.paid(self.usage()));
        }
        let usage = self.usage;
        let malformed = |message| CallFailure::new(FailureKind::Malformed, message).paid(usage);
        let stop = self.stop.ok_or_else(|| malformed("no reason to stop was given".to_owned()))?;
        let stop = stop_reason(&stop);
        let parts = Self::parts(self.blocks, &stop).map_err(malformed)?;
        Ok(ModelReply { parts, stop, usage, model: self.model })
    }
}

fn stop_reason(word: &str) -> StopReason {
    match word {
        "end_turn" | "stop_sequence" => StopReason::End,
        "tool_use" => StopReason::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "refusal" => StopReason::Refusal,
        other => StopReason::Other(other.to_owned()),
    }
}
