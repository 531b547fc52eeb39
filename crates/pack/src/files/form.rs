//! `form.yaml`: the fields a form agent collects, and what it does when it cannot.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Duration;

/// The fields that a form agent collects, in this order, and its acts when it cannot.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// The fields to collect, in the order they are asked for.
    #[schemars(length(min = 1))]
    pub fields: Vec<Field>,
    /// Which template says what.
    pub messages: Messages,
    /// Ask for a yes before completing; without it the last field completes the form.
    #[serde(default)]
    pub confirm: Option<Confirm>,
    /// How often one field is asked for in vain, and what happens then.
    #[serde(default)]
    pub attempts: Attempts,
    /// When a person takes over, tested in this order.
    #[serde(default)]
    pub escalation: Escalation,
    /// The messages that count as beside the point.
    #[serde(default)]
    pub off_topic: OffTopic,
    /// A nudge for a customer who stopped answering.
    #[serde(default)]
    pub reminder: Option<Reminder>,
}

/// A datum to collect.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The field's name in the data.
    #[schemars(
        regex(pattern = r"^[a-z][a-z0-9_]{0,40}$"),
        extend("patternErrorMessage" = "a name of small letters, digits and `_`")
    )]
    pub name: String,
    /// The kind of value that the field takes.
    #[serde(rename = "type")]
    pub kind: FieldKind,
    /// The customer's word for it, with its article: "tu correo".
    #[schemars(length(min = 1))]
    pub label: String,
    /// Words by which a customer names it when correcting it.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The template that asks for it; without one it is taken when given, and never asked for.
    #[serde(default)]
    pub ask: Option<String>,
    /// The template that acknowledges its value, before the next question.
    #[serde(default)]
    pub taken: Option<String>,
    /// The template that explains what is expected; without one, the reason the value was refused.
    #[serde(default)]
    pub invalid: Option<String>,
    /// A regular expression the whole value must match.
    #[serde(default)]
    pub pattern: Option<String>,
    /// The smallest number taken.
    #[serde(default)]
    pub min: Option<f64>,
    /// The largest number taken.
    #[serde(default)]
    pub max: Option<f64>,
    /// The currency its amounts are in, such as COP; an amount in another one is not taken.
    #[serde(default)]
    #[schemars(regex(pattern = r"^[A-Z]{3}$"))]
    pub currency: Option<String>,
    /// Whether the customer may go without it ("no tengo").
    #[serde(default)]
    pub optional: bool,
    /// For a city: whether one that pack.yaml does not list is taken when it is asked for.
    #[serde(default)]
    pub others: bool,
}

/// The kind of value that a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// Anything but nothing.
    Text,
    /// A person's name; text, found after "me llamo" and the like.
    Name,
    /// An e-mail address.
    Email,
    /// At least seven digits.
    Phone,
    /// An address that begins with http:// or https://.
    Url,
    /// A number, in digits or in words.
    Number,
    /// A city of pack.yaml; with `others`, any place when it is asked for.
    City,
    /// Where somebody lives: street and number, or any words when it is asked for.
    Address,
    /// The number of an identity document, by the country's own rule.
    Document,
}

impl FieldKind {
    /// Whether any words may be its value.
    pub fn is_free_text(self) -> bool {
        matches!(self, Self::Text | Self::Name | Self::Address)
    }
}

/// Which template says what; each may use the values of the fields.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Messages {
    /// Opens the first answer of a conversation.
    pub welcome: String,
    /// Brings a customer who said something else back to the question.
    pub redirect: String,
    /// Says what is wrong with a value; {{ explicacion }} holds the reason.
    pub invalid: String,
    /// Repeats several values that came in one message; {{ anotado }} lists them.
    pub noted: String,
    /// Says that a value was changed; {{ campo }} and {{ valor }}.
    pub corrected: String,
    /// Asks which field is to be corrected.
    pub which_field: String,
    /// Proposes a value that would do; {{ valor }}.
    pub propose: String,
    /// Offers help after too many attempts; {{ campo }}, {{ explicacion }}.
    pub help: String,
    /// Offers a person after too many attempts; {{ campo }}.
    pub offer_person: String,
    /// Thanks when everything is collected; {{ resumen }}.
    pub complete: String,
    /// Answers a customer who writes on after that.
    pub already_complete: String,
    /// Says that a person takes over.
    pub escalate: String,
    /// Answers a message without words, such as an audio.
    pub unreadable: String,
    /// Takes the conversation up again after a person gave it back.
    pub back: String,
}

/// Asks for a yes before completing.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Confirm {
    /// The template that asks; {{ resumen }} lists what was collected.
    pub ask: String,
    /// The template for an answer that is neither yes, no nor a correction.
    pub unclear: String,
    /// The template that asks what to change after a no.
    pub change: String,
}

/// How often one field is asked for in vain, and what happens then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Attempts {
    /// Failed attempts at one field before that.
    #[schemars(range(min = 1, max = 20))]
    pub limit: u32,
    /// The act that follows.
    pub then: Then,
}

impl Default for Attempts {
    fn default() -> Self {
        Self { limit: 3, then: Then::OfferPerson }
    }
}

/// The act after too many attempts at one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// Explains the field at length.
    Help,
    /// Asks whether a person should go on; a yes hands over.
    OfferPerson,
    /// Hands over at once.
    HandOff,
}

/// When a person takes over; the policies are tested in this order.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Escalation {
    /// The customer asks for one.
    pub keyword: Keyword,
    /// The form takes too long.
    pub timeout: Timeout,
    /// The customer is unhappy.
    pub sentiment: Sentiment,
    /// A model reads the wish for a person; asked only if one is configured.
    pub llm_intent: Switch,
    /// Everything is collected and the customer writes on.
    pub completion: Switch,
}

/// The customer asks for a person.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Keyword {
    pub enabled: bool,
    /// Whether the built-in ways to ask for a person count.
    pub builtin: bool,
    /// Further words and phrases; `cancel*` is every word that begins so.
    pub words: Vec<String>,
}

impl Default for Keyword {
    fn default() -> Self {
        Self { enabled: true, builtin: true, words: Vec::new() }
    }
}

/// The form takes too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Timeout {
    pub enabled: bool,
    /// Counted from the customer's first message.
    pub after: Duration,
}

impl Default for Timeout {
    fn default() -> Self {
        Self { enabled: false, after: Duration::from_minutes(240) }
    }
}

/// The customer is unhappy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sentiment {
    pub enabled: bool,
    /// From which level on.
    pub level: SentimentLevel,
    /// In how many messages of the session.
    #[schemars(range(min = 1, max = 20))]
    pub times: u32,
}

impl Default for Sentiment {
    fn default() -> Self {
        Self { enabled: true, level: SentimentLevel::Frustrated, times: 1 }
    }
}

/// How unhappy.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SentimentLevel {
    Negative,
    Frustrated,
}

/// A policy that is on or off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Switch {
    pub enabled: bool,
}

/// The messages that count as beside the point, next to greetings and unrelated questions.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OffTopic {
    /// Intents of intents.yaml that are.
    pub intents: Vec<String>,
    /// How sure the classifier must be, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
}

impl Default for OffTopic {
    fn default() -> Self {
        Self { intents: Vec::new(), confidence: 0.6 }
    }
}

/// A nudge for a customer who stopped answering.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reminder {
    /// How long a silence.
    pub after: Duration,
    /// The template that is sent, followed by the question.
    pub template: String,
}
