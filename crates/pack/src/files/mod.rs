//! The types of each file of a pack, by which it is read, checked and described to editors.

mod cases;
mod commerce;
mod duration;
mod flow;
mod form;
mod intents;
mod manifest;
mod script;
mod shop;
mod speech;
mod templates;
mod tools;

pub use cases::{
    Case, CaseFile, Expected, Meanwhile, OperatorAct, OrderBefore, OrderedLine, Returning, Said,
    Step,
};
pub use commerce::{Commerce, Delivery, Holiday, Hours, PaymentWay, Stretch, Zone};
pub use duration::Duration;
pub use flow::{
    Action, Bands, ChoiceOption, ChoiceSet, Collect, Flow, FlowEscalation, FlowMessages, FlowTimer,
    HandoffRules, HandoffTrigger, InARow, Mode, ReturnTo, ShopAct, Summary, Transition, Unattended,
};
pub use form::{
    Attempts, Confirm, Escalation, Field, FieldKind, Form, Keyword, Messages, OffTopic, Reminder,
    Sentiment, SentimentLevel, Switch, Then, Timeout,
};
pub use intents::{Intent, Intents, Means, Thread};
pub use manifest::{
    AgentEntry, Bubbles, BudgetEntry, Component, History, Kind, Manifest, Models, WhenSpent,
};
pub use script::{Script, ScriptLine};
pub use shop::{FlowShop, ShopIntents, ShopMessages};
pub use speech::SpeechAct;
pub use templates::{ApprovedTemplate, FullTemplate, Template, Templates};
pub use tools::{
    HttpEntry, HttpMethod, HttpParam, McpEntry, ParamKind, ParamPlace, RateLimit, ToolClass,
    ToolEntry, Tools,
};
