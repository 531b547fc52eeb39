//! Bands, second looks, and answers of a detector that are not in their form.

use serde_json::{Value, json};

use super::kit::{Answer, MODELS, Stage, Talk, agent, path, said};
use crate::ModelError;

/// A message that neither rules nor examples are sure of.
const VAGUE: &str = "mmm y entonces eso como así pues";

fn ranking(intent: &str, confidence: u32, others: &[(&str, u32)]) -> Answer {
    let others =
        others.iter().map(|(intent, sure)| json!({ "intent": intent, "confidence": sure }));
    Answer::Json(json!({
        "intent": intent, "confidence": confidence,
        "alternatives": others.collect::<Vec<_>>(), "reasoning": "porque sí",
    }))
}

/// Only a detector, so that what it says is answered by the rules.
const DETECTOR: &str = "\nmodels:\n  detector: { model: leer, max_tokens: 500 }\n";

/// Lets a model say the price.
const SAYS_PRICE: &str = "    expects: [saludo, precio, pedir]\n    templates: [precio]\n";

#[test]
fn each_band_does_what_it_says() {
    let agent = agent(DETECTOR, &[]);
    let rows: [(Vec<Answer>, &str, &str); 9] = [
        (vec![ranking("precio", 85, &[])], "proceed", "decide"),
        (vec![ranking("precio", 84, &[]), ranking("precio", 61, &[])], "reanalyse", "decide"),
        (vec![ranking("precio", 60, &[]), ranking("precio", 59, &[])], "reanalyse", "clarify"),
        (vec![ranking("precio", 70, &[]), ranking("precio", 39, &[])], "reanalyse", "hand_off"),
        (vec![ranking("precio", 59, &[("pedir", 40)])], "clarify", "clarify"),
        (vec![ranking("precio", 39, &[])], "handoff", "hand_off"),
        (vec![ranking("precio", 40, &[])], "clarify", "clarify"),
        (vec![ranking("precio", 70, &[]), ranking("precio", 60, &[])], "reanalyse", "decide"),
        (vec![ranking("precio", 70, &[]), ranking("precio", 40, &[])], "reanalyse", "clarify"),
    ];
    for (answers, band, end) in rows {
        let count = answers.len();
        let mut stage = Stage::answering(answers);
        let outcome = Talk::begun(&agent).say(&agent, VAGUE, &mut stage);
        let trace = outcome.trace.clone().unwrap();
        assert_eq!(trace.band.as_deref(), Some(band));
        assert_eq!(path(&outcome).last().map(String::as_str), Some(end), "{band}");
        assert_eq!(stage.asked.len(), count, "{band}");
        assert_eq!(outcome.handoff.is_some(), end == "hand_off");
    }
}

#[test]
fn a_second_look_sees_more_and_may_change_the_ranking() {
    let agent = agent(DETECTOR, &[]);
    let mut stage = Stage::answering([ranking("saludo", 70, &[]), ranking("precio", 90, &[])]);
    stage.lines = Stage::having_said(60);
    let outcome = Talk::begun(&agent).say(&agent, VAGUE, &mut stage);
    assert!(said(&outcome).contains("18.000"), "{}", said(&outcome));
    let lines = |at: usize| {
        let parts = stage.asked[at].request.messages.iter().flat_map(|message| &message.parts);
        parts.filter(|part| format!("{part:?}").contains("línea")).count()
    };
    assert_eq!((lines(0), lines(1)), (20, 50));
}

