//! A flow made ready to run: its program, the rules of its choices, what it collects with.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

use domain::Prompt;
use jiff::tz::TimeZone;
use nlu::{Hits, Normalized, Rules, RulesBuilder};
use pack::files::{Attempts, ChoiceOption, Flow, Form, Messages, OffTopic};
use pack::program::{Choice, IntentId, Intents, ModeId, Program, Summary};
use pack::{FlowSpec, Pack};

use super::commerce::Business;
use crate::form::prose::is_of_machines;
use crate::form::spec::{INTENT_SET, Spec as Fields};
use crate::model::Vocabulary;

const CHOICE_SET: &str = "choice:";
const ASKED_SET: &str = "asked:";

pub(super) struct Spec {
    /// The form's machinery: fields, rules, classifier, extractor.
    pub(super) fields: Fields,
    pub(super) flow: Program,
    pub(super) business: Option<Business>,
    pub(super) time_zone: TimeZone,
    /// The words that the pack adds to those that a model may use.
    pub(super) vocabulary: Vocabulary,
    choices: Rules,
    /// The sets of rules that decide the pack's intents, in its order.
    pub(super) intent_sets: Vec<(IntentId, String)>,
    /// The intents that small talk is taken for, by the sets of its rules.
    pub(super) small_talk: Vec<(&'static str, Option<IntentId>)>,
    /// Prompts by their names and the mode; none where something of the session stands in them.
    pub(super) prompts: RwLock<HashMap<(String, String), Option<Prompt>>>,
}

impl Spec {
    /// A loaded pack has been checked, so that nothing can fail here; should it, the reason is
    /// the pack's.
    pub(super) fn new(pack: Arc<Pack>, spec: &FlowSpec) -> Result<Self, String> {
        let FlowSpec { flow, form, commerce } = spec.clone();
        let mut form = form.unwrap_or_else(nothing_to_collect);
        form.escalation = flow.escalation.of_forms();
        let time_zone =
            TimeZone::get(&pack.manifest.time_zone).map_err(|error| error.to_string())?;
        let choices = choices(&flow)?;
        let flow = Program::compile(&flow, &pack.tools, &pack.intents)?;
        let hours = Arc::clone(&pack.hours);
        let fields = Fields::new(pack, form)?;
        let business = commerce.map(|profile| Business::new(profile, hours, fields.and.clone()));
        Ok(Self {
            vocabulary: Vocabulary::default(),
            choices,
            prompts: RwLock::default(),
            intent_sets: intent_sets(&flow.intents),
            small_talk: small_talk(&flow.intents),
            flow,
            fields,
            business,
            time_zone,
        })
    }

    pub(super) fn pack(&self) -> &Pack {
        &self.fields.pack
    }

    /// Where a session stands. A session of another version may stand in a mode that is gone, and begins anew.
    pub(super) fn mode_of_session(&self, name: &str) -> ModeId {
        self.flow.mode_named(name).unwrap_or(self.flow.initial)
    }

    /// The options of a choice that a text names: in any mode, or where it was asked for.
    pub(super) fn chosen(
        &self,
        choice: &Choice,
        text: &Normalized<'_>,
        mode: ModeId,
    ) -> Vec<String> {
        let hits: Hits<'_> = self.choices.find(text);
        let set = |option: &ChoiceOption| format!("{CHOICE_SET}{}:{}", choice.name, option.value);
        // «quiero dos, uno para mí y otro para mi mamá»: what is plainly wanted goes first.
        let wanted = choice.options.iter().filter(|option| hits.any(&set(option)));
        let wanted: Vec<String> = wanted.map(|option| option.value.clone()).collect();
        let asked = choice.asked_in.contains(&mode);
        if wanted.is_empty() && asked { self.answered(choice, text) } else { wanted }
    }

    /// The options of a choice named by clauses that answer which: «la 2, por favor» does, and a
    /// number within something else does not.
    fn answered(&self, choice: &Choice, text: &Normalized<'_>) -> Vec<String> {
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

/// Small talk by its rules, as packs may call it.
const SMALL_TALK: [(&str, &[&str]); 3] = [
    ("greeting", &["saludo"]),
    ("thanks", &["gracias", "despedida"]),
    ("farewell", &["despedida", "gracias"]),
];

fn small_talk(intents: &Intents) -> Vec<(&'static str, Option<IntentId>)> {
    let declared = |name: &&str| intents.named(name).filter(|id| intents.get(*id).declared);
    let intent = |names: &[&str]| names.iter().find_map(declared);
    SMALL_TALK.into_iter().map(|(set, names)| (set, intent(names))).collect()
}

fn intent_sets(intents: &Intents) -> Vec<(IntentId, String)> {
    let set = |id: &IntentId| (*id, format!("{INTENT_SET}{}", intents.get(*id).name));
    intents.declared().iter().map(set).collect()
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
