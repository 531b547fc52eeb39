//! `flow.yaml`: the modes a conversation passes through, and what may happen in each.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Duration, Escalation, FlowShop, Keyword, Sentiment, SpeechAct, Switch, Timeout};

/// The modes a conversation passes through, and what may happen in each.
///
/// Conditions (`when`) and values (`with`, `set`) are written in CEL over what the engine knows:
/// modo, datos, faltan, minimos, enviados, vistos, intencion, confianza, acepta, rechaza,
/// resumen_vigente, acordado, propuesta, nuevo, hora, dia, cliente, the choices and values of this file, and what tools
/// returned under the name it was saved as; where there is a shop also carrito, hilo and errores,
/// and where there is a profile abierto, horario, horario_hoy, abre and comercio.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// The mode a session begins in.
    pub initial: String,
    /// How sure the agent must be of what a message means.
    #[serde(default)]
    pub bands: Bands,
    /// What is done when a session begins, before its first message is looked at.
    #[serde(default)]
    pub begin: Vec<Action>,
    /// The business's own profile: hours, payment, delivery, policies.
    #[serde(default)]
    pub commerce: Option<String>,
    /// What it sells from a catalogue.
    #[serde(default)]
    pub shop: Option<FlowShop>,
    /// The fields to collect.
    #[serde(default)]
    pub collect: Option<Collect>,
    /// What the customer chooses among.
    #[serde(default)]
    pub choices: Vec<ChoiceSet>,
    /// Values for texts and conditions, such as prices: the only place they come from.
    #[serde(default)]
    pub values: BTreeMap<String, Value>,
    /// The templates that sum up what is about to be done: a yes counts only after one of them, and
    /// only while nothing changed since.
    #[serde(default)]
    pub summaries: Vec<Summary>,
    /// Which template says what.
    pub messages: FlowMessages,
    /// When a person takes over.
    #[serde(default)]
    pub escalation: FlowEscalation,
    /// What is said when one does, and where the flow goes on afterwards.
    #[serde(default)]
    pub handoff: HandoffRules,
    /// What each intent does in every mode that does not say otherwise.
    #[serde(default)]
    pub intents: BTreeMap<String, Vec<Action>>,
    /// The modes.
    #[schemars(length(min = 1))]
    pub modes: Vec<Mode>,
    /// What happens after a silence.
    #[serde(default)]
    pub timers: Vec<FlowTimer>,
}

/// A text that asks for the customer's yes to one exact call of a tool.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// The template, which must say the total if there is one.
    pub template: String,
    /// The tool that a yes allows to be called, once.
    pub proposes: String,
    /// What it would be called with, each a CEL expression, besides what tools.yaml binds.
    #[serde(default)]
    pub with: BTreeMap<String, String>,
    /// Templates that leave its question open: after one of them a yes is still to this summary.
    /// After anything else it is not, and the summary is shown again.
    #[serde(default)]
    pub open_after: Vec<String>,
    /// What a yes to it does, in whatever mode it is said; where this is left out, the mode's own
    /// intent for a yes. The tool is called with exactly what was shown.
    #[serde(default)]
    pub then: Vec<Action>,
}

/// How sure the agent must be, from 0 to 1; below all of them a person takes over.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bands {
    /// From here on it goes ahead.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub proceed: f64,
    /// From here on it looks again, with more context.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub reanalyse: f64,
    /// From here on it asks the customer.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub clarify: f64,
    /// How often in a row it asks before a person takes over.
    #[schemars(range(min = 1, max = 10))]
    pub clarify_times: u32,
}

impl Default for Bands {
    fn default() -> Self {
        Self { proceed: 0.85, reanalyse: 0.60, clarify: 0.40, clarify_times: 2 }
    }
}

/// The fields to collect.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collect {
    /// A form file with the fields and how each is asked for.
    pub file: String,
    /// The fields without which the flow does not go on (`minimos`).
    #[schemars(length(min = 1))]
    pub minimum: Vec<String>,
    /// Further fields that are needed only if this holds.
    #[serde(default)]
    pub minimum_when: BTreeMap<String, String>,
    /// Fields whose value may be known when a session begins, each a CEL expression.
    #[serde(default)]
    pub known: BTreeMap<String, String>,
    /// The fields that a customer's next session begins with.
    #[serde(default)]
    pub keep: Vec<String>,
    /// Intents after whose answer the missing data is not asked for again.
    #[serde(default)]
    pub quiet: Vec<String>,
    /// What is done when a message completes the minimum.
    #[serde(default)]
    pub complete: Vec<Action>,
}

