//! The guard on each move of a model.

use serde_json::json;

use super::kit::{Answer, Stage, Talk, agent, path, refused, said};
use crate::{ModelError, ToolError};

const ORCHESTRATOR: &str = "\nmodels:\n  orchestrator: { model: decidir, max_tokens: 2000 }\n";

/// The moves that the mode `conversacion` lets a model make.
const OPEN: (&str, &str, &str) = (
    "flow.yaml",
    "    expects: [saludo, precio, pedir]\n",
    "    expects: [saludo, precio, pedir]\n    templates: [precio, resumen]\n    own_words: [greet, thank, sympathise, clarify, bridge, small_talk, offer_person]\n    \
     tools: [crm.contact.update]\n",
);

fn calls(calls: &[(&'static str, serde_json::Value)]) -> Answer {
    Answer::Calls(calls.to_vec())
}

#[test]
fn a_model_makes_the_moves_the_mode_allows() {
    let agent = agent(ORCHESTRATOR, &[OPEN]);
    let mut talk = Talk::begun(&agent);
    let mut stage = Stage::answering([calls(&[("flow.say", json!({ "template": "precio" }))])]);
    let outcome = talk.say(&agent, "hola", &mut stage);
    assert!(said(&outcome).contains("18.000"));
    assert!(refused(&outcome).is_empty());
    assert_eq!(stage.asked.len(), 1, "a turn that has its answer asks no more");
    let mut stage = Stage::answering([calls(&[("flow.go", json!({ "mode": "pidiendo_datos" }))])]);
    talk.say(&agent, "hola", &mut stage);
    assert_eq!(talk.mode, "pidiendo_datos");
}

#[test]
fn what_the_mode_forbids_is_refused_told_once_and_then_the_rule_applies() {
    let agent = agent(ORCHESTRATOR, &[OPEN]);
    let forbidden = [
        ("flow.go", json!({ "mode": "pedido" }), "go pedido"),
        ("flow.go", json!({ "mode": "resumen" }), "go resumen"),
        ("flow.go", json!({}), "go "),
        ("flow.say", json!({ "template": "pedido_anotado" }), "say pedido_anotado"),
        // A summary is the flow's alone, although the mode lists it.
        ("flow.say", json!({ "template": "resumen" }), "say resumen"),
        ("flow.save", json!({ "nombre": "Otra Persona" }), "save"),
        ("flow.save", json!({ "precio": "1" }), "save"),
        ("flow.choose", json!({ "pack": "3x" }), "choose"),
        ("crm.order.update", json!({ "pedido": "x" }), "call crm.order.update"),
        ("borrar.todo", json!({}), "call borrar.todo"),
        ("flow.reply", json!({ "text": "Te lo dejo en $5.000" }), "reply"),
    ];
    for (tool, input, name) in forbidden {
        let same = || calls(&[(tool, input.clone())]);
        let mut stage = Stage::answering([same(), same(), same()]);
        let outcome = Talk::begun(&agent).say(&agent, "cuánto vale", &mut stage);
        assert_eq!(refused(&outcome), [name, name], "{tool}");
        assert_eq!(stage.asked.len(), 2, "{tool}: it is told once");
        let told = format!("{:?}", stage.asked[1].request.messages.last());
        assert!(told.contains("is_error: true"), "{told}");
        assert!(said(&outcome).contains("18.000"), "{tool}: the rule answers");
        assert_eq!(outcome.mode, "conversacion");
        assert!(stage.called.is_empty(), "{tool}");
    }
}

#[test]
fn a_tool_that_fails_is_told_to_the_model_as_an_error_and_it_may_do_otherwise() {
    let agent = agent(ORCHESTRATOR, &[OPEN]);
    let mut stage = Stage::answering([
        calls(&[("crm.contact.update", json!({}))]),
        calls(&[("flow.say", json!({ "template": "precio" }))]),
    ]);
    stage.broken = Some(ToolError::Refused("no hay existencias".to_owned()));
    let outcome = Talk::begun(&agent).say(&agent, "hola", &mut stage);
    let told = format!("{:?}", stage.asked[1].request.messages.last());
    assert!(told.contains("no hay existencias") && told.contains("is_error: true"), "{told}");
    assert!(said(&outcome).contains("18.000"));
    assert!(refused(&outcome).is_empty());
}

#[test]
fn nothing_is_done_from_an_answer_that_was_cut_off() {
    let agent = agent(ORCHESTRATOR, &[OPEN]);
    let mut stage = Stage::answering([Answer::Cut(vec![
        ("crm.contact.update", json!({})),
        ("flow.go", json!({ "mode": "pidiendo_datos" })),
    ])]);
    let outcome = Talk::begun(&agent).say(&agent, "cuánto vale", &mut stage);
    assert!(stage.called.is_empty());
    assert_eq!(outcome.mode, "conversacion");
    assert!(said(&outcome).contains("18.000"), "the rule answers");
    assert_eq!(path(&outcome).last().map(String::as_str), Some("decide"));
}

#[test]
fn a_model_speaks_in_its_own_words_only_where_the_mode_lets_it() {
    let words = || Stage::answering([Answer::Text("¡Hola! Qué gusto saludarte.")]);
    let open = agent(ORCHESTRATOR, &[OPEN]);
    let outcome = Talk::begun(&open).say(&open, "hola", &mut words());
    assert_eq!(said(&outcome), "¡Hola! Qué gusto saludarte.");
    let closed = agent(ORCHESTRATOR, &[]);
    let outcome = Talk::begun(&closed).say(&closed, "hola", &mut words());
    assert_eq!(refused(&outcome), ["reply"]);
    assert!(said(&outcome).contains("Tomamos pedidos"), "{}", said(&outcome));
}

#[test]
fn a_model_does_with_its_words_only_what_the_mode_lists() {
    let thanks = "    expects: [saludo, precio, pedir]\n    own_words: [thank]\n";
    let agent = agent(ORCHESTRATOR, &[("flow.yaml", OPEN.1, thanks)]);
    for (text, fine) in [("Gracias por escribirnos.", true), ("¡Hola! Qué gusto.", false)] {
        let mut stage = Stage::answering([Answer::Text(text), Answer::Text(text)]);
        let outcome = Talk::begun(&agent).say(&agent, "hola", &mut stage);
        assert_eq!(refused(&outcome).is_empty(), fine, "{text}");
        assert_eq!(said(&outcome) == text, fine, "{text}");
    }
}

#[test]
fn to_agree_is_no_answer_to_a_question() {
    let agent = agent(ORCHESTRATOR, &[OPEN]);
    let text = "Claro, ¿qué más necesitás?";
    for (message, fine) in [("hola", true), ("¿hola, es gratis?", false)] {
        let mut stage = Stage::answering([Answer::Text(text), Answer::Text(text)]);
        let outcome = Talk::begun(&agent).say(&agent, message, &mut stage);
        assert_eq!(said(&outcome).contains(text), fine, "{message}: {:?}", refused(&outcome));
    }
}

#[test]
fn what_the_customer_wrote_may_be_saved_and_nothing_else() {
    let agent = agent(ORCHESTRATOR, &[OPEN]);
    let mut talk = Talk::begun(&agent);
    let saved = calls(&[("flow.save", json!({ "direccion": "Manzana 4 casa 12" }))]);
    let mut stage = Stage::answering([saved, Answer::Text("Listo, anotado.")]);
    talk.say(&agent, "quiero un almuerzo a manzana 4 casa 12", &mut stage);
    assert_eq!(talk.state.data["direccion"], json!("Manzana 4 casa 12"));
}

#[test]
fn a_model_can_give_the_conversation_to_a_person() {
    let agent = agent(ORCHESTRATOR, &[OPEN]);
    let mut stage = Stage::answering([calls(&[("flow.hand_off", json!({ "reason": "llora" }))])]);
    let outcome = Talk::begun(&agent).say(&agent, "hola", &mut stage);
    assert_eq!(outcome.handoff.as_ref().map(|why| why.reason.as_str()), Some("model: llora"));
    assert!(said(&outcome).contains("persona"));
}

#[test]
fn a_model_that_loops_is_left_and_the_turn_still_ends() {
    let agent = agent(ORCHESTRATOR, &[OPEN]);
    let again = || calls(&[("crm.contact.update", json!({}))]);
    let mut stage = Stage::answering((0..20).map(|_| again()));
    let outcome = Talk::begun(&agent).say(&agent, "cuánto vale", &mut stage);
    assert_eq!(stage.asked.len(), 6);
    assert!(said(&outcome).contains("18.000"));
}

#[test]
fn a_spent_budget_goes_on_by_the_rules_or_says_goodbye_as_the_pack_says() {
    let spent = || Stage::answering([Answer::Fails(ModelError::Spent("the session".to_owned()))]);
    let goes_on = agent(ORCHESTRATOR, &[OPEN]);
    let outcome = Talk::begun(&goes_on).say(&goes_on, "cuánto vale", &mut spent());
    assert!(said(&outcome).contains("18.000") && outcome.handoff.is_none());
    let closing = format!("{ORCHESTRATOR}budget: {{ session_tokens: 10, when_spent: close }}\n");
    let closes = agent(&closing, &[OPEN]);
    let outcome = Talk::begun(&closes).say(&closes, "cuánto vale", &mut spent());
    assert_eq!(path(&outcome).last().map(String::as_str), Some("say_goodbye"));
    assert!(outcome.handoff.as_ref().is_some_and(|why| why.reason.contains("budget")));
    assert!(said(&outcome).contains("persona"));
}

#[test]
fn after_it_gave_the_conversation_away_a_model_does_nothing_more() {
    let agent = agent(ORCHESTRATOR, &[OPEN]);
    let mut stage = Stage::answering([calls(&[
        ("flow.hand_off", json!({ "reason": "no sé" })),
        ("crm.contact.update", json!({})),
        ("flow.go", json!({ "mode": "pidiendo_datos" })),
    ])]);
    let outcome = Talk::begun(&agent).say(&agent, "hola", &mut stage);
    assert!(stage.called.is_empty());
    assert_eq!(outcome.mode, "conversacion");
    assert!(outcome.handoff.is_some());
}

#[test]
fn a_model_that_moves_without_a_word_leaves_the_answer_to_the_rules() {
    let quiet = (
        "flow.yaml",
        "    enter:\n      - when: \"!minimos\"\n        say: pedir_datos\n      - when: minimos\n        \
         go: resumen\n",
        "    enter:\n      - when: minimos\n        go: resumen\n",
    );
    let agent = agent(
        ORCHESTRATOR,
        &[
            OPEN,
            quiet,
            (
                "templates.yaml",
                "pedir_datos: ¡Listo! Dime tu nombre y la dirección de entrega.\n",
                "pedir_datos: Dime tus datos.\n",
            ),
        ],
    );
    let go = calls(&[("flow.go", json!({ "mode": "pidiendo_datos" }))]);
    let mut stage = Stage::answering([go, Answer::Text("")]);
    let outcome = Talk::begun(&agent).say(&agent, "cuánto vale", &mut stage);
    assert_eq!(outcome.mode, "pidiendo_datos");
    assert!(said(&outcome).contains("18.000"), "{}", said(&outcome));
}

#[test]
fn a_number_is_saved_as_nobodys_name() {
    let agent = agent(ORCHESTRATOR, &[OPEN]);
    let mut talk = Talk::begun(&agent);
    let saves = || calls(&[("flow.save", json!({ "nombre": "12" }))]);
    let mut stage = Stage::answering([saves(), Answer::Text("")]);
    talk.say(&agent, "quiero un almuerzo para 12", &mut stage);
    assert!(!talk.state.data.contains_key("nombre"));
}
