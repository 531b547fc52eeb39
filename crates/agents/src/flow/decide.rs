//! `decide`: answers by the flow's rules: what the mode, or the flow, says for each intent.

use pack::files::Action;
use serde_json::Map;

use super::act::run;
use super::say::{say, say_message, send_words};
use super::shop;
use super::spec::{DATA, OTHER};
use super::state::FlowState;
use super::thread;

pub(super) async fn decide(state: &mut FlowState<'_>) {
    state.memory.clarified = 0;
    let spec = state.spec;
    if state.handoff.is_some() {
        form_reply(state);
        return;
    }
    if let Some(then) = agreed(state) {
        run(state, then).await;
        return;
    }
    let intents = thread::sorted(state, state.verdict.intents());
    thread::interrupt(state);
    let gives_data = state.collected.attempted;
    let mut answered = false;
    if gives_data {
        answered = data_given(state).await;
    }
    for intent in intents.iter().filter(|intent| !(gives_data && *intent == DATA)) {
        if state.handoff.is_some() || state.closes {
            return;
        }
        let actions = actions(state, intent);
        let reply = spec.intent(intent).and_then(|intent| intent.reply.clone());
        if let Some(actions) = actions {
            run(state, actions).await;
            answered = true;
        } else if let Some(template) = reply {
            say(state, &template).await;
            answered = true;
        }
    }
    if state.asked.idle && !state.said_something() && state.handoff.is_none() {
        shop::ask_what(state).await;
    }
    state.unresolved |= intents.iter().all(|intent| intent == OTHER);
    // A question in the middle of collecting is answered, and then the missing data is asked for.
    ask_on(state);
    if !answered && !state.said_something() && state.handoff.is_none() {
        state.unresolved = true;
        say_message(state, &spec.flow.messages.other, Map::new());
    }
}

/// The actions of a yes to the last summary, where the summary says them.
fn agreed<'a>(state: &FlowState<'a>) -> Option<&'a [Action]> {
    let proposal = state.session.proposal.as_ref()?;
    state.agreed_to()?;
    let summaries = state.spec.flow.summaries.iter();
    let mut then = summaries.filter(|summary| summary.proposes == proposal.tool);
    then.find(|summary| !summary.then.is_empty()).map(|summary| summary.then.as_slice())
}

/// What is done for an intent: by the mode, else by the flow.
pub(super) fn actions<'a>(state: &FlowState<'a>, intent: &str) -> Option<&'a [Action]> {
    let spec = state.spec;
    let own = spec.mode(&state.mode).intents.get(intent);
    own.or_else(|| spec.flow.intents.get(intent)).map(Vec::as_slice)
}

/// Says what the form has to say of the data, or does what completes it.
async fn data_given(state: &mut FlowState<'_>) -> bool {
    let spec = state.spec;
    let collecting = spec.mode(&state.mode).collects;
    let taken = !state.collected.taken.is_empty();
    let completes = state.collected.completes;
    // Where the mode has something of its own to do for data, that answers it.
    let own = spec.mode(&state.mode).intents.contains_key(DATA) && !collecting;
    let waits = collecting && !completes && !state.missing().is_empty();
    if waits || (state.collected.corrected && !own) {
        form_reply(state);
    }
    if completes && collecting {
        if let Some(collect) = &spec.flow.collect {
            run(state, &collect.complete).await;
        }
        return true;
    }
    match actions(state, DATA) {
        Some(actions) if taken && (!collecting || state.missing().is_empty()) => {
            run(state, actions).await;
            true
        }
        _ => state.said_something(),
    }
}

fn form_reply(state: &mut FlowState<'_>) {
    let said = std::mem::take(&mut state.collected.response).join(" ");
    let templates = std::mem::take(&mut state.collected.templates);
    if !said.is_empty() {
        state.session.templates_enviados.extend(templates.clone());
        state.notes.templates.extend(templates);
        send_words(state, said);
    }
}

/// Where the mode collects and something else was answered, the next question follows.
fn ask_on(state: &mut FlowState<'_>) {
    let collecting = state.spec.mode(&state.mode).collects;
    if !collecting || state.moved || state.handoff.is_some() || state.collected.attempted {
        return;
    }
    let quiet = state.spec.flow.collect.as_ref().map_or(&[][..], |collect| &collect.quiet);
    if state.verdict.intents().iter().any(|intent| quiet.contains(intent)) {
        return;
    }
    let Some(missing) = state.missing().first().copied() else { return };
    let fields = &state.spec.fields.fields;
    let ask = fields.iter().find(|field| field.name == missing).and_then(|field| field.ask.clone());
    if let Some(template) = ask.filter(|_| state.said_something()) {
        say_message(state, &template, Map::new());
    }
}
