//! `prompt_next`: what the reply says first, and then the question that comes next.

use pack::files::Then;
use serde_json::{Map, Value};

use crate::form::memory::{Correcting, Escalated};
use crate::form::say::Say;
use crate::form::state::{Cause, GraphState, Opening};

pub(crate) fn prompt_next(state: &mut GraphState<'_>) {
    if given_up(state) {
        return;
    }
    open(state);
    ask(state);
}

/// Says what comes before the question.
fn open(state: &mut GraphState<'_>) {
    let spec = state.spec;
    let messages = &spec.form.messages;
    match state.cause {
        Cause::Silence => {
            if let Some(reminder) = &spec.form.reminder {
                state.say(&reminder.template);
            }
        }
        Cause::Returned => state.say(&messages.back),
        Cause::Unreadable => state.say(&messages.unreadable),
        Cause::Message(_) | Cause::Deadline => {}
    }
    let greets = !std::mem::replace(&mut state.conversation.talk.greeted, true);
    if greets && !matches!(state.opening, Opening::Invalid(_)) {
        state.say(&messages.welcome);
    }
    taken(state);
    if let Some(reply) = state.aside.take() {
        state.say(&reply);
    }
    match std::mem::take(&mut state.opening) {
        Opening::Redirect(Some(reply)) => state.say(&reply),
        Opening::Redirect(None) if !greets => state.say(&messages.redirect),
        Opening::Explain => explain_again(state),
        Opening::Invalid(explanation) => {
            state.say_with(&messages.invalid, one("explicacion", explanation));
        }
        Opening::Propose(explanation) => {
            state.say_with(&messages.invalid, one("explicacion", explanation));
            let proposed = state.conversation.talk.proposed.as_ref();
            let value = proposed.map(|proposed| proposed.value.clone()).unwrap_or_default();
            state.say_with(&messages.propose, one("valor", value));
        }
        Opening::WhichField => state.say(&messages.which_field),
        Opening::Declined => {
            if let Some(confirm) = &spec.form.confirm {
                state.say(&confirm.change);
            }
        }
        Opening::Unclear => {
            if let Some(confirm) = &spec.form.confirm {
                state.say(&confirm.unclear);
            }
        }
        Opening::Nothing | Opening::Redirect(None) => {}
    }
}

fn one(key: &str, value: String) -> Map<String, Value> {
    Map::from_iter([(key.to_owned(), Value::String(value))])
}

/// A changed value is repeated, and so are several that came at once.
fn taken(state: &mut GraphState<'_>) {
    let messages = &state.spec.form.messages;
    let taken = state.taken.clone();
    let (changed, new): (Vec<usize>, Vec<usize>) =
        taken.into_iter().partition(|field| state.correction_fields.contains(field));
    for field in changed {
        state.say_of(&messages.corrected, field);
    }
    if let ([field], false) = (new.as_slice(), state.is_correction) {
        if let Some(template) = &state.spec.fields[*field].taken {
            state.say_of(template, *field);
        }
        return;
    }
    if !new.is_empty() {
        let list = state.listed(&new);
        if !list.is_empty() {
            state.say_with(&messages.noted, one("anotado", list));
        }
    }
}

/// The customer asked for help: what the field wants, in other words.
fn explain_again(state: &mut GraphState<'_>) {
    let Some(field) = state.asked_for() else { return };
    let values = state.about(field);
    state.say_with(&state.spec.form.messages.help, values);
}

/// The question, unless what was said is one already.
fn ask(state: &mut GraphState<'_>) {
    let spec = state.spec;
    let talk = &mut state.conversation.talk;
    if talk.proposed.is_some() || talk.correcting == Some(Correcting::Unknown) {
        return;
    }
    if let Some(field) = state.asked_for() {
        question(state, field);
        return;
    }
    if let Some(confirm) = &spec.form.confirm {
        let declined = state.metadata.templates.contains(&confirm.change);
        if declined {
            state.conversation.talk.correcting = Some(Correcting::Unknown);
            return;
        }
        state.conversation.talk.confirming = true;
        if !state.metadata.templates.contains(&confirm.unclear) {
            state.say(&confirm.ask);
        }
    }
}

/// A field that nothing asks for may still be corrected; then what it wants is explained.
fn question(state: &mut GraphState<'_>, field: usize) {
    match &state.spec.fields[field].ask {
        Some(ask) => state.say(ask),
        None => {
            let values = state.about(field);
            state.say_with(&state.spec.form.messages.help, values);
        }
    }
}

/// After too many attempts at one field the pack's way out is taken, once for each time.
fn given_up(state: &mut GraphState<'_>) -> bool {
    if !matches!(state.opening, Opening::Invalid(_) | Opening::Propose(_)) {
        return false;
    }
    let attempts = state.spec.form.attempts;
    let Some(field) = state.asked_for() else { return false };
    let name = state.spec.fields[field].name.clone();
    let failed = state.conversation.talk.failed.get(&name).copied().unwrap_or_default();
    if failed < attempts.limit {
        return false;
    }
    let messages = &state.spec.form.messages;
    match attempts.then {
        Then::Help => {
            let values = state.about(field);
            state.say_with(&messages.help, values);
            if let Some(ask) = &state.spec.fields[field].ask {
                state.say(ask);
            }
        }
        Then::OfferPerson => {
            let values = state.about(field);
            state.say_with(&messages.offer_person, values);
            state.conversation.talk.offered_person = Some(name);
        }
        Then::HandOff => {
            let reason = format!("gave up on `{name}` after {failed} attempts");
            state.conversation.talk.escalated =
                Some(Escalated { policy: "attempts".to_owned(), reason });
            state.say(&messages.escalate);
        }
    }
    true
}