/// What the customer chooses among; the choice is a variable of this name, empty until then.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChoiceSet {
    /// Its name in conditions, texts and data.
    #[schemars(
        regex(pattern = r"^[a-z][a-z0-9_]{0,40}$"),
        extend("patternErrorMessage" = "a name of small letters, digits and `_`")
    )]
    pub name: String,
    /// The intent that a choice is.
    pub intent: String,
    /// Modes in which the customer has been asked to choose, so that a bare number is a choice.
    #[serde(default)]
    pub asked_in: Vec<String>,
    /// What there is.
    #[schemars(length(min = 1))]
    pub options: Vec<ChoiceOption>,
}

/// One thing to choose.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChoiceOption {
    /// What is stored.
    #[schemars(length(min = 1))]
    pub value: String,
    /// What people call it.
    #[schemars(length(min = 1))]
    pub label: String,
    /// Words and phrases that choose it wherever they are said.
    #[serde(default)]
    pub words: Vec<String>,
    /// Regular expressions over small letters without accents that choose it wherever they match.
    #[serde(default)]
    pub patterns: Vec<String>,
    /// Words that choose it where the customer was asked to choose.
    #[serde(default)]
    pub asked: Vec<String>,
    /// Values of the chosen option, in texts and conditions under `elegido`.
    #[serde(default)]
    pub values: Map<String, Value>,
}

/// Which template says what.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowMessages {
    /// Asks which of several things was meant; {{ opciones }} lists them.
    pub clarify: String,
    /// Asks to say it otherwise when nothing is likely.
    pub unclear: String,
    /// Answers what no rule of the mode answers.
    pub other: String,
    /// Refers to what was already said; {{ texto }} is its short form.
    pub reference: String,
    /// Says that a person takes over.
    pub hand_off: String,
    /// Answers a message without words, such as an audio.
    pub unreadable: String,
    /// Takes the conversation up again after a person gave it back.
    pub back: String,
    /// Says that something did not work and a person will look at it.
    pub failed: String,
    /// Says goodbye when the budget is spent and the pack closes then.
    #[serde(default)]
    pub spent: Option<String>,
}

/// Where a conversation stands.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    /// Its name.
    #[schemars(
        regex(pattern = r"^[A-Za-z][A-Za-z0-9_]{0,40}$"),
        extend("patternErrorMessage" = "a name of letters, digits and `_`")
    )]
    pub name: String,
    /// What it means, for people and models.
    #[serde(default)]
    pub description: String,
    /// Whether the fields are asked for here; given without being asked they are taken anywhere.
    #[serde(default)]
    pub collects: bool,
    /// Intents that are likely here; they weigh when a message is looked at again.
    #[serde(default)]
    pub expects: Vec<String>,
    /// What is done on entering.
    #[serde(default)]
    pub enter: Vec<Action>,
    /// What each intent does here.
    #[serde(default)]
    pub intents: BTreeMap<String, Vec<Action>>,
    /// What is done after a tool has worked here, whoever called it.
    #[serde(default)]
    pub after: BTreeMap<String, Vec<Action>>,
    /// What is done after a question beside the order was answered, to lead back to the order.
    #[serde(default)]
    pub bridge: Vec<Action>,
    /// Where the conversation may go from here.
    #[serde(default)]
    pub to: Vec<Transition>,
    /// Tools a model may call here.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Templates a model may send here.
    #[serde(default)]
    pub templates: Vec<String>,
    /// What a model may do here in words of its own; what is none of these is said by templates.
    #[serde(default)]
    pub own_words: Vec<SpeechAct>,
    /// Whether the conversation has reached its end here.
    #[serde(default)]
    pub end: bool,
}

/// A way from one mode to another.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// The mode it leads to.
    pub mode: String,
    /// What must hold.
    #[serde(default)]
    pub when: Option<String>,
    /// Why it is closed when that does not hold: a model is told so.
    #[serde(default)]
    pub because: Option<String>,
}

