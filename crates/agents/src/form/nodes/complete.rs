//! `complete`: thanks for a form that is complete, in a model's words if there is one, and marks
//! it so.

use pack::files::{Field, FieldKind, SpeechAct};
use serde_json::{Map, Value};

use crate::Context;
use crate::form::say::Say;
use crate::form::state::{GraphState, Opening};
use crate::model::{Allowed, Moment, Question, Vocabulary, judge};

/// The prompt for a thank-you in a model's words.
const PROMPT: &str = "gracias";

/// The speech acts of such a thank-you.
const THANKS: [SpeechAct; 4] =
    [SpeechAct::Thank, SpeechAct::Greet, SpeechAct::SmallTalk, SpeechAct::Bridge];

pub(crate) async fn complete(state: &mut GraphState<'_>, context: &mut dyn Context) {
    let messages = &state.spec.form.messages;
    let talk = &mut state.conversation.talk;
    let was_complete = std::mem::replace(&mut talk.completed, true);
    talk.greeted = true;
    let asked = match std::mem::take(&mut state.opening) {
        Opening::Redirect(reply) => reply,
        _ => state.aside.take(),
    };
    if !was_complete {
        thank(state, context).await;
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

async fn thank(state: &mut GraphState<'_>, context: &mut dyn Context) {
    let phrased = match state.spec.pack.prompts.contains_key(PROMPT) {
        true => {
            let resumen = Value::from(state.summary());
            let values = Map::from_iter([("resumen".to_owned(), resumen)]);
            let question = Question { prompt: PROMPT.to_owned(), values, choices: Vec::new() };
            judge(&state.spec.pack, context, &question).await
        }
        false => None,
    };
    match phrased {
        // An answer that is more than thanks is not said.
        Some(judgement) if is_thanks(state, &judgement.answer) => {
            state.response.push(judgement.answer);
        }
        _ => state.say(&state.spec.form.messages.complete),
    }
}

fn is_thanks(state: &GraphState<'_>, text: &str) -> bool {
    let prompts = state.spec.pack.prompts.values().map(String::as_str);
    let vocabulary = Vocabulary::new([], [], prompts);
    let is_name = |field: &&Field| field.kind == FieldKind::Name;
    let names = state.spec.fields.iter().filter(is_name);
    let names = names.filter_map(|field| state.conversation.data.get(&field.name)?.as_str());
    let moment = Moment { names: names.collect(), ..Moment::default() };
    let allowed = Allowed::new(&THANKS, &vocabulary, &state.spec.extractor, &moment);
    allowed.refuses(text).is_none()
}
