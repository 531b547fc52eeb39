//! Asks models on the flow's behalf, and notes what came of it.

use domain::{AskedModel, ModelReply, Tokens};

use super::turn::Turn;
use crate::{Context, ModelAsk, ModelError, Preview};

/// An answer, or none: the flow goes on without.
pub(super) async fn ask_model(
    turn: &mut Turn<'_>,
    context: &mut dyn Context,
    ask: &ModelAsk,
    preview: Option<Preview<'_>>,
) -> Option<ModelReply> {
    if turn.models.away.is_some() {
        return None;
    }
    let answer = context.ask(ask, preview).await;
    note_answer(turn, ask, answer)
}

/// Notes what a model answered, or that it did not.
pub(super) fn note_answer(
    turn: &mut Turn<'_>,
    ask: &ModelAsk,
    answer: Result<ModelReply, ModelError>,
) -> Option<ModelReply> {
    let asked = |model: &str, outcome: &str, tokens| AskedModel {
        component: ask.component.clone(),
        model: model.to_owned(),
        outcome: outcome.to_owned(),
        tokens,
    };
    match answer {
        Ok(reply) => {
            let usage = reply.usage;
            let input =
                usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
            let tokens = Tokens { input, output: usage.output };
            turn.notes.asked.push(asked(&reply.model, "answered", tokens));
            Some(reply)
        }
        Err(error) => {
            let outcome = error.to_string();
            match &error {
                ModelError::NoModel => {}
                ModelError::Spent(_) => turn.notes.other.push(outcome),
                _ => turn.notes.asked.push(asked("", &outcome, Tokens::default())),
            }
            match error {
                ModelError::Malformed(said) => turn.models.malformed = Some(said),
                // A single failure is enough: a provider that is away is not waited for twice in a turn.
                error => {
                    turn.models.spent = matches!(error, ModelError::Spent(_));
                    turn.models.away = Some(error.to_string());
                }
            }
            None
        }
    }
}
