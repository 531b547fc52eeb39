//! No message is met with silence, whatever a pack leaves unsaid.

use domain::{Content, EventKind, Trigger};

use super::kit::{Answer, MODELS, Stage, Talk, agent, said};
use crate::{Outcome, UNANSWERED};

/// An answer that is never given.
const NEVER: (&str, &str, &str) = (
    "flow.yaml",
    "precio: [{ say: precio }]",
    "precio: [{ when: 'size(datos) > 9', say: precio }]",
);

/// A template that renders to nothing.
const EMPTY: (&str, &str, &str) = (
    "templates.yaml",
    "El almuerzo vale ${{ precio }}, con domicilio incluido.",
    "\"{% if precio == 1 %}El almuerzo vale uno.{% endif %}\"",
);

fn is_noted(outcome: &Outcome) -> bool {
    outcome.trace.as_ref().is_some_and(|trace| trace.notes.iter().any(|note| note == UNANSWERED))
}

#[test]
fn a_turn_that_says_nothing_says_that_it_did_not_understand_and_the_third_gives_it_to_a_person() {
    for change in [NEVER, EMPTY] {
        let agent = agent("", &[change]);
        let mut talk = Talk::begun(&agent);
        let mut stage = Stage::default();
        let first = talk.say(&agent, "cuánto vale", &mut stage);
        assert_eq!(said(&first), "No te entendí. ¿Me lo dices de otra forma?");
        assert!(is_noted(&first) && first.handoff.is_none());
        let second = talk.say(&agent, "cuánto vale", &mut stage);
        assert!(is_noted(&second) && !second.replies.is_empty() && second.handoff.is_none());
        let third = talk.say(&agent, "cuánto vale", &mut stage);
        assert_eq!(third.handoff.unwrap().trigger, Trigger::NotUnderstood);
    }
}

#[test]
fn what_a_late_handoff_takes_the_place_of_is_neither_said_nor_on_record() {
    let agent = agent("", &[NEVER]);
    let mut talk = Talk::begun(&agent);
    let mut told = Vec::new();
    for handed in [false, false, true] {
        let outcome = talk.say(&agent, "cuánto vale", &mut Stage::default());
        assert_eq!(outcome.handoff.is_some(), handed);
        assert_eq!(said(&outcome) == "Te paso con una persona del equipo.", handed);
        told.extend(outcome.trace.unwrap().templates);
    }
    assert_eq!(talk.state.sent, told);
    assert_eq!(told.len(), 3, "{told:?}");
}

#[test]
fn a_turn_that_answers_begins_the_count_anew_and_leaves_no_note() {
    let agent = agent("", &[NEVER]);
    let mut talk = Talk::begun(&agent);
    for text in ["cuánto vale", "cuánto vale", "hola", "cuánto vale", "cuánto vale"] {
        let outcome = talk.say(&agent, text, &mut Stage::default());
        assert_eq!(is_noted(&outcome), text != "hola", "{text}");
        assert!(outcome.handoff.is_none(), "{text}");
    }
}

#[test]
fn a_model_that_leaves_everything_open_is_no_reason_for_silence() {
    let agent = agent(MODELS, &[NEVER]);
    let mut stage = Stage::answering([Answer::Text("")]);
    let outcome = Talk::begun(&agent).say(&agent, "cuánto vale", &mut stage);
    assert!(is_noted(&outcome) && !outcome.replies.is_empty());
}

#[test]
fn a_message_without_words_is_answered_even_if_the_pack_has_nothing_to_say_to_it() {
    let silent = (
        "templates.yaml",
        "solo_texto: Por aquí solo leo mensajes escritos.",
        "solo_texto: \"{% if precio == 1 %}x{% endif %}\"",
    );
    let agent = agent("", &[silent]);
    let mut talk = Talk::begun(&agent);
    let audio = || EventKind::Message(Content::Other { kind: "audio".to_owned() });
    for _ in 0..2 {
        let outcome = talk.happens(&agent, audio(), &mut Stage::default());
        assert!(is_noted(&outcome) && !outcome.replies.is_empty() && outcome.handoff.is_none());
    }
    assert!(talk.happens(&agent, audio(), &mut Stage::default()).handoff.is_some());
}

/// A template that is sent to no effect: it renders to nothing.
const NOTHING: &str = "\"{% if precio == 1 %}x{% endif %}\"";

#[test]
fn who_is_given_to_a_person_or_is_done_is_not_told_that_nobody_understood() {
    let words = "pasar_a_persona: Te paso con una persona del equipo.";
    let silent = format!("pasar_a_persona: {NOTHING}");
    for (act, given) in [("hand_off: pide el precio", true), ("close: true", false)] {
        let acts = format!("precio: [{{ {act} }}]");
        let acts = ("flow.yaml", "precio: [{ say: precio }]", acts.as_str());
        let agent = agent("", &[acts, ("templates.yaml", words, &silent)]);
        let outcome = Talk::begun(&agent).say(&agent, "cuánto vale", &mut Stage::default());
        assert!(outcome.replies.is_empty() && !is_noted(&outcome), "{act}");
        assert_eq!(outcome.handoff.is_some(), given);
    }
}

#[test]
fn a_pack_that_cannot_even_say_that_it_did_not_understand_gives_the_message_to_a_person() {
    let words =
        "no_entendi:\n  - No te entendí. ¿Me lo dices de otra forma?\n  - Perdona, ¿cómo así?";
    let silent = format!("no_entendi: {NOTHING}");
    let agent = agent("", &[NEVER, ("templates.yaml", words, &silent)]);
    let outcome = Talk::begun(&agent).say(&agent, "cuánto vale", &mut Stage::default());
    assert!(is_noted(&outcome));
    assert_eq!(outcome.handoff.unwrap().trigger, Trigger::NotUnderstood);
}

#[test]
fn a_text_of_megabytes_is_read_as_far_as_a_message_goes_and_answered() {
    let agent = agent("", &[]);
    let text = format!("hola {}cuánto vale", "leche ".repeat(600_000));
    let outcome = Talk::begun(&agent).say(&agent, &text, &mut Stage::default());
    assert!(!outcome.replies.is_empty() || outcome.handoff.is_some());
    assert!(!said(&outcome).contains("18.000"), "what lies beyond is not read");
}
