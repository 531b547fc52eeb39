//! `flow.yaml`: the modes a conversation passes through, and what may happen in each.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Duration, Escalation, FlowShop, Keyword, Sentiment, SpeechAct, Switch, Timeout};

/// The modes a conversation passes through, and what may happen in each.
///
/// Conditions (`when`) are named under `conditions` or, as values (`with`, `set`), written in CEL over what the engine knows:
/// modo, datos, faltan, minimos, enviados, vistos, intencion, confianza, acepta, rechaza,
/// resumen_vigente, acordado, propuesta, nuevo, hora, dia, cliente, the choices and values of this file, and what tools
/// returned under the name it was saved as; where there is a shop also carrito, hilo and errores,
/// and where there is a profile abierto, horario, horario_hoy, abre and comercio.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Actions by name: `do: NAME` does them wherever actions stand.
    #[serde(default)]
    pub steps: BTreeMap<String, Vec<Action>>,
    /// Conditions by name, which may be a sentence: `when: NAME` asks for one wherever a condition
    /// stands, in tools.yaml too.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, When>")]
    pub conditions: BTreeMap<String, String>,
    /// Tools by the name of their group, which stands for them in a mode's `tools`.
    #[serde(default)]
    pub tool_groups: BTreeMap<String, Vec<String>>,
    /// Templates by the name of their group, which stands for them in `templates` and `open_after`.
    #[serde(default)]
    pub template_groups: BTreeMap<String, Vec<String>>,
    /// The mode a session begins in.
    pub initial: String,
    /// How sure the agent must be of what a message means.
    #[serde(default)]
    pub bands: Bands,
    /// Actions when a session begins, before its first message is looked at.
    #[serde(default)]
    pub begin: Vec<Action>,
    /// The business's own profile: hours, payment, delivery, policies.
    #[serde(default)]
    pub commerce: Option<String>,
    /// The catalogue from which the flow sells.
    #[serde(default)]
    pub shop: Option<FlowShop>,
    /// The fields to collect.
    #[serde(default)]
    pub collect: Option<Collect>,
    /// The choices of the customer.
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
    /// The texts of a handoff, and where the flow goes on afterwards.
    #[serde(default)]
    pub handoff: HandoffRules,
    /// The actions of each intent in every mode that does not say otherwise.
    #[serde(default)]
    pub intents: BTreeMap<String, Vec<Action>>,
    /// The modes.
    #[schemars(length(min = 1))]
    pub modes: Vec<Mode>,
    /// Actions after a silence.
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
    /// The inputs it would be called with, each a CEL expression, besides those that tools.yaml
    /// binds.
    #[serde(default)]
    pub with: BTreeMap<String, String>,
    /// Templates that leave its question open: after one of them a yes is still to this summary.
    /// After anything else it is not, and the summary is shown again.
    #[serde(default)]
    pub open_after: Vec<String>,
    /// The actions of a yes to it, in whatever mode it is said; where this is left out, the mode's
    /// own intent for a yes. The tool is called with exactly what was shown.
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
    #[schemars(with = "BTreeMap<String, When>")]
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
    /// Actions when a message completes the minimum.
    #[serde(default)]
    pub complete: Vec<Action>,
}

/// A set of options for the customer; the choice is a variable of this name, empty until then.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChoiceSet {
    /// The choice's name in conditions, texts and data.
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
    /// Phrases that choose the option whose `number` stands for their `#`, in digits or words, wherever
    /// they are said: `{quiero} (el) # ({frascos})`.
    #[serde(default)]
    #[schemars(inner(length(min = 1, max = 120)))]
    pub phrases: Vec<String>,
    /// Words that choose so where the customer was asked to choose: `#`, `# {frascos}`, `la #º`.
    #[serde(default)]
    #[schemars(inner(length(min = 1, max = 120)))]
    pub asked: Vec<String>,
    /// The options.
    #[schemars(length(min = 1))]
    pub options: Vec<ChoiceOption>,
}

