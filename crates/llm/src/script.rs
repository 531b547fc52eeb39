//! A model that answers from data: for tests, rehearsals and demos.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use domain::{ModelPart, ModelReply, ModelRequest, Speaker, StopReason, Usage};
use serde_json::Value;

use crate::estimate;
use crate::provider::{Ask, Events, Provider, tell};
use crate::{CallFailure, FailureKind};

/// The scripted model's name.
const MODEL: &str = "scripted";

/// Answers in the order in which they are tried.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    pub answers: Vec<ScriptedAnswer>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedAnswer {
    /// The part of the agent that must ask; any part if `None`.
    pub component: Option<String>,
    /// A text that the user's last words or the last tool's result must contain, in any case.
    pub when: Option<String>,
    /// How often the answer is used; without end if `None`.
    pub times: Option<u32>,
    pub reply: ScriptedReply,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ScriptedReply {
    Text(String),
    /// Sent as its text.
    Json(Value),
    /// Calls of tools with their inputs, after a text if there is one.
    Calls(Vec<(String, Value)>, Option<String>),
    Fail(FailureKind),
}

impl Script {
    /// Plays the script from the start; each conversation has its own player.
    pub fn player(&self) -> Player {
        let left = self.answers.iter().map(|answer| answer.times).collect();
        Player { answers: self.answers.clone(), left, calls: 0 }
    }
}

/// A script under way, with its remaining answers.
#[derive(Clone, Debug)]
pub struct Player {
    answers: Vec<ScriptedAnswer>,
    left: Vec<Option<u32>>,
    /// Tools called so far; each call has its own id.
    calls: u32,
}

impl Player {
    /// The first answer that fits and is not used up.
    pub fn answer(
        &mut self,
        component: &str,
        request: &ModelRequest,
    ) -> Result<ModelReply, CallFailure> {
        let heard = heard(request);
        let fits = |place: &usize| {
            self.left[*place] != Some(0) && self.answers[*place].fits(component, &heard)
        };
        let Some(place) = (0..self.answers.len()).find(fits) else {
            let message = format!("nothing is left in the script for {component} on {heard:?}");
            return Err(CallFailure::new(FailureKind::NoScript, message));
        };
        self.left[place] = self.left[place].map(|left| left - 1);
        let parts = match self.answers[place].reply.clone() {
            ScriptedReply::Text(text) => vec![ModelPart::Text { text }],
            ScriptedReply::Json(value) => vec![ModelPart::Text { text: value.to_string() }],
            ScriptedReply::Calls(calls, text) => self.calls(calls, text),
            ScriptedReply::Fail(kind) => {
                return Err(CallFailure::new(kind, "as the script says").paid(usage(request, &[])));
            }
        };
        Ok(reply(request, parts))
    }

    fn calls(&mut self, calls: Vec<(String, Value)>, text: Option<String>) -> Vec<ModelPart> {
        let text = text.map(|text| ModelPart::Text { text });
        let calls = calls.into_iter().map(|(name, input)| {
            self.calls += 1;
            ModelPart::ToolCall { id: format!("call_{}", self.calls), name, input }
        });
        text.into_iter().chain(calls).collect()
    }
}

impl ScriptedAnswer {
    fn fits(&self, component: &str, heard: &[String]) -> bool {
        let asked = self.component.as_deref().is_none_or(|wanted| wanted == component);
        let said = |words: &str| {
            let words = words.to_lowercase();
            heard.iter().any(|text| text.contains(&words))
        };
        asked && self.when.as_deref().is_none_or(said)
    }
}

fn reply(request: &ModelRequest, parts: Vec<ModelPart>) -> ModelReply {
    let calls = parts.iter().any(|part| matches!(part, ModelPart::ToolCall { .. }));
    let stop = if calls { StopReason::ToolCalls } else { StopReason::End };
    let usage = usage(request, &parts);
    ModelReply { parts, stop, usage, model: MODEL.to_owned() }
}

/// The user's last words and the last tool's result, in lower case.
fn heard(request: &ModelRequest) -> Vec<String> {
    let parts = request
        .messages
        .iter()
        .rev()
        .flat_map(|message| message.parts.iter().rev().map(|part| (message.role, part)));
    let mut said = None;
    let mut answered = None;
    for (role, part) in parts {
        match part {
            ModelPart::Text { text } if role == Speaker::User => _ = said.get_or_insert(text),
            ModelPart::ToolResult { content, .. } => _ = answered.get_or_insert(content),
            _ => {}
        }
    }
    said.into_iter().chain(answered).map(|text| text.to_lowercase()).collect()
}

fn usage(request: &ModelRequest, parts: &[ModelPart]) -> Usage {
    let chars = parts.iter().map(|part| match part {
        ModelPart::Text { text } => estimate::chars(text),
        ModelPart::ToolCall { name, input, .. } => {
            estimate::chars(name) + estimate::chars(&input.to_string())
        }
        _ => 0,
    });
    Usage {
        input: estimate::input(request),
        output: estimate::tokens(chars.sum()),
        ..Usage::default()
    }
}

/// A script as a provider.
pub struct Scripted {
    id: String,
    player: Mutex<Player>,
    delay: Duration,
}

impl Scripted {
    pub fn new(id: impl Into<String>, script: &Script) -> Self {
        Self { id: id.into(), player: Mutex::new(script.player()), delay: Duration::ZERO }
    }

    /// Takes as long as a model would.
    #[must_use]
    pub fn with_delay(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

#[async_trait]
impl Provider for Scripted {
    fn name(&self) -> &str {
        &self.id
    }

    async fn call(
        &self,
        ask: &Ask<'_>,
        events: &mut Events<'_>,
    ) -> Result<ModelReply, CallFailure> {
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        let mut player = self.player.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = player.answer(ask.component, ask.request)?;
        drop(player);
        tell(&reply, events);
        Ok(reply)
    }
}
