//! A flow made ready to run: its expressions, the rules of its choices, what it collects with.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, RwLock};

use domain::Prompt;
use jiff::tz::TimeZone;
use nlu::{Hits, Normalized, Rules, RulesBuilder};
use pack::files::{
    Action, Attempts, ChoiceOption, ChoiceSet, Commerce, Flow, Form, Intent, Messages, Mode,
    OffTopic, Summary, ToolEntry,
};
use pack::{Expression, FlowSpec, Known, Pack};
use serde_json::Value;

use crate::form::prose::is_of_machines;
use crate::form::spec::Spec as Fields;
use crate::model::Vocabulary;

/// The intent of a message that gives data.
pub(super) const DATA: &str = "datos_cliente";
/// The intent of what no intent is.
pub(super) const OTHER: &str = "otro";
/// The intent of what nobody understood.
pub(super) const UNKNOWN: &str = "unknown";

const CHOICE_SET: &str = "choice:";
const ASKED_SET: &str = "asked:";

pub(super) struct Spec {
    /// The form's machinery: fields, rules, classifier, extractor.
    pub(super) fields: Fields,
    pub(super) flow: Flow,
    pub(super) commerce: Option<Commerce>,
    pub(super) time_zone: TimeZone,
    /// The words that the pack adds to those that a model may use.
    pub(super) vocabulary: Vocabulary,
    /// Every expression of the flow by its text.
    expressions: HashMap<String, Expression>,
    choices: Rules,
    tools: BTreeMap<String, ToolEntry>,
    /// The name a tool's answer is saved under, whoever calls it.
    saves: BTreeMap<String, String>,
    /// Prompts by their names and the mode; none where something of the session stands in them.
    pub(super) prompts: RwLock<HashMap<(String, String), Option<Prompt>>>,
}

impl Spec {
    /// What a loaded pack has already been checked for cannot fail here; should it, the reason is
    /// the pack's.
    pub(super) fn new(pack: Arc<Pack>, spec: &FlowSpec) -> Result<Self, String> {
        let FlowSpec { flow, form, commerce } = spec.clone();
        let mut form = form.unwrap_or_else(nothing_to_collect);
        form.escalation = flow.escalation.of_forms();
        let time_zone =
            TimeZone::get(&pack.manifest.time_zone).map_err(|error| error.to_string())?;
        let mut spec = Self {
            vocabulary: Vocabulary::default(),
            expressions: HashMap::new(),
            choices: choices(&flow)?,
            tools: tools(&pack),
            saves: BTreeMap::new(),
            prompts: RwLock::default(),
            fields: Fields::new(pack, form)?,
            commerce,
            time_zone,
            flow,
        };
        spec.compile()?;
        Ok(spec)
    }

    pub(super) fn pack(&self) -> &Pack {
        &self.fields.pack
    }

    fn compile(&mut self) -> Result<(), String> {
        let mut texts: Vec<String> = Vec::new();
        let flow = &self.flow;
        let mut saves = BTreeMap::new();
        for actions in action_lists(flow) {
            gather(actions, &mut texts, &mut saves);
        }
        let guards = flow.modes.iter().flat_map(|mode| &mode.to).filter_map(|to| to.when.clone());
        texts.extend(guards);
        texts.extend(flow.timers.iter().filter_map(|timer| timer.when.clone()));
        texts.extend(flow.handoff.returns.iter().filter_map(|to| to.when.clone()));
        if let Some(collect) = &flow.collect {
            texts.extend(collect.minimum_when.values().chain(collect.known.values()).cloned());
        }
        texts.extend(flow.summaries.iter().flat_map(|summary| summary.with.values().cloned()));
        for tool in self.tools.values() {
            texts.extend(tool.when.iter().chain(tool.bind.values()).cloned());
        }
        for text in texts {
            let expression = Expression::parse(&text).map_err(|error| error.to_string())?;
            self.expressions.insert(text, expression);
        }
        self.saves = saves;
        Ok(())
    }

