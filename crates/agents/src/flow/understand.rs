//! `understand`: what a message means by the pack's rules and examples, without a model.

use domain::{Confidence, Tier};
use nlu::Normalized;
use pack::files::Means;

use super::spec::{DATA, OTHER};
use super::state::{FlowState, Verdict};
use crate::form::heard::Heard;
use crate::form::spec::INTENT_SET;

/// As many things as one message is answered for.
const SEVERAL: usize = 3;

/// Small talk by its rules, as packs may call it.
const SMALL_TALK: [(&str, &[&str]); 3] = [
    ("greeting", &["saludo"]),
    ("thanks", &["gracias", "despedida"]),
    ("farewell", &["despedida", "gracias"]),
];

pub(super) fn understand(state: &mut FlowState<'_>) {
    let Some(heard) = state.heard() else { return };
    state.notes.signals = serde_json::to_value(heard.manner(0)).ok();
    if heard.is_code {
        return;
    }
    if let Some(yes) = agreed(state) {
        state.accepts = true;
        state.verdict = Verdict::by_rule(vec![yes]);
    } else {
        choose(state, heard);
        state.verdict = by_rules(state, heard).unwrap_or_else(|| by_examples(state, &heard.text));
        no_yes(state, heard);
        yes_or_no(state, heard);
    }
    if state.verdict.tier == Some(Tier::Rules) {
        for intent in &state.verdict.settled {
            state.notes.rules.push(format!("intent: {intent}"));
        }
    }
}

/// The intent of a yes, the mode's own first, if the message is a yes to what was shown.
fn agreed(state: &FlowState<'_>) -> Option<String> {
    state.agreed_to()?;
    let intents = &state.spec.pack().intents.intents;
    let any = || intents.iter().find(|intent| intent.means == Some(Means::Yes));
    meant(state, Means::Yes).or_else(|| any().map(|intent| intent.name.clone()))
}

/// The mode's intent for a yes, or for a no.
fn meant(state: &FlowState<'_>, means: Means) -> Option<String> {
    let intents = &state.spec.pack().intents.intents;
    let meant = |name: &str| intents.iter().any(|one| one.name == name && one.means == Some(means));
    state.spec.mode(&state.mode).intents.keys().find(|name| meant(name)).cloned()
}

/// While a summary waits, what is no yes to it is answered as what else it says: «dale, cancelalo»
/// is a wish to cancel. What says nothing else is asked about again.
fn no_yes(state: &mut FlowState<'_>, heard: &Heard<'_>) {
    let spec = state.spec;
    let is_yes =
        |intent: &str| spec.intent(intent).is_some_and(|intent| intent.means == Some(Means::Yes));
    if !state.summed_up() || !is_yes(state.verdict.intent()) {
        return;
    }
    let others: Vec<String> =
        state.verdict.settled.iter().filter(|intent| !is_yes(intent)).cloned().collect();
    if !others.is_empty() {
        state.verdict = Verdict::by_rule(others);
        return;
    }
    if heard.hits.any("no")
        && let Some(no) = meant(state, Means::No)
    {
        state.verdict = Verdict::by_rule(vec![no]);
        return;
    }
    let mut verdict = by_examples(state, &heard.text);
    verdict.ranked.retain(|(intent, _)| !is_yes(intent));
    if verdict.confidence() >= spec.flow.bands.proceed {
        state.verdict = verdict;
    }
}

/// Notes what the customer chooses, unless it is only asked about.
fn choose(state: &mut FlowState<'_>, heard: &Heard<'_>) {
    let spec = state.spec;
    if asks(heard) {
        return;
    }
    for choice in &spec.flow.choices {
        let named = |text: &Normalized<'_>| spec.chosen(choice, text, &state.mode);
        let mut values = named(&heard.text);
        // Of messages that came together the last one counts.
        if values.len() > 1 {
            let lines = heard.text.original().lines().rev().map(Normalized::new);
            values =
                lines.map(|line| named(&line)).find(|named| !named.is_empty()).unwrap_or(values);
        }
        // Two at once are a question which to take, unless one is said as what is wanted.
        if let [value] = values.as_slice() {
            let value = value.clone();
            state.choose(&choice.name, &value);
            state.chosen.push(choice.intent.clone());
        }
    }
}

pub(super) fn asks(heard: &Heard<'_>) -> bool {
    heard.hits.any("question") || heard.text.original().contains('?')
}

fn by_rules(state: &mut FlowState<'_>, heard: &Heard<'_>) -> Option<Verdict> {
    if let Some(intent) = clarified(state, heard) {
        return Some(Verdict::by_rule(vec![intent]));
    }
    let mut intents = state.chosen.clone();
    for intent in named(state, heard) {
        if !intents.contains(&intent) {
            intents.push(intent);
        }
    }
    if intents.is_empty() {
        intents.extend(plain_answer(state, heard));
    }
    if intents.is_empty() {
        intents.extend(small_talk(state, heard));
    }
    intents.truncate(SEVERAL);
    (!intents.is_empty()).then(|| Verdict::by_rule(intents))
}