#[test]
fn an_answer_that_is_not_in_its_form_is_unknown_and_not_sure_at_all() {
    let agent = agent(DETECTOR, &[]);
    let malformed = [
        Answer::Text("creo que quiere el precio"),
        Answer::Json(json!({ "intent": "regalar_todo", "confidence": 99, "alternatives": [] })),
        Answer::Json(json!({ "intent": "precio", "confidence": 250, "alternatives": [] })),
        Answer::Json(json!({ "intent": "precio" })),
        Answer::Json(json!([])),
        Answer::CutWords(r#"{ "intent": "precio", "confidence": 99, "alternatives": [] }"#),
    ];
    for answer in malformed {
        let mut stage = Stage::answering([answer]);
        let outcome = Talk::begun(&agent).say(&agent, VAGUE, &mut stage);
        let (intent, confidence) = outcome.intent.clone().unwrap();
        assert_eq!((intent.as_str(), confidence.get()), ("unknown", 0.0));
        assert!(outcome.handoff.is_some());
    }
    let mut stage = Stage::answering([Answer::Text("creo que quiere el precio")]);
    let outcome = Talk::begun(&agent).say(&agent, VAGUE, &mut stage);
    let notes = outcome.trace.unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("creo que quiere el precio")), "{notes:?}");
}

#[test]
fn what_rules_or_examples_are_sure_of_asks_nobody() {
    let agent = agent(DETECTOR, &[]);
    for sure in ["hola", "cuánto vale el almuerzo"] {
        let mut stage = Stage::answering([ranking("pedir", 99, &[])]);
        Talk::begun(&agent).say(&agent, sure, &mut stage);
        assert!(stage.asked.is_empty(), "{sure}");
    }
}

#[test]
fn a_model_that_does_not_answer_leaves_the_local_ranking() {
    let agent = agent(DETECTOR, &[]);
    let failed = || Answer::Fails(ModelError::Failed("overloaded".to_owned()));
    let mut with = Stage::answering([failed()]);
    let with = Talk::begun(&agent).say(&agent, VAGUE, &mut with);
    let without = Talk::begun(&agent).say(&agent, VAGUE, &mut Stage::default());
    assert_eq!(said(&with), said(&without));
    assert_eq!(with.handoff, without.handoff);
    assert_eq!(with.trace.unwrap().asked[0].outcome, "overloaded");
}

#[test]
fn what_was_meant_is_asked_with_options_and_answered_by_number_or_name() {
    let agent = agent(DETECTOR, &[]);
    for answer in ["1", "el primero", "el precio"] {
        let mut talk = Talk::begun(&agent);
        let mut stage = Stage::answering([ranking("precio", 50, &[("pedir", 45)])]);
        let asked = talk.say(&agent, VAGUE, &mut stage);
        assert!(said(&asked).contains("1. el precio\n2. pedir un almuerzo"), "{}", said(&asked));
        let outcome = talk.say(&agent, answer, &mut Stage::default());
        assert!(said(&outcome).contains("18.000"), "{answer}: {}", said(&outcome));
    }
}

#[test]
fn whoever_is_not_understood_time_and_again_gets_a_person() {
    let agent = agent(DETECTOR, &[]);
    let mut talk = Talk::begun(&agent);
    let handed: Vec<bool> = (0..3)
        .map(|_| {
            let mut stage = Stage::answering([ranking("precio", 50, &[])]);
            talk.say(&agent, VAGUE, &mut stage).handoff.is_some()
        })
        .collect();
    assert_eq!(handed, [false, false, true]);
}

#[test]
fn a_models_word_that_the_customer_agrees_is_no_yes() {
    let agent = agent(DETECTOR, &[]);
    let mut talk = Talk::summed_up(&agent);
    let mut stage = Stage::answering([ranking("confirmar", 99, &[])]);
    let outcome = talk.say(&agent, VAGUE, &mut stage);
    assert_eq!(stage.asked.len(), 1, "the model was asked");
    assert_eq!(talk.mode, "resumen");
    assert!(stage.called.is_empty() && outcome.handoff.is_none());
    let mut stage = Stage::default();
    talk.say(&agent, "sí", &mut stage);
    assert_eq!(talk.mode, "pedido");
    assert_eq!(stage.called[0].0, "crm.order.create");
    let input: &Value = &stage.called[0].1;
    assert_eq!(input["lineas"][0]["precio"], json!(18000));
}

