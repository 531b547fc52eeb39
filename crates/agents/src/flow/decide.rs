//! `decide`: answers by the flow's rules: what the mode, or the flow, says for each intent.

use pack::program::{IntentId, Step};
use serde_json::Map;

use super::act::run;
use super::plan::Decided;
use super::say::{say, say_made_of, say_message};
use super::shop;
use super::thread;
use super::turn::Turn;

pub(super) fn decide(turn: &mut Turn<'_>) -> Decided<()> {
    turn.state.memory.clarified = 0;
    let spec = turn.spec;
    if turn.plan.hands_off() {
        form_reply(turn);
        return Ok(());
    }
    if let Some(then) = agreed(turn) {
        return run(turn, then);
    }
    let intents = thread::sorted(turn, turn.reading.ranking.intents());
    thread::interrupt(turn);
    let gives_data = turn.reading.collected.attempted;
    let mut answered = false;
    if gives_data {
        answered = data_given(turn)?;
    }
    let to_answer = |intent: &IntentId| !(gives_data && *intent == IntentId::DATA);
    for intent in intents.iter().copied().filter(to_answer) {
        if turn.plan.is_over() {
            return Ok(());
        }
        let actions = spec.flow.answer(turn.state.mode, intent);
        let reply = &spec.flow.intent(intent).reply;
        if let Some(actions) = actions {
            run(turn, actions)?;
            answered = true;
        } else if let Some(template) = reply {
            say(turn, template)?;
            answered = true;
        }
    }
    if turn.reading.asked.idle && !turn.plan.says_something() && !turn.plan.hands_off() {
        shop::ask_what(turn)?;
    }
    turn.progress.unresolved |= intents.iter().all(|intent| *intent == IntentId::OTHER);
    // A question in the middle of collecting is answered, and then the missing data is asked for.
    ask_on(turn);
    if !answered && !turn.plan.says_something() && !turn.plan.hands_off() {
        turn.progress.unresolved = true;
        say_message(turn, &spec.flow.messages.other, Map::new());
    }
    Ok(())
}

/// The actions of a yes to the last summary, where the summary says them.
fn agreed<'a>(turn: &Turn<'a>) -> Option<&'a [Step]> {
    let proposal = turn.state.session.proposal.as_ref()?;
    turn.agreed_to()?;
    let summaries = turn.spec.flow.summaries.iter();
    let mut then = summaries.filter(|summary| summary.proposes == proposal.tool);
    then.find(|summary| !summary.then.is_empty()).map(|summary| summary.then.as_slice())
}

/// Says what the form has to say of the data, or does what completes it.
fn data_given(turn: &mut Turn<'_>) -> Decided<bool> {
    let spec = turn.spec;
    let collecting = turn.mode().collects;
    let taken = !turn.reading.collected.taken.is_empty();
    let completes = turn.reading.completes;
    // Where the mode has something of its own to do for data, that answers it.
    let own = turn.mode().intents.contains_key(&IntentId::DATA) && !collecting;
    let waits = collecting && !completes && !turn.missing().is_empty();
    if waits || (turn.reading.collected.corrected && !own) {
        form_reply(turn);
    }
    if completes && collecting {
        if let Some(collect) = &spec.flow.collect {
            run(turn, &collect.complete)?;
        }
        return Ok(true);
    }
    match spec.flow.answer(turn.state.mode, IntentId::DATA) {
        Some(actions) if taken && (!collecting || turn.missing().is_empty()) => {
            run(turn, actions)?;
            Ok(true)
        }
        _ => Ok(turn.plan.says_something()),
    }
}

fn form_reply(turn: &mut Turn<'_>) {
    let said = std::mem::take(&mut turn.reading.collected.response).join(" ");
    let templates = std::mem::take(&mut turn.reading.collected.templates);
    if !said.is_empty() {
        say_made_of(turn, said, templates);
    }
}

/// Where the mode collects and something else was answered, the next question follows.
fn ask_on(turn: &mut Turn<'_>) {
    let collecting = turn.mode().collects;
    if !collecting
        || turn.plan.moves() > 0
        || turn.plan.hands_off()
        || turn.reading.collected.attempted
    {
        return;
    }
    let quiet = turn.spec.flow.collect.as_ref().map_or(&[][..], |collect| &collect.quiet);
    if turn.reading.ranking.intents().iter().any(|intent| quiet.contains(intent)) {
        return;
    }
    let Some(missing) = turn.missing().first().copied() else { return };
    let fields = &turn.spec.fields.fields;
    let ask = fields.iter().find(|field| field.name == missing).and_then(|field| field.ask.clone());
    if let Some(template) = ask.filter(|_| turn.plan.says_something()) {
        say_message(turn, &template, Map::new());
    }
}