/// An option of a choice.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChoiceOption {
    /// The value that is stored.
    #[schemars(length(min = 1))]
    pub value: String,
    /// The option's name, as people say it.
    #[schemars(length(min = 1))]
    pub label: String,
    /// How many it is of what is counted: it is chosen by that number, in digits or in words.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub number: Option<u32>,
    /// Words and phrases that choose it wherever they are said.
    #[serde(default)]
    pub words: Vec<String>,
    /// Phrases that choose it wherever they are said.
    #[serde(default)]
    #[schemars(inner(length(min = 1, max = 120)))]
    pub phrases: Vec<String>,
    /// Regular expressions over small letters without accents that choose it wherever they match,
    /// for what no phrase can say; of at most 120 letters.
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
    /// The mode's name.
    #[schemars(
        regex(pattern = r"^[A-Za-z][A-Za-z0-9_]{0,40}$"),
        extend("patternErrorMessage" = "a name of letters, digits and `_`")
    )]
    pub name: String,
    /// The mode's meaning, for people and models.
    #[serde(default)]
    pub description: String,
    /// Whether the fields are asked for here; given without being asked they are taken anywhere.
    #[serde(default)]
    pub collects: bool,
    /// Intents that are likely here; they weigh when a message is looked at again.
    #[serde(default)]
    pub expects: Vec<String>,
    /// Actions on entering.
    #[serde(default)]
    pub enter: Vec<Action>,
    /// The actions of each intent here.
    #[serde(default)]
    pub intents: BTreeMap<String, Vec<Action>>,
    /// Actions after a tool has worked here, whoever called it.
    #[serde(default)]
    pub after: BTreeMap<String, Vec<Action>>,
    /// Actions after a question beside the order was answered, to lead back to the order.
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
    /// The speech acts that a model may do here in words of its own; the rest is said by templates.
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
    /// The condition that must hold.
    #[serde(default)]
    #[schemars(with = "Option<When>")]
    pub when: Option<String>,
    /// Why it is closed when that does not hold: a model is told so.
    #[serde(default)]
    pub because: Option<String>,
}

/// An action: exactly one of say, go, call, shop, set, stamp, hand_off, close and do.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Action {
    /// Done only if this holds.
    #[schemars(with = "Option<When>")]
    pub when: Option<String>,
    /// Does the actions that `steps` has under this name; it stands alone.
    #[serde(rename = "do")]
    pub step: Option<String>,
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
    /// Notes the time, once, under this name: a milestone of the session.
    #[schemars(
        regex(pattern = r"^[a-z][a-z0-9_]{0,40}$"),
        extend("patternErrorMessage" = "a name of small letters, digits and `_`")
    )]
    pub stamp: Option<String>,
    /// Gives the conversation to a person, for this reason.
    pub hand_off: Option<String>,
    /// The kind of that reason.
    pub trigger: Option<HandoffTrigger>,
    /// Ends the session.
    pub close: Option<bool>,
    /// Actions instead when `when` does not hold, the way is closed or the tool fails.
    pub otherwise: Vec<Action>,
}

/// A condition as it is written: in CEL, by its name, or several that must all hold.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "what it says is one expression once the flow is read")]
pub(super) enum When {
    One(String),
    All(#[schemars(length(min = 1))] Vec<String>),
}

/// An act on the cart.
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
    /// The conversation takes too long.
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
    /// The rules that forms know too.
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

/// The texts of a handoff, and where the flow goes on afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HandoffRules {
    /// The mode the flow stands in meanwhile.
    pub mode: Option<String>,
    /// The template that a customer who writes meanwhile is sent, once.
    pub attending: Option<String>,
    /// The text if nobody takes the conversation.
    pub unattended: Option<Unattended>,
    /// The template that says a person takes over, while the business is closed.
    pub closed: Option<String>,
    /// Where the flow goes on: the first that holds.
    pub returns: Vec<ReturnTo>,
}

/// The text if nobody takes the conversation.
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
    /// The condition that must hold.
    #[serde(default)]
    #[schemars(with = "Option<When>")]
    pub when: Option<String>,
}

/// Actions when the customer says nothing for a while.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowTimer {
    /// The timer's name.
    #[schemars(
        regex(pattern = r"^[a-z][a-z0-9_.]{0,40}$"),
        extend("patternErrorMessage" = "a name of small letters, digits, `.` and `_`")
    )]
    pub name: String,
    /// The modes in which it runs.
    #[serde(rename = "in")]
    #[schemars(length(min = 1))]
    pub modes: Vec<String>,
    /// The timer runs only while this holds.
    #[serde(default)]
    #[schemars(with = "Option<When>")]
    pub when: Option<String>,
    /// How long a silence.
    pub after: Duration,
    /// The actions of the timer.
    #[serde(rename = "do")]
    #[schemars(length(min = 1))]
    pub actions: Vec<Action>,
}