    /// Whether a condition holds; one that is not there does. One that cannot be told does not.
    pub(super) fn holds(&self, when: Option<&String>, facts: &dyn Known) -> bool {
        let Some(when) = when else { return true };
        let expression = self.expressions.get(when);
        expression.is_some_and(|expression| expression.holds(facts).unwrap_or(false))
    }

    pub(super) fn value(&self, text: &str, facts: &dyn Known) -> Result<Value, String> {
        match self.expressions.get(text) {
            Some(expression) => expression.value(facts),
            None => Err(format!("`{text}` is no expression of this flow")),
        }
    }

    /// A mode by name; a session of another version may stand in one that is gone, and begins anew.
    pub(super) fn mode(&self, name: &str) -> &Mode {
        let by_name = |name: &str| self.flow.modes.iter().find(|mode| mode.name == name);
        by_name(name).or_else(|| by_name(&self.flow.initial)).unwrap_or(&self.flow.modes[0])
    }

    pub(super) fn intent(&self, name: &str) -> Option<&Intent> {
        self.pack().intents.intents.iter().find(|intent| intent.name == name)
    }

    /// Whether messages may be understood as this.
    pub(super) fn is_intent(&self, name: &str) -> bool {
        name == OTHER || self.intent(name).is_some()
    }

    pub(super) fn choice(&self, set: &str) -> Option<&ChoiceSet> {
        self.flow.choices.iter().find(|choice| choice.name == set)
    }

    pub(super) fn option(&self, set: &str, value: &str) -> Option<&ChoiceOption> {
        self.choice(set)?.options.iter().find(|option| option.value == value)
    }

    /// What of a choice a text names: in any mode, or where it was asked for.
    pub(super) fn chosen(
        &self,
        choice: &ChoiceSet,
        text: &Normalized<'_>,
        mode: &str,
    ) -> Vec<String> {
        let hits: Hits<'_> = self.choices.find(text);
        let set = |option: &ChoiceOption| format!("{CHOICE_SET}{}:{}", choice.name, option.value);
        // «quiero dos, uno para mí y otro para mi mamá»: what is plainly wanted goes first.
        let wanted = choice.options.iter().filter(|option| hits.any(&set(option)));
        let wanted: Vec<String> = wanted.map(|option| option.value.clone()).collect();
        let asked = choice.asked_in.iter().any(|name| name == mode);
        if wanted.is_empty() && asked { self.answered(choice, text) } else { wanted }
    }

    /// The options of a choice named by clauses that answer which: «la 2, por favor» does, and a
    /// number within something else does not.
    fn answered(&self, choice: &ChoiceSet, text: &Normalized<'_>) -> Vec<String> {
        let mut values = Vec::new();
        for clause in text.original().split([',', ';', '\n', '!']) {
            let clause = Normalized::new(clause);
            let hits = self.choices.find(&clause);
            for option in &choice.options {
                let set = format!("{ASKED_SET}{}:{}", choice.name, option.value);
                if hits.of(&set).any(|hit| answers(&clause, hit)) && !values.contains(&option.value)
                {
                    values.push(option.value.clone());
                }
            }
        }
        values
    }

    pub(super) fn summary(&self, template: &str) -> Option<&Summary> {
        self.flow.summaries.iter().find(|summary| summary.template == template)
    }

    /// The summary that asks for a yes to this tool.
    pub(super) fn summary_of(&self, tool: &str) -> Option<&Summary> {
        self.flow.summaries.iter().find(|summary| summary.proposes == tool)
    }

    pub(super) fn tool(&self, name: &str) -> Option<&ToolEntry> {
        self.tools.get(name)
    }

    /// Every name that a tool's answer is saved under.
    pub(super) fn saves(&self) -> impl Iterator<Item = &String> {
        self.saves.values()
    }

    pub(super) fn saved_as(&self, tool: &str) -> Option<&String> {
        self.saves.get(tool)
    }
}

/// As many words as may stand around a number or an ordinal that answers, and around what is said in
/// words.
const AROUND_A_NUMBER: usize = 4;
const AROUND_WORDS: usize = 10;

