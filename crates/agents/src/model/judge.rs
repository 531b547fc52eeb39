//! A question with a few answers to choose from, or one sentence to phrase.

use domain::{Confidence, ModelMessage, ModelRequest, OutputSchema, StopReason};
use pack::Pack;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::history::inert_value;
use super::settings::{ask, served};
use crate::Context;

const COMPONENT: &str = "judge";

/// A question for the judge.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Question {
    /// The name of a prompt of the pack, `prompts/<name>.md`.
    pub(crate) prompt: String,
    /// The values that are filled into the prompt.
    pub(crate) values: Map<String, Value>,
    /// The answers allowed; none of them asks for free text.
    pub(crate) choices: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judgement {
    /// The answer: of the choices, where there were any.
    pub(crate) answer: String,
    pub(crate) confidence: Confidence,
}

#[derive(Deserialize)]
struct Answer {
    answer: String,
    confidence: f64,
}

/// Puts it to the pack's model, if it has one. An agent works without an answer.
pub(crate) async fn judge(
    pack: &Pack,
    context: &mut dyn Context,
    question: &Question,
) -> Option<Judgement> {
    let component = served(pack.manifest.models.judge.as_ref(), context)?;
    let values = question.values.iter();
    let values = values.map(|(name, value)| (name.clone(), inert_value(value))).collect();
    let prompt = pack.prompt(&question.prompt, &values)?.ok()?;
    let output = (!question.choices.is_empty())
        .then(|| OutputSchema { name: question.prompt.clone(), schema: schema(&question.choices) });
    let request = ModelRequest {
        messages: vec![ModelMessage::user(prompt)],
        output,
        ..ModelRequest::default()
    };
    let reply = context.ask(&ask(pack, COMPONENT, component, request), None).await.ok()?;
    if reply.stop != StopReason::End {
        return None;
    }
    let text = reply.text();
    if question.choices.is_empty() {
        let answer = text.trim().to_owned();
        return (!answer.is_empty())
            .then_some(Judgement { answer, confidence: Confidence::CERTAIN });
    }
    let Answer { answer, confidence } = serde_json::from_str(&text).ok()?;
    let confidence = Confidence::try_from(confidence).ok()?;
    question.choices.contains(&answer).then_some(Judgement { answer, confidence })
}

fn schema(choices: &[String]) -> Value {
    json!({
        "type": "object",
        "properties": {
            "answer": { "type": "string", "enum": choices },
            "confidence": { "type": "number", "description": "from 0 to 1" },
        },
        "required": ["answer", "confidence"],
        "additionalProperties": false,
    })
}
