//! The form with nothing around it: no store, no engine, a context without a world.

use agents::{Agent, Context, FormAgent, Outcome, ToolError, TurnInput};
use anyhow::Result;
use async_trait::async_trait;
use domain::{Contact, ContactId, Content, Event, EventId, EventKind, SessionState, Timestamp};
use serde_json::{Map, Value};
use uuid::Uuid;

const BEGIN: Timestamp = Timestamp::from_millis(1_767_798_000_000);
/// The time between two messages, by the context's clock.
const PAUSE_MS: i64 = 1000;

/// A customer in memory, whose state goes from turn to turn.
pub(crate) struct Alone {
    form: FormAgent,
    input: TurnInput,
    nowhere: Nowhere,
}

/// Has no tools and no model.
struct Nowhere {
    now: Timestamp,
}

#[async_trait]
impl Context for Nowhere {
    fn now(&self) -> Timestamp {
        self.now
    }

    async fn call(&mut self, tool: &str, _: Value) -> Result<Value, ToolError> {
        Err(ToolError::NoSuchTool(tool.to_owned()))
    }
}

impl Alone {
    pub(crate) fn with(form: FormAgent) -> Self {
        let contact =
            Contact { id: ContactId(Uuid::nil()), name: None, phone: None, data: Map::default() };
        let (mode, state) = (form.initial_mode().to_owned(), SessionState::default());
        let input =
            TurnInput { events: Vec::new(), contact, mode, state, previous: None, consent: None };
        Self { form, input, nowhere: Nowhere { now: BEGIN } }
    }

    /// Forgets all that was said.
    pub(crate) fn begin_anew(&mut self) {
        self.form.initial_mode().clone_into(&mut self.input.mode);
        self.input.state = SessionState::default();
    }

    /// Puts messages that came together before the form; the turn is still to be taken.
    pub(crate) fn hear(&mut self, texts: &[String]) {
        self.nowhere.now = self.nowhere.now.plus_ms(PAUSE_MS);
        let at = self.nowhere.now;
        let event = |text: &String| Event {
            id: EventId(Uuid::nil()),
            at,
            kind: EventKind::Message(Content::text(text.as_str())),
        };
        self.input.events = texts.iter().map(event).collect();
    }

    /// The turn alone: this is what is timed.
    pub(crate) async fn turn(&mut self) -> Result<Outcome> {
        Ok(self.form.turn(&self.input, &mut self.nowhere).await?)
    }

    /// Takes over what a turn came to.
    pub(crate) fn settle(&mut self, outcome: Outcome) {
        self.input.mode = outcome.mode;
        self.input.state = outcome.state;
    }
}
