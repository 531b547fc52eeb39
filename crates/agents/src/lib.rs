//! Agents: deterministic turn functions over a context that is their only door to the world.

mod consent;
mod context;
mod demo;
mod flow;
mod form;
mod model;
mod outcome;
mod walk;

use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::{Consent, Contact, Event, Session, SessionState};
use thiserror::Error;

pub use consent::{consent, settle};
pub use context::{Context, ModelAsk, ModelError, Preview, Said, Spoken, ToolError};
pub use demo::DemoAgent;
pub use flow::FlowAgent;
pub use form::FormAgent;
pub use outcome::{Outcome, Reply};

/// The trace's words for a turn whose message nothing answered, so that the last resort had to.
pub const UNANSWERED: &str = "nothing answered the message";

/// What a turn starts from.
#[derive(Clone, Debug)]
pub struct TurnInput {
    /// One timer, one operator's act, or all the messages that were waiting.
    pub events: Vec<Event>,
    pub contact: Contact,
    pub mode: String,
    pub state: SessionState,
    /// On the first turn of a session, the one before it.
    pub previous: Option<Session>,
    /// The customer's yes to what an earlier turn showed, if the messages are one.
    pub consent: Option<Consent>,
}

/// Why a turn could not be finished; the engine tries again, then sets the events aside.
#[derive(Debug, Error)]
#[error("{reason}")]
pub struct AgentError {
    pub reason: String,
}

#[async_trait]
pub trait Agent: Send + Sync {
    fn name(&self) -> &str;

    /// What customers see it called.
    fn title(&self) -> &str {
        self.name()
    }

    /// The language its customers read, as in `es-CO`.
    fn locale(&self) -> &str {
        "es"
    }

    /// The version of the content it is made from; empty for an agent that is code. Two agents of
    /// one name and version behave alike.
    fn version(&self) -> &str {
        ""
    }

    /// The files it is made from, path to text: kept, so that a session under way can go on with
    /// its version. None for an agent that is code.
    fn source(&self) -> Option<&BTreeMap<String, String>> {
        None
    }

    /// The mode a new session begins in.
    fn initial_mode(&self) -> &str {
        "conversacion"
    }

    /// Handles the events. Run again after a crash, it must ask the context for the same calls.
    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError>;
}
