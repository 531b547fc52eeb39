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
use std::sync::Arc;

use async_trait::async_trait;
use domain::{Consent, Contact, Event, Session, SessionState};
use sentences::Sentences;
use thiserror::Error;

pub use consent::{close_proposal, consent};
pub use context::{Context, ModelAsk, ModelError, Preview, Said, Spoken};
pub use demo::DemoAgent;
pub use domain::ToolError;
pub use flow::FlowAgent;
pub use form::{FormAgent, explain};
pub use outcome::{Outcome, Reply};

/// The mode of a session whose agent has only one.
pub const ONLY_MODE: &str = "conversation";

/// The milestone of the first datum a customer gave.
pub const FIRST_DATA: &str = "first_data_at";
/// The milestone of the moment at which a flow had all the data it needs.
pub const MIN_DATA: &str = "min_data_at";

/// The trace's words for a turn whose message nothing answered, so that the last resort had to.
pub const UNANSWERED: &str = "nothing answered the message";

/// The input of a turn.
#[derive(Clone, Debug)]
pub struct TurnInput {
    /// The events: a timer, an operator's act, or all the messages that were waiting.
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

    /// The name that customers see.
    fn title(&self) -> &str {
        self.name()
    }

    /// The engine's own sentences, as the agent's customers read them.
    fn sentences(&self) -> &Arc<Sentences> {
        Sentences::plain()
    }

    /// The version of the content it is made from; empty for an agent that is code. Two agents of
    /// one name and version behave alike.
    fn version(&self) -> &str {
        ""
    }

    /// The files it is made from, path to text: kept, so that a session under way can go on with
    /// its version. An agent that is code has none.
    fn source(&self) -> Option<&BTreeMap<String, String>> {
        None
    }

    /// The mode a new session begins in.
    fn initial_mode(&self) -> &str {
        ONLY_MODE
    }

    /// Handles the events. Run again after a crash, it must ask the context for the same calls.
    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError>;
}
