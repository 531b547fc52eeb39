//! `understand`: what a message means by the pack's rules and examples, without a model.

use domain::{Confidence, Tier};
use nlu::Normalized;
use pack::files::Means;
use pack::program::IntentId;

use super::reading::{Chosen, IntentRanking, Reading};
use super::turn::Turn;
use crate::form::heard::Heard;

/// As many things as one message is answered for.
const SEVERAL: usize = 3;

/// Reads the message, and takes up what it says.
pub(super) fn understand(turn: &mut Turn<'_>) {
    let Some(heard) = turn.heard() else { return };
    let reading = read(turn, heard);
    // The question which of several things was meant waits for the next words alone.
    if !heard.is_code && agreed(turn).is_none() {
        turn.state.memory.clarifying.clear();
    }
    for Chosen { choice, option, .. } in &reading.chosen {
        turn.choose(choice, option);
    }
    if reading.declines {
        turn.summary_falls();
    }
    if reading.ranking.tier == Some(Tier::Rules) {
        for intent in &reading.ranking.by_rules {
            turn.notes.rules.push(format!("intent: {}", turn.intent_name(*intent)));
        }
    }
    turn.reading = reading;
}

/// The reading of a message by the pack's rules and examples. Whether the customer says yes or no is
/// never a model's word; while a summary waits, only a yes to it is one.
fn read(turn: &Turn<'_>, heard: &Heard<'_>) -> Reading {
    let signals = serde_json::to_value(heard.tone(0)).ok();
    if heard.is_code {
        return Reading { signals, ..Reading::default() };
    }
    if let Some(yes) = agreed(turn) {
        let ranking = IntentRanking::by_rule(vec![yes]);
        return Reading { signals, ranking, accepts: true, ..Reading::default() };
    }
    let chosen = chosen(turn, heard);
    let changes = |one: &Chosen| turn.choices().get(&one.choice) != Some(&one.option);
    let waits = turn.summed_up() && !chosen.iter().any(changes);
    let by_rules = by_rules(turn, heard, &chosen);
    let mut ranking = by_rules.unwrap_or_else(|| by_examples(turn, &heard.text));
    if waits {
        ranking = no_yes(turn, heard, ranking);
    }
    let accepts = !waits && heard.is_yes();
    let declines = !asks(heard) && (heard.is_no() || means_no(turn, &ranking));
    Reading { signals, ranking, chosen, accepts, declines, ..Reading::default() }
}

/// The intent of a yes, the mode's own first, if the message is a yes to what was shown.
fn agreed(turn: &Turn<'_>) -> Option<IntentId> {
    turn.agreed_to()?;
    turn.mode().yes.or_else(|| turn.spec.flow.intents.meaning(Means::Yes))
}

/// While a summary waits, what is no yes to it is answered as what else it says: «dale, cancelalo»
/// is a wish to cancel. A message that says nothing else is asked about again.
fn no_yes(turn: &Turn<'_>, heard: &Heard<'_>, ranking: IntentRanking) -> IntentRanking {
    let flow = &turn.spec.flow;
    let is_yes = |intent: IntentId| flow.intent(intent).means == Some(Means::Yes);
    if !is_yes(ranking.intent()) {
        return ranking;
    }
    let by_rules = ranking.by_rules.iter().copied();
    let others: Vec<IntentId> = by_rules.filter(|intent| !is_yes(*intent)).collect();
    if !others.is_empty() {
        return IntentRanking::by_rule(others);
    }
    if heard.hits.any("no")
        && let Some(no) = turn.mode().no
    {
        return IntentRanking::by_rule(vec![no]);
    }
    let mut otherwise = by_examples(turn, &heard.text);
    otherwise.ranked.retain(|(intent, _)| !is_yes(*intent));
    if otherwise.confidence() >= flow.bands.proceed { otherwise } else { ranking }
}

/// The choices that the customer makes, unless they are only asked about.
fn chosen(turn: &Turn<'_>, heard: &Heard<'_>) -> Vec<Chosen> {
    let spec = turn.spec;
    let mut chosen = Vec::new();
    if asks(heard) {
        return chosen;
    }
    for choice in &spec.flow.choices {
        let named = |text: &Normalized<'_>| spec.chosen(choice, text, turn.state.mode);
        let mut values = named(&heard.text);
        // Of messages that came together the last one counts.
        if values.len() > 1 {
            let lines = heard.text.original().lines().rev().map(Normalized::new);
            values =
                lines.map(|line| named(&line)).find(|named| !named.is_empty()).unwrap_or(values);
        }
        // Two at once are a question which to take, unless one is said as what is wanted.
        if let [option] = values.as_slice() {
            let (choice, intent) = (choice.name.clone(), choice.intent);
            chosen.push(Chosen { choice, option: option.clone(), intent });
        }
    }
    chosen
}

pub(super) fn asks(heard: &Heard<'_>) -> bool {
    heard.hits.any("question") || heard.text.original().contains('?')
}