/// The intents whose rules the message hits, in the order it does.
fn named(state: &FlowState<'_>, heard: &Heard<'_>) -> Vec<String> {
    let intents = &state.spec.pack().intents.intents;
    let first = |name: &str| heard.hits.first(&format!("{INTENT_SET}{name}"));
    let mut named: Vec<(usize, &str)> = intents
        .iter()
        .filter_map(|intent| Some((first(&intent.name)?.span.start, intent.name.as_str())))
        .collect();
    named.sort_by_key(|(at, _)| *at);
    named.into_iter().map(|(_, name)| name.to_owned()).collect()
}

/// A bare yes or no, where the mode has something to do for it.
fn plain_answer(state: &FlowState<'_>, heard: &Heard<'_>) -> Option<String> {
    let means = match (heard.is_yes(), heard.is_no()) {
        (true, false) => Means::Yes,
        (false, true) => Means::No,
        _ => return None,
    };
    meant(state, means)
}

/// A message that is nothing but a greeting, thanks or a goodbye.
fn small_talk(state: &FlowState<'_>, heard: &Heard<'_>) -> Option<String> {
    if !heard.is_only(&["greeting", "thanks", "farewell", "yes"]) {
        return None;
    }
    let (_, names) = SMALL_TALK.into_iter().find(|(set, _)| heard.hits.any(set))?;
    names.iter().find(|name| state.spec.intent(name).is_some()).map(|name| (*name).to_owned())
}

/// The customer answers which of several things was meant: by number or by its name.
fn clarified(state: &mut FlowState<'_>, heard: &Heard<'_>) -> Option<String> {
    let offered = std::mem::take(&mut state.memory.clarifying);
    let plain = heard.text.plain();
    let words: Vec<&str> = plain.split(' ').filter(|word| !word.is_empty()).collect();
    const ORDINALS: [&[&str]; 3] = [
        &["1", "uno", "una", "primero", "primera", "primer"],
        &["2", "dos", "segundo", "segunda"],
        &["3", "tres", "tercero", "tercera", "ultimo", "ultima"],
    ];
    if words.len() <= 4 {
        let by_number = offered
            .iter()
            .zip(ORDINALS)
            .filter(|(_, names)| words.iter().any(|word| names.contains(word)))
            .map(|(intent, _)| intent.clone());
        if let [one] = by_number.collect::<Vec<_>>().as_slice() {
            return Some(one.clone());
        }
    }
    let padded = format!(" {plain} ");
    let by_label = offered.iter().filter(|intent| {
        let label = state.spec.intent(intent).and_then(|intent| intent.label.as_deref());
        label.is_some_and(|label| {
            let label = Normalized::new(label);
            let telling = label.words().iter().filter(|word| word.text.chars().count() > 3);
            let mut telling = telling.peekable();
            telling.peek().is_some()
                && telling.all(|word| padded.contains(&format!(" {} ", word.text)))
        })
    });
    match by_label.collect::<Vec<_>>().as_slice() {
        [one] => Some((*one).clone()),
        _ => None,
    }
}

/// What the pack's examples make of it.
pub(super) fn by_examples(state: &FlowState<'_>, text: &Normalized<'_>) -> Verdict {
    let Some(classifier) = &state.spec.fields.classifier else { return Verdict::default() };
    if text.words().is_empty() {
        return Verdict::default();
    }
    let found = classifier.classify(text);
    let scope = if found.out_of_scope { f64::from(found.in_scope) } else { 1.0 };
    let mut ranked: Vec<(String, Confidence)> = found
        .ranked
        .iter()
        .map(|one| (one.intent.to_string(), confidence(f64::from(one.confidence) * scope)))
        .collect();
    if found.out_of_scope {
        ranked.retain(|(intent, _)| intent != OTHER);
        ranked.push((OTHER.to_owned(), confidence(1.0 - f64::from(found.in_scope))));
    }
    sort(&mut ranked);
    Verdict { ranked, settled: Vec::new(), tier: Some(Tier::Local), reasoning: String::new() }
}

pub(super) fn sort(ranked: &mut [(String, Confidence)]) {
    ranked.sort_by(|(_, one), (_, other)| other.get().total_cmp(&one.get()));
}

pub(super) fn confidence(value: f64) -> Confidence {
    Confidence::try_from(value.clamp(0.0, 1.0)).unwrap_or(Confidence::NONE)
}

/// Whether the customer says yes or no, never by a model's word. While a summary waits, only a yes to
/// it is one.
fn yes_or_no(state: &mut FlowState<'_>, heard: &Heard<'_>) {
    let verdict = &state.verdict;
    let sure = verdict.confidence() >= state.spec.flow.bands.proceed;
    let intent = state.spec.intent(verdict.intent());
    let says_no = sure
        && verdict.intent() != DATA
        && intent.is_some_and(|intent| intent.means == Some(Means::No));
    state.accepts = !state.summed_up() && heard.is_yes();
    state.declines = !asks(heard) && (heard.is_no() || says_no);
    if state.declines {
        state.summary_falls();
    }
}
