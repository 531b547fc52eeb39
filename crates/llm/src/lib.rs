//! Language models behind one port: providers, scripts and tapes, and the one owner of retries.

mod anthropic;
#[cfg(test)]
mod cuts;
mod estimate;
mod exchange;
mod failure;
mod models;
mod names;
mod openai;
mod prices;
mod provider;
mod schema;
mod script;
mod status;
mod tape;
mod unsupported;
mod wire;

pub use anthropic::Anthropic;
pub use estimate::estimate;
pub use exchange::Timeouts;
pub use failure::{CallFailure, FailureKind};
pub use models::{
    Answered, DEADLINE, Jitter, LEAST, Limits, ModelSource, ModelVendor, Models, jitter, judged,
};
pub use names::WireNames;
pub use openai::{OpenAi, TokenLimit};
pub use prices::{PriceError, Prices};
pub use provider::{Ask, Events, Provider};
pub use script::{Player, Script, Scripted, ScriptedAnswer, ScriptedReply};
pub use tape::{Recorder, Replayer, TapeError};
pub use unsupported::Refusals;
