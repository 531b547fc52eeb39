//! What each file of a pack may say: these types are read, checked and described to editors.

mod cases;
mod duration;
mod flow;
mod form;
mod intents;
mod manifest;
mod script;
mod templates;
mod tools;

pub use cases::{Case, CaseFile, Expected, OperatorAct, Said, Step};
pub use duration::Duration;
pub use flow::{
    Action, Bands, ChoiceOption, ChoiceSet, Collect, Flow, FlowMessages, FlowTimer, Mode, Stamp,
    Transition,
};
pub use form::{
    Attempts, Confirm, Escalation, Field, FieldKind, Form, Keyword, Messages, OffTopic, Reminder,
    Sentiment, SentimentLevel, Switch, Then, Timeout,
};
pub use intents::{Intent, Intents, Means};
pub use manifest::{
    AgentEntry, BudgetEntry, Component, History, Kind, Manifest, Models, WhenSpent,
};
pub use script::{Script, ScriptLine};
pub use templates::{ApprovedTemplate, FullTemplate, Template, Templates};
pub use tools::{
    HttpEntry, HttpMethod, HttpParam, McpEntry, ParamKind, ParamPlace, RateLimit, ToolClass,
    ToolEntry, Tools,
};