/// One thing to do: exactly one of say, go, call, shop, set, stamp, hand_off and close.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Action {
    /// Done only if this holds.
    pub when: Option<String>,
    /// Sends a template.
    pub say: Option<String>,
    /// Goes to a mode, if the way there is open.
    pub go: Option<String>,
    /// Calls a tool.
    pub call: Option<String>,
    /// The tool's input, each a CEL expression.
    pub with: BTreeMap<String, String>,
    /// The name under which the tool's answer is kept.
    pub save: Option<String>,
    /// Works on the cart as the message asks, with the tools of the mode.
    pub shop: Option<ShopAct>,
    /// Makes choices, each a CEL expression.
    pub set: Option<BTreeMap<String, String>>,
    /// Notes the time.
    pub stamp: Option<Stamp>,
    /// Gives the conversation to a person, for this reason.
    pub hand_off: Option<String>,
    /// What kind of reason that is.
    pub trigger: Option<HandoffTrigger>,
    /// Ends the session.
    pub close: Option<bool>,
    /// What is done instead when `when` does not hold, the way is closed or the tool fails.
    pub otherwise: Vec<Action>,
}

/// What is done with the cart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShopAct {
    /// Does to the cart what the message asks, and says what came of it.
    Change,
    /// Answers a question about a product.
    Answer,
}

/// The kinds of reason for which a person takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HandoffTrigger {
    ConsecutiveErrors,
    NegativeSentiment,
    OrderAlreadyProcessed,
    CustomerRequest,
    NotUnderstood,
    Rule,
}

/// When a person takes over.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FlowEscalation {
    /// The customer asks for one.
    pub keyword: Keyword,
    /// It takes too long.
    pub timeout: Timeout,
    /// The customer is unhappy.
    pub sentiment: Sentiment,
    /// A model reads the wish for a person; asked only if one is configured.
    pub llm_intent: Switch,
    /// Everything is collected and the customer writes on.
    pub completion: Switch,
    /// Tools failed in this many messages in a row; one that works begins the count anew.
    pub errors: Option<InARow>,
    /// This many messages in a row led to nothing.
    pub unresolved: Option<InARow>,
}

/// How often in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InARow {
    /// How often.
    #[schemars(range(min = 1, max = 20))]
    pub times: u32,
}

impl FlowEscalation {
    /// What forms know of it too.
    pub fn of_forms(&self) -> Escalation {
        Escalation {
            keyword: self.keyword.clone(),
            timeout: self.timeout,
            sentiment: self.sentiment,
            llm_intent: self.llm_intent,
            completion: self.completion,
        }
    }
}

/// What is said when a person takes over, and where the flow goes on afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HandoffRules {
    /// The mode the flow stands in meanwhile.
    pub mode: Option<String>,
    /// The template that a customer who writes meanwhile is sent, once.
    pub attending: Option<String>,
    /// What is said if nobody takes the conversation.
    pub unattended: Option<Unattended>,
    /// The template that says a person takes over, while the business is closed.
    pub closed: Option<String>,
    /// Where the flow goes on: the first that holds.
    pub returns: Vec<ReturnTo>,
}

/// What is said if nobody takes the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unattended {
    /// How long nobody does.
    pub after: Duration,
    /// The template.
    pub say: String,
}

/// Where a flow goes on.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReturnTo {
    /// The mode.
    pub mode: String,
    /// What must hold.
    #[serde(default)]
    pub when: Option<String>,
}

/// A time that is noted in the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stamp {
    ProactiveStartedAt,
    FirstDataAt,
    MinDataAt,
    OfrecerPromosAt,
}

/// What happens when the customer says nothing for a while.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowTimer {
    /// Its name.
    #[schemars(
        regex(pattern = r"^[a-z][a-z0-9_.]{0,40}$"),
        extend("patternErrorMessage" = "a name of small letters, digits, `.` and `_`")
    )]
    pub name: String,
    /// The modes in which it runs.
    #[serde(rename = "in")]
    #[schemars(length(min = 1))]
    pub modes: Vec<String>,
    /// It runs only while this holds.
    #[serde(default)]
    pub when: Option<String>,
    /// How long a silence.
    pub after: Duration,
    /// What is done then.
    #[serde(rename = "do")]
    #[schemars(length(min = 1))]
    pub actions: Vec<Action>,
}
