//! Where a model may be asked, and that only the ambiguous cases ask it.

use std::collections::VecDeque;

use domain::{SessionState, Tier};

use super::kit::{Alone, agent, agent_with, collected, message, path, said, turn};
use crate::ModelAsk;

fn prompt(ask: &ModelAsk) -> String {
    ask.request.output.as_ref().map(|output| output.name.clone()).unwrap_or_default()
}

fn asked(text: &str, fields: usize, answers: &[&str]) -> (Vec<String>, Vec<String>, Option<Tier>) {
    let mut context = Alone {
        answers: answers.iter().map(|answer| (*answer).to_owned()).collect::<VecDeque<_>>(),
        ..Alone::default()
    };
    let state = SessionState { data: collected(fields), ..SessionState::default() };
    let outcome = turn(&agent(), &state, message(text), &mut context);
    let prompts = context.asked.iter().map(prompt).collect();
    let path = path(&outcome).into_iter().map(str::to_owned).collect();
    (prompts, path, outcome.trace.unwrap().tier)
}

#[test]
fn a_model_that_reads_a_wish_for_a_person_escalates() {
    let (prompts, path, tier) = asked("uy no, esto no es lo mío", 1, &["persona"]);
    assert_eq!(prompts, ["llm_intent"]);
    assert_eq!(path, ["check_escalation", "escalate"]);
    assert_eq!(tier, Some(Tier::Model));
}

#[test]
fn a_model_names_the_field_of_a_correction_that_names_none() {
    let (prompts, path, _) = asked("eso está mal", 3, &["seguir", "email"]);
    assert_eq!(prompts, ["llm_intent", "correccion"]);
    assert_eq!(
        path,
        ["check_escalation", "check_correction", "extract_field", "validate", "prompt_next"]
    );
}

#[test]
fn a_model_that_sees_no_correction_lets_the_form_go_on() {
    let (prompts, path, _) = asked("eso está mal", 3, &["seguir", "ninguno", "respuesta"]);
    assert_eq!(prompts[..2], ["llm_intent", "correccion"]);
    assert_eq!(path[..3], ["check_escalation", "check_correction", "check_off_topic"]);
}

#[test]
fn what_a_rule_decides_asks_no_model_about_it() {
    let (prompts, ..) = asked("quiero hablar con un humano", 1, &[]);
    assert!(prompts.is_empty(), "{prompts:?}");
    let (prompts, ..) = asked("ana@sol.co", 1, &[]);
    assert!(prompts.is_empty(), "{prompts:?}");
}

#[test]
fn a_policy_that_is_off_asks_nothing() {
    let mut context = Alone::default();
    let silent = agent_with(|form| form.escalation.llm_intent.enabled = false);
    turn(&silent, &SessionState::default(), message("Ana Gómez"), &mut context);
    assert!(context.asked.is_empty());
}

#[test]
fn a_model_chooses_only_among_what_was_given() {
    let mut context =
        Alone { answers: ["seguir".to_owned(), "ninguno".to_owned()].into(), ..Alone::default() };
    let state = SessionState { data: collected(3), ..SessionState::default() };
    turn(&agent(), &state, message("eso está mal"), &mut context);
    let choices = &context.asked[1].request.output.as_ref().unwrap().schema;
    let choices = &choices["properties"]["answer"]["enum"];
    assert_eq!(*choices, serde_json::json!(["nombre", "email", "telefono", "ninguno"]));
}

#[test]
fn thanks_are_said_in_a_models_words_where_there_is_one() {
    let rows = [("¡Muchas gracias, Ana!", true), ("¡Hecho, Ana! Pagas en sol.co", false)];
    for (text, fine) in rows {
        let mut context = Alone { answers: [text.to_owned()].into(), ..Alone::default() };
        let state = SessionState { data: collected(5), ..SessionState::default() };
        let outcome = turn(&agent(), &state, message("5 millones"), &mut context);
        assert_eq!(said(&outcome) == text, fine, "{}", said(&outcome));
        assert_eq!(outcome.mode, "completo");
    }
}