/// Whether a clause answers by what was hit in it, and not says it of something else.
fn answers(clause: &Normalized<'_>, hit: &nlu::Hit<'_>) -> bool {
    let outside = |word: &&nlu::Word| {
        word.original.end <= hit.span.start || hit.span.end <= word.original.start
    };
    let beside: Vec<&nlu::Word> = clause.words().iter().filter(outside).collect();
    let digits = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    let number = digits(hit.rule) || hit.span.len() <= 4;
    let most = if number { AROUND_A_NUMBER } else { AROUND_WORDS };
    let told = |word: &&nlu::Word| digits(&word.text) || number && is_of_machines(&word.text);
    let signs = clause.original()[..hit.span.start].trim_end();
    beside.len() <= most && !beside.iter().any(told) && !signs.ends_with(['-', '<', '='])
}

/// Every list of actions of a flow.
fn action_lists(flow: &Flow) -> impl Iterator<Item = &[Action]> {
    let modes = flow
        .modes
        .iter()
        .flat_map(|mode| {
            mode.intents.values().chain(mode.after.values()).chain([&mode.enter, &mode.bridge])
        })
        .map(Vec::as_slice);
    let timers = flow.timers.iter().map(|timer| timer.actions.as_slice());
    let complete = flow.collect.iter().map(|collect| collect.complete.as_slice());
    let begin = std::iter::once(flow.begin.as_slice());
    let agreed = flow.summaries.iter().map(|summary| summary.then.as_slice());
    let intents = flow.intents.values().map(Vec::as_slice);
    intents.chain(modes).chain(timers).chain(complete).chain(begin).chain(agreed)
}

fn gather(actions: &[Action], texts: &mut Vec<String>, saves: &mut BTreeMap<String, String>) {
    for action in actions {
        texts.extend(action.when.iter().chain(action.with.values()).cloned());
        texts.extend(action.set.iter().flat_map(|set| set.values()).cloned());
        if let (Some(tool), Some(name)) = (&action.call, &action.save) {
            saves.insert(tool.clone(), name.clone());
        }
        gather(&action.otherwise, texts, saves);
    }
}

fn choices(flow: &Flow) -> Result<Rules, String> {
    let mut builder = RulesBuilder::new();
    for choice in &flow.choices {
        for option in &choice.options {
            let set = |kind: &str| format!("{kind}{}:{}", choice.name, option.value);
            builder = builder.keywords(&set(CHOICE_SET), option.words.iter().map(String::as_str));
            builder = builder.keywords(&set(ASKED_SET), option.asked.iter().map(String::as_str));
            for pattern in &option.patterns {
                let added = builder.pattern(&set(CHOICE_SET), pattern);
                builder = added.map_err(|error| error.to_string())?;
            }
        }
    }
    Ok(builder.build())
}

/// The pack's hold on each tool, its own HTTP tools among them.
fn tools(pack: &Pack) -> BTreeMap<String, ToolEntry> {
    let own = pack.tools.tools.iter().cloned();
    let http = pack.tools.http.iter().map(|tool| ToolEntry {
        name: tool.name.clone(),
        class: Some(tool.class),
        limit: tool.limit,
        bind: tool.bind.clone(),
        when: tool.when.clone(),
        needs_yes: tool.needs_yes,
    });
    own.chain(http).map(|tool| (tool.name.clone(), tool)).collect()
}

/// A flow that asks for nothing.
fn nothing_to_collect() -> Form {
    let none = String::new;
    Form {
        fields: Vec::new(),
        messages: Messages {
            welcome: none(),
            redirect: none(),
            invalid: none(),
            noted: none(),
            corrected: none(),
            which_field: none(),
            propose: none(),
            help: none(),
            offer_person: none(),
            complete: none(),
            already_complete: none(),
            escalate: none(),
            unreadable: none(),
            back: none(),
        },
        confirm: None,
        attempts: Attempts::default(),
        escalation: Default::default(),
        off_topic: OffTopic::default(),
        reminder: None,
    }
}
