//! Asks models on the flow's behalf, and notes what came of it.

use domain::{AskedModel, ModelReply, Tokens};

use super::state::FlowState;
use crate::{ModelAsk, ModelError, Preview};

/// An answer, or none: the flow goes on without.
pub(super) async fn ask_model(
    state: &mut FlowState<'_>,
    ask: &ModelAsk,
    preview: Option<Preview<'_>>,
) -> Option<ModelReply> {
    if state.without_model.is_some() {
        return None;
    }
    let answer = state.context.ask(ask, preview).await;
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
            state.notes.asked.push(asked(&reply.model, "answered", tokens));
            Some(reply)
        }
        Err(error) => {
            let outcome = error.to_string();
            match &error {
                ModelError::NoModel => {}
                ModelError::Spent(_) => state.notes.other.push(outcome),
                _ => state.notes.asked.push(asked("", &outcome, Tokens::default())),
            }
            match error {
                ModelError::Malformed(said) => state.malformed = Some(said),
                // One failure is enough: a provider that is away is not waited for twice in a turn.
                error => {
                    state.spent = matches!(error, ModelError::Spent(_));
                    state.without_model = Some(error.to_string());
                }
            }
            None
        }
    }
}
