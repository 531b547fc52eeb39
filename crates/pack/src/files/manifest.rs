//! `pack.yaml`: what the pack is called, where its customers live, and its agents.

use schemars::JsonSchema;
use sentences::{ReplacedExplanations, ReplacedFrames, ReplacedHours, ReplacedSentences};
use serde::{Deserialize, Serialize};

/// The pack's name, its customers' country, and its agents.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The pack's name, as channels name it: small letters, digits and dashes.
    #[schemars(
        regex(pattern = r"^[a-z][a-z0-9_-]{0,40}$"),
        extend("patternErrorMessage" = "a name of small letters, digits, `-` and `_`")
    )]
    pub name: String,
    /// The pack's name, as people say it.
    #[schemars(length(min = 1))]
    pub title: String,
    /// A sentence or two on whom the pack serves.
    #[serde(default)]
    pub description: String,
    /// Language and country of its customers, such as es-CO, es-AR or en-US.
    #[schemars(
        regex(pattern = r"^(es|en)-[A-Z]{2}$"),
        extend("patternErrorMessage" = "es or en, and a country, such as es-CO")
    )]
    pub locale: String,
    /// Where its clock hangs, such as America/Bogota.
    pub time_zone: String,
    /// Cities its customers may name.
    #[serde(default)]
    pub cities: Vec<String>,
    /// The pack's agents; the first one answers.
    #[schemars(length(min = 1))]
    pub agents: Vec<AgentEntry>,
    /// Which language models help; without one the agent works by its rules.
    #[serde(default)]
    pub models: Models,
    /// The limits on the cost of models.
    #[serde(default)]
    pub budget: BudgetEntry,
    /// How much of a conversation a model is shown.
    #[serde(default)]
    pub history: History,
    /// How the replies of one turn leave.
    #[serde(default)]
    pub bubbles: Bubbles,
    /// The engine's own sentences that this pack says in its own way; the others are those of its
    /// locale.
    #[serde(default)]
    pub sentences: ReplacedSentences,
    /// Why values are refused and what fields ask for, where this pack says so in its own way; a
    /// template of the field's own goes before either.
    #[serde(default)]
    pub explanations: ReplacedExplanations,
    /// The hours of the business in words, where this pack says them in its own way.
    #[serde(default)]
    pub hours: ReplacedHours,
    /// The frames, in which models are shown a turn, that this pack words in its own way; the others are
    /// those of its locale.
    #[serde(default)]
    pub frames: ReplacedFrames,
}

/// How the replies of one turn leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bubbles {
    /// Each by itself.
    #[default]
    Many,
    /// Joined into one message, which costs less and cannot arrive out of order.
    One,
}

/// Which language models help, by what they are asked for.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Models {
    /// Reads what a message means, where rules and examples are not sure.
    pub detector: Option<Component>,
    /// Chooses among the moves that the flow allows.
    pub orchestrator: Option<Component>,
    /// Rephrases what was already said, and sums up what was long ago.
    pub writer: Option<Component>,
    /// Settles what a form's rules leave open.
    pub judge: Option<Component>,
}

/// A use of a language model.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// The model, such as claude-haiku-4-5 or gpt-4o-mini; the configuration says who serves it.
    #[schemars(length(min = 1))]
    pub model: String,
    /// Models asked when that one does not answer, in order.
    #[serde(default)]
    pub fallback: Vec<String>,
    /// The longest answer, in tokens.
    #[serde(default = "some_tokens")]
    #[schemars(range(min = 16, max = 64_000))]
    pub max_tokens: u32,
    /// How freely it answers, from 0 to 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub temperature: Option<f32>,
}

fn some_tokens() -> u32 {
    1_000
}

/// The limits on the cost of models.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetEntry {
    /// Tokens of a whole session.
    #[schemars(range(min = 0))]
    pub session_tokens: Option<u64>,
    /// US dollars for one turn.
    #[schemars(range(min = 0.0))]
    pub turn_usd: Option<f64>,
    /// US dollars for a whole session.
    #[schemars(range(min = 0.0))]
    pub session_usd: Option<f64>,
    /// US dollars for one contact in 24 hours.
    #[schemars(range(min = 0.0))]
    pub contact_usd_per_day: Option<f64>,
    /// US dollars for the whole workspace in 24 hours.
    #[schemars(range(min = 0.0))]
    pub workspace_usd_per_day: Option<f64>,
    /// The act when the budget is spent.
    pub when_spent: WhenSpent,
}

impl Default for BudgetEntry {
    fn default() -> Self {
        Self {
            session_tokens: Some(50_000),
            turn_usd: None,
            session_usd: None,
            contact_usd_per_day: None,
            workspace_usd_per_day: None,
            when_spent: WhenSpent::GoOn,
        }
    }
}

/// The act when the budget is spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhenSpent {
    /// The agent goes on by its rules.
    #[default]
    GoOn,
    /// The agent says goodbye, and a person takes over.
    Close,
}

/// How much of a conversation a model is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct History {
    /// The last lines, word for word; what came before is summed up.
    #[schemars(range(min = 2, max = 200))]
    pub lines: u32,
    /// As many when a message is looked at again.
    #[schemars(range(min = 2, max = 500))]
    pub reanalyse_lines: u32,
}

impl Default for History {
    fn default() -> Self {
        Self { lines: 20, reanalyse_lines: 50 }
    }
}

/// An agent of the pack.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentEntry {
    /// The agent's name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The agent's kind.
    pub kind: Kind,
    /// The file that says what it does, beside pack.yaml.
    pub file: String,
}

/// The kind of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Collects fields in conversation.
    Form,
    /// Passes through modes, with what may happen in each.
    Flow,
}
