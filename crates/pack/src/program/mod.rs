//! A flow as it runs: its modes and intents are known by their places, each condition and value stands
//! where it is asked for, and an action is one of a closed set. A name that comes from outside (of a
//! session, a model, an example) is looked up once.

mod compile;
mod intents;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::expression::{Expression, Known};
use crate::files::{
    Bands, ChoiceOption, Duration, FlowEscalation, FlowMessages, HandoffTrigger, ShopAct,
    ShopMessages, SpeechAct, Unattended,
};

pub use intents::{Intent, IntentId, Intents};

/// A mode of a program, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeId(usize);

/// A flow, compiled.
#[derive(Clone, Debug)]
pub struct Program {
    pub initial: ModeId,
    pub bands: Bands,
    /// The first steps of a session.
    pub begin: Vec<Step>,
    pub shop: Option<Shop>,
    pub collect: Option<Collect>,
    pub choices: Vec<Choice>,
    pub values: BTreeMap<String, Value>,
    pub summaries: Vec<Summary>,
    pub messages: FlowMessages,
    pub escalation: FlowEscalation,
    pub handoff: HandoffRules,
    /// The intents that messages may be taken to have.
    pub intents: Intents,
    pub timers: Vec<FlowTimer>,
    modes: Vec<Mode>,
    tools: BTreeMap<String, Tool>,
}

/// A condition that must hold; an empty one always does.
#[derive(Clone, Debug, Default)]
pub struct Condition(Option<Expression>);

impl Condition {
    /// Whether it holds. A condition that cannot be told does not.
    pub fn holds(&self, facts: &dyn Known) -> bool {
        let Some(expression) = &self.0 else { return true };
        expression.holds(facts).unwrap_or(false)
    }

    /// The condition as its file has it, if there is one.
    pub fn text(&self) -> Option<&str> {
        self.0.as_ref().map(Expression::text)
    }
}

/// Values by name, each computed when it is asked for, in the order of their names.
pub type Inputs = Vec<(String, Expression)>;

/// A thing to do, and what is done instead if it cannot be.
#[derive(Clone, Debug)]
pub struct Step {
    pub when: Condition,
    pub action: Action,
    /// The steps that are taken instead when `when` does not hold, the way is closed or the tool fails.
    pub otherwise: Vec<Step>,
}