#[test]
fn with_every_model_the_detector_comes_before_the_orchestrator() {
    let agent = agent(MODELS, &[]);
    let mut stage = Stage::answering([ranking("precio", 90, &[]), Answer::Text("")]);
    Talk::begun(&agent).say(&agent, VAGUE, &mut stage);
    assert_eq!(stage.components(), ["detector", "orchestrator"]);
}

#[test]
fn a_number_answers_what_was_meant_only_right_after_the_question_and_alone() {
    let agent = agent(DETECTOR, &[]);
    let asked = || {
        let mut talk = Talk::begun(&agent);
        let mut stage = Stage::answering([ranking("precio", 50, &[("pedir", 45)])]);
        talk.say(&agent, VAGUE, &mut stage);
        talk
    };
    let mut talk = asked();
    talk.say(&agent, "hola", &mut Stage::default());
    let late = talk.say(&agent, "1", &mut Stage::default());
    assert!(!said(&late).contains("18.000"), "{}", said(&late));
    let sentence = "es que una vez me llegó frío y ya";
    let other = asked().say(&agent, sentence, &mut Stage::default());
    assert!(!said(&other).contains("18.000"), "{}", said(&other));
}

#[test]
fn an_answer_of_the_orchestrator_ends_the_count_of_what_was_not_understood() {
    let agent =
        agent(MODELS, &[("flow.yaml", "    expects: [saludo, precio, pedir]\n", SAYS_PRICE)]);
    let mut talk = Talk::begun(&agent);
    let vague = |talk: &mut Talk| {
        let mut stage = Stage::answering([ranking("precio", 50, &[])]);
        talk.say(&agent, VAGUE, &mut stage).handoff.is_some()
    };
    assert_eq!([vague(&mut talk), vague(&mut talk)], [false, false]);
    let price = Answer::Calls(vec![("flow.say", json!({ "template": "precio" }))]);
    talk.say(&agent, "hola", &mut Stage::answering([price]));
    assert!(!vague(&mut talk), "the count begins anew");
}

#[test]
fn a_detector_may_answer_in_per_cent_or_as_a_fraction() {
    let agent = agent(DETECTOR, &[]);
    for (said, expected) in [(json!(90), 0.9), (json!(0.9), 0.9), (json!(1), 1.0)] {
        let answer = json!({ "intent": "precio", "confidence": said, "alternatives": [] });
        let mut stage = Stage::answering([Answer::Json(answer)]);
        let outcome = Talk::begun(&agent).say(&agent, VAGUE, &mut stage);
        assert_eq!(outcome.intent.map(|(_, sure)| sure.get()), Some(expected));
    }
}

#[test]
fn what_is_understood_ends_the_count_of_what_was_not() {
    let agent = agent(DETECTOR, &[]);
    let mut talk = Talk::begun(&agent);
    let mut handed = Vec::new();
    for text in [VAGUE, VAGUE, "cuánto vale", VAGUE] {
        let mut stage = Stage::answering([ranking("precio", 50, &[])]);
        handed.push(talk.say(&agent, text, &mut stage).handoff.is_some());
    }
    assert_eq!(handed, [false; 4]);
}

#[test]
fn no_more_than_three_things_are_offered_and_none_that_is_unlikely_or_no_wish() {
    let agent = agent(DETECTOR, &[]);
    let rows = [
        (
            vec![("pedir", 30), ("saludo", 20), ("cancelar", 10)],
            vec!["1. el precio", "2. pedir un almuerzo", "3. saludar"],
        ),
        (vec![("datos_cliente", 30), ("pedir", 8)], vec!["1. el precio", "2. pedir un almuerzo"]),
        (vec![("pedir", 7)], vec![]),
    ];
    for (others, offered) in rows {
        let mut stage = Stage::answering([ranking("precio", 50, &others)]);
        let asked = said(&Talk::begun(&agent).say(&agent, VAGUE, &mut stage));
        let is_option = |line: &&str| line.starts_with(char::is_numeric);
        let options: Vec<&str> = asked.lines().filter(is_option).collect();
        assert_eq!(options, offered, "{asked}");
    }
}
