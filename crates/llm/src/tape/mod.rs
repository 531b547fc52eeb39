//! Exchanges with a model kept in a file, one JSON line each, to be answered from later.

mod diff;
mod recorder;
mod replayer;

use domain::{ModelReply, ModelRequest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Ask, CallFailure};

pub use recorder::Recorder;
pub use replayer::{Replayer, TapeError};

/// A line of a tape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Exchange {
    component: String,
    model: String,
    request: ModelRequest,
    outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Reply(ModelReply),
    Failure(CallFailure),
}

impl From<Result<ModelReply, CallFailure>> for Outcome {
    fn from(result: Result<ModelReply, CallFailure>) -> Self {
        result.map_or_else(Self::Failure, Self::Reply)
    }
}

impl From<Outcome> for Result<ModelReply, CallFailure> {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Reply(reply) => Ok(reply),
            Outcome::Failure(failure) => Err(failure),
        }
    }
}

/// The question of an exchange as JSON, by which exchanges are told apart. The JSON is parsed from
/// text, so that numbers are equal to those of a tape.
fn question(component: &str, model: &str, request: &ModelRequest) -> serde_json::Result<Value> {
    let request: Value = serde_json::from_str(&serde_json::to_string(request)?)?;
    Ok(serde_json::json!({"component": component, "model": model, "request": request}))
}

fn asked(ask: &Ask<'_>) -> serde_json::Result<Value> {
    question(ask.component, ask.model, ask.request)
}
