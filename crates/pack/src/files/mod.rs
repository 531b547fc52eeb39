//! What each file of a pack may say: these types are read, checked and described to editors.

mod cases;
mod duration;
mod form;
mod intents;
mod manifest;
mod templates;

pub use cases::{Case, CaseFile, Expected, OperatorAct, Step};
pub use duration::Duration;
pub use form::{
    Attempts, Confirm, Escalation, Field, FieldKind, Form, Keyword, Messages, OffTopic, Reminder,
    Sentiment, SentimentLevel, Switch, Then, Timeout,
};
pub use intents::{Intent, Intents};
pub use manifest::{AgentEntry, Kind, Manifest};
pub use templates::{Template, Templates};