/// An action of a flow.
#[derive(Clone, Debug)]
pub enum Action {
    /// Sends a template.
    Say(String),
    /// Goes to a mode, if the way there is open.
    Go(ModeId),
    Call(Call),
    /// Works on the cart as the message asks, with the tools of the mode.
    Shop(ShopAct),
    /// Makes choices, each the value of an expression.
    Choose(Inputs),
    /// Notes the time under a milestone's name, once.
    Stamp(String),
    /// Gives the conversation to a person.
    HandOff {
        trigger: HandoffTrigger,
        reason: String,
    },
    /// Ends the session.
    Close,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct Call {
    pub tool: String,
    pub with: Inputs,
    /// The name under which the answer is kept.
    pub save: Option<String>,
}

/// Where a conversation stands.
#[derive(Clone, Debug)]
pub struct Mode {
    pub name: String,
    pub description: String,
    pub collects: bool,
    pub expects: Vec<IntentId>,
    pub enter: Vec<Step>,
    /// The steps that answer intents here.
    pub intents: BTreeMap<IntentId, Vec<Step>>,
    /// The intents that a plain yes and a plain no are here.
    pub yes: Option<IntentId>,
    pub no: Option<IntentId>,
    /// The steps after a tool has worked here, whoever called it.
    pub after: BTreeMap<String, Vec<Step>>,
    pub bridge: Vec<Step>,
    pub to: Vec<Way>,
    /// Tools a model may call here.
    pub tools: Vec<String>,
    /// Templates a model may send here.
    pub templates: Vec<String>,
    pub own_words: Vec<SpeechAct>,
    pub end: bool,
}

/// A way from one mode to another.
#[derive(Clone, Debug)]
pub struct Way {
    pub to: ModeId,
    pub when: Condition,
    /// Why it is closed when that does not hold: a model is told so.
    pub because: Option<String>,
}

/// A text that asks for the customer's yes to one exact call of a tool.
#[derive(Clone, Debug)]
pub struct Summary {
    pub template: String,
    pub proposes: String,
    pub with: Inputs,
    /// Templates that leave its question open.
    pub open_after: Vec<String>,
    /// The steps of a yes to it, in whatever mode it is said.
    pub then: Vec<Step>,
}

/// The fields to collect.
#[derive(Clone, Debug)]
pub struct Collect {
    pub minimum: Vec<String>,
    /// Further fields that are needed only if this holds.
    pub minimum_when: Vec<(String, Condition)>,
    /// Fields whose value may be known when a session begins.
    pub known: Inputs,
    /// The fields that a customer's next session begins with.
    pub keep: Vec<String>,
    /// Intents after whose answer the missing data is not asked for again.
    pub quiet: Vec<IntentId>,
    /// The steps of a message that completes the minimum.
    pub complete: Vec<Step>,
}

/// A shop that sells from a catalogue.
#[derive(Clone, Debug)]
pub struct Shop {
    /// The file of its first products.
    pub catalogue: Option<String>,
    /// The intent to put something into the cart, take it out or change it.
    pub change: IntentId,
    /// The intent to ask about a product.
    pub ask: IntentId,
    /// The intent to say which of several products was meant.
    pub choose: IntentId,
    pub messages: ShopMessages,
}

/// A set of options of which the customer takes one.
#[derive(Clone, Debug)]
pub struct Choice {
    pub name: String,
    /// The intent that a choice is.
    pub intent: IntentId,
    /// Modes in which the customer has been asked to choose.
    pub asked_in: Vec<ModeId>,
    pub options: Vec<ChoiceOption>,
}

impl Choice {
    pub fn option(&self, value: &str) -> Option<&ChoiceOption> {
        self.options.iter().find(|option| option.value == value)
    }
}

/// The words for when a person takes over, and where the flow goes on afterwards.
#[derive(Clone, Debug)]
pub struct HandoffRules {
    /// The mode the flow stands in meanwhile.
    pub mode: Option<ModeId>,
    pub attending: Option<String>,
    pub unattended: Option<Unattended>,
    pub closed: Option<String>,
    /// Where the flow goes on: the first that holds.
    pub returns: Vec<(ModeId, Condition)>,
}

/// The steps of a silence of the customer's.
#[derive(Clone, Debug)]
pub struct FlowTimer {
    pub name: String,
    pub modes: Vec<ModeId>,
    pub when: Condition,
    pub after: Duration,
    pub actions: Vec<Step>,
}

/// The pack's hold on a tool.
#[derive(Clone, Debug, Default)]
pub struct Tool {
    /// Inputs that the engine fills in.
    pub bind: Inputs,
    /// The condition of a call, whoever asks for it.
    pub when: Condition,
    /// The names that the flow keeps its answers under: a model's call fills them all.
    pub saves: Vec<String>,
}

impl Program {
    pub fn mode(&self, id: ModeId) -> &Mode {
        &self.modes[id.0]
    }

    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }

    /// A mode by name: sessions are stored with names, and people and models give them.
    pub fn mode_named(&self, name: &str) -> Option<ModeId> {
        self.modes.iter().position(|mode| mode.name == name).map(ModeId)
    }

    pub fn intent(&self, id: IntentId) -> &Intent {
        self.intents.get(id)
    }

    /// The steps that answer an intent in a mode: the mode's own, else the flow's.
    pub fn answer(&self, mode: ModeId, intent: IntentId) -> Option<&[Step]> {
        let own = self.mode(mode).intents.get(&intent);
        own.or(self.intent(intent).steps.as_ref()).map(Vec::as_slice)
    }

    pub fn choice(&self, name: &str) -> Option<&Choice> {
        self.choices.iter().find(|choice| choice.name == name)
    }

    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }

    /// Every name that a tool's answer is kept under.
    pub fn saves(&self) -> impl Iterator<Item = &String> {
        self.tools.values().flat_map(|tool| &tool.saves)
    }
}
