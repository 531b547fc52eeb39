//! `complete`: thanks for a form that is complete, in a model's words if there is one, and marks
//! it so.

use serde_json::{Map, Value};

use crate::Question;
use crate::form::say::Say;
use crate::form::state::{GraphState, Opening};

/// The prompt for a thank-you in a model's words.
const PROMPT: &str = "gracias";

pub(in crate::form) async fn complete(state: &mut GraphState<'_>) {
    let messages = &state.spec.form.messages;
    let talk = &mut state.conversation.talk;
    let was_complete = std::mem::replace(&mut talk.completed, true);
    talk.greeted = true;
    let asked = match std::mem::take(&mut state.opening) {
        Opening::Redirect(reply) => reply,
        _ => state.aside.take(),
    };
    if !was_complete {
        thank(state).await;
    } else if state.is_correction && !state.taken.is_empty() {
        for field in state.taken.clone() {
            state.say_of(&messages.corrected, field);
        }
    } else if asked.is_none() {
        state.say(&messages.already_complete);
    }
    if let Some(reply) = asked {
        state.say(&reply);
    }
}

async fn thank(state: &mut GraphState<'_>) {
    let phrased = match state.spec.pack.prompts.contains_key(PROMPT) {
        true => {
            let resumen = Value::from(state.summary());
            let values = Map::from_iter([("resumen".to_owned(), resumen)]);
            let question = Question { prompt: PROMPT.to_owned(), values, choices: Vec::new() };
            state.context.judge(&question).await
        }
        false => None,
    };
    match phrased {
        Some(judgement) => state.response.push(judgement.answer),
        None => state.say(&state.spec.form.messages.complete),
    }
}
