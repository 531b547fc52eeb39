//! The four routers, as a table of what the state says and where it leads.

use super::kit::{Alone, conversation, spec_with, with_state};
use crate::form::memory::{Conversation, Correcting};
use crate::form::routers::{
    route_after_correction_check, route_after_escalation_check, route_after_off_topic_check,
    route_after_validate,
};
use crate::form::state::GraphState;

type Router = fn(&GraphState<'_>) -> &'static str;

fn check(router: Router, conversation: Conversation, set: impl Fn(&mut GraphState<'_>), to: &str) {
    check_with(false, router, conversation, set, to);
}

fn check_with(
    confirms: bool,
    router: Router,
    conversation: Conversation,
    set: impl Fn(&mut GraphState<'_>),
    to: &str,
) {
    let spec = spec_with(|form| {
        form.confirm = confirms.then(|| pack::files::Confirm {
            ask: "gracias".to_owned(),
            unclear: "gracias".to_owned(),
            change: "gracias".to_owned(),
        });
    });
    let chosen =
        with_state(&spec, conversation, "hola", &mut Alone::default(), async |state, _| {
            set(state);
            router(state)
        });
    assert_eq!(chosen, to);
}

#[test]
fn after_the_escalation_check_a_person_or_the_next_check() {
    check(route_after_escalation_check, conversation(0), |s| s.should_escalate = true, "escalate");
    check(route_after_escalation_check, conversation(0), |_| {}, "check_correction");
    // A complete form escalates too.
    check(route_after_escalation_check, conversation(6), |s| s.should_escalate = true, "escalate");
}

#[test]
fn after_the_correction_check_the_value_or_the_next_check() {
    check(
        route_after_correction_check,
        conversation(2),
        |s| s.is_correction = true,
        "extract_field",
    );
    check(route_after_correction_check, conversation(2), |_| {}, "check_off_topic");
    check(
        route_after_correction_check,
        conversation(6),
        |s| s.is_correction = true,
        "extract_field",
    );
}

#[test]
fn after_the_off_topic_check_completion_comes_first() {
    let off_topic = |state: &mut GraphState<'_>| state.is_off_topic = true;
    check(route_after_off_topic_check, conversation(6), |_| {}, "complete");
    check(route_after_off_topic_check, conversation(6), off_topic, "complete");
    check(route_after_off_topic_check, conversation(3), off_topic, "prompt_next");
    check(route_after_off_topic_check, conversation(3), |_| {}, "extract_field");
    check(route_after_off_topic_check, conversation(0), off_topic, "prompt_next");
}

#[test]
fn after_validation_a_form_completes_only_when_nothing_is_open() {
    check(route_after_validate, conversation(6), |_| {}, "complete");
    check(route_after_validate, conversation(5), |_| {}, "prompt_next");
    check(route_after_validate, conversation(0), |_| {}, "prompt_next");
    let mut correcting = conversation(6);
    correcting.talk.correcting = Some(Correcting::Field("email".to_owned()));
    check(route_after_validate, correcting, |_| {}, "prompt_next");
    let mut confirmed = conversation(6);
    check_with(true, route_after_validate, confirmed.clone(), |_| {}, "prompt_next");
    confirmed.talk.confirmed = true;
    check_with(true, route_after_validate, confirmed, |_| {}, "complete");
}