fn by_rules(turn: &Turn<'_>, heard: &Heard<'_>, chosen: &[Chosen]) -> Option<IntentRanking> {
    if let Some(intent) = clarified(turn, heard) {
        return Some(IntentRanking::by_rule(vec![intent]));
    }
    let mut intents: Vec<IntentId> = chosen.iter().map(|one| one.intent).collect();
    for intent in named(turn, heard) {
        if !intents.contains(&intent) {
            intents.push(intent);
        }
    }
    if intents.is_empty() {
        intents.extend(plain_answer(turn, heard));
    }
    if intents.is_empty() {
        intents.extend(small_talk(turn, heard));
    }
    intents.truncate(SEVERAL);
    (!intents.is_empty()).then(|| IntentRanking::by_rule(intents))
}

/// The intents whose rules the message hits, in the order it does.
fn named(turn: &Turn<'_>, heard: &Heard<'_>) -> Vec<IntentId> {
    let sets = turn.spec.intent_sets.iter();
    let mut named: Vec<(usize, IntentId)> =
        sets.filter_map(|(id, set)| Some((heard.hits.first(set)?.span.start, *id))).collect();
    named.sort_by_key(|(at, _)| *at);
    named.into_iter().map(|(_, id)| id).collect()
}

/// A bare yes or no, where the mode has something to do for it.
fn plain_answer(turn: &Turn<'_>, heard: &Heard<'_>) -> Option<IntentId> {
    match (heard.is_yes(), heard.is_no()) {
        (true, false) => turn.mode().yes,
        (false, true) => turn.mode().no,
        _ => None,
    }
}

/// A message that is nothing but a greeting, thanks or a goodbye.
fn small_talk(turn: &Turn<'_>, heard: &Heard<'_>) -> Option<IntentId> {
    if !heard.is_only(&["greeting", "thanks", "farewell", "yes"]) {
        return None;
    }
    let mut talk = turn.spec.small_talk.iter();
    talk.find(|(set, _)| heard.hits.any(set)).and_then(|(_, intent)| *intent)
}

/// The customer answers which of several things was meant: by number or by its name.
fn clarified(turn: &Turn<'_>, heard: &Heard<'_>) -> Option<IntentId> {
    let intents = &turn.spec.flow.intents;
    let offered = turn.state.memory.clarifying.iter();
    let offered: Vec<IntentId> = offered.filter_map(|name| intents.named(name)).collect();
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
            .map(|(intent, _)| *intent);
        if let [one] = by_number.collect::<Vec<_>>().as_slice() {
            return Some(*one);
        }
    }
    let padded = format!(" {plain} ");
    let by_label = offered.iter().filter(|intent| {
        let label = intents.get(**intent).label.as_deref();
        label.is_some_and(|label| {
            let label = Normalized::new(label);
            let telling = label.words().iter().filter(|word| word.text.chars().count() > 3);
            let mut telling = telling.peekable();
            telling.peek().is_some()
                && telling.all(|word| padded.contains(&format!(" {} ", word.text)))
        })
    });
    match by_label.collect::<Vec<_>>().as_slice() {
        [one] => Some(**one),
        _ => None,
    }
}

/// The ranking of the pack's examples.
pub(super) fn by_examples(turn: &Turn<'_>, text: &Normalized<'_>) -> IntentRanking {
    let Some(classifier) = &turn.spec.fields.classifier else { return IntentRanking::default() };
    if text.words().is_empty() {
        return IntentRanking::default();
    }
    let found = classifier.classify(text);
    let scope = if found.out_of_scope { f64::from(found.in_scope) } else { 1.0 };
    let intents = &turn.spec.flow.intents;
    let mut ranked: Vec<(IntentId, Confidence)> = found
        .ranked
        .iter()
        .filter_map(|one| {
            let sure = confidence(f64::from(one.confidence) * scope);
            Some((intents.named(&one.intent)?, sure))
        })
        .collect();
    if found.out_of_scope {
        ranked.retain(|(intent, _)| *intent != IntentId::OTHER);
        ranked.push((IntentId::OTHER, confidence(1.0 - f64::from(found.in_scope))));
    }
    sort(&mut ranked);
    IntentRanking {
        ranked,
        by_rules: Vec::new(),
        tier: Some(Tier::Local),
        reasoning: String::new(),
    }
}

pub(super) fn sort(ranked: &mut [(IntentId, Confidence)]) {
    ranked.sort_by(|(_, one), (_, other)| other.get().total_cmp(&one.get()));
}

pub(super) fn confidence(value: f64) -> Confidence {
    Confidence::try_from(value.clamp(0.0, 1.0)).unwrap_or(Confidence::NONE)
}

/// Whether a ranking that is sure is a no.
fn means_no(turn: &Turn<'_>, ranking: &IntentRanking) -> bool {
    let intent = ranking.intent();
    ranking.confidence() >= turn.spec.flow.bands.proceed
        && intent != IntentId::DATA
        && turn.spec.flow.intent(intent).means == Some(Means::No)
}
