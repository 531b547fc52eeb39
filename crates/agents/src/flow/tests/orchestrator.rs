//! How long a model is heard in a turn, and what of its words is shown or sent.

use serde_json::{Value, json};

use super::kit::{Answer, Stage, Talk, agent, refused, said};
use crate::{FlowAgent, ModelError, ToolError};

const ORCHESTRATOR: &str = "\nmodels:\n  orchestrator: { model: decidir, max_tokens: 2000 }\n";
const PRICE: &str = "El almuerzo vale $18.000, con domicilio incluido.";

fn open() -> FlowAgent {
    let opened = (
        "flow.yaml",
        "    expects: [saludo, precio, pedir]\n",
        "    expects: [saludo, precio, pedir]\n    templates: [precio]\n    own_words: [greet, thank, sympathise, clarify, bridge, small_talk, offer_person]\n    tools: \
         [crm.contact.update]\n",
    );
    agent(ORCHESTRATOR, &[opened])
}

fn say_price() -> (&'static str, Value) {
    ("flow.say", json!({ "template": "precio" }))
}

fn order() -> (&'static str, Value) {
    ("crm.contact.update", json!({}))
}

#[test]
fn a_model_hears_what_its_tools_answered_and_then_adds_nothing_to_what_was_said() {
    let agent = open();
    for broken in [None, Some(ToolError::Refused("no hay existencias".to_owned()))] {
        let answers =
            [Answer::Calls(vec![say_price(), order()]), Answer::Text("¡Con mucho gusto!")];
        let mut stage = Stage { broken, ..Stage::answering(answers) };
        let outcome = Talk::begun(&agent).say(&agent, "hola", &mut stage);
        assert_eq!(stage.asked.len(), 2);
        assert_eq!(said(&outcome), PRICE);
    }
}

#[test]
fn whoever_gives_the_conversation_away_is_heard_no_more() {
    let agent = open();
    let away = |reason: &str| ("flow.hand_off", json!({ "reason": reason }));
    let calls = vec![away("llora"), away("otra cosa"), order()];
    let mut stage = Stage::answering([Answer::Calls(calls), Answer::Calls(vec![say_price()])]);
    let outcome = Talk::begun(&agent).say(&agent, "hola", &mut stage);
    assert_eq!(stage.asked.len(), 1);
    assert_eq!(outcome.handoff.as_ref().map(|why| why.reason.as_str()), Some("model: llora"));
    assert_eq!(said(&outcome), "Te paso con una persona del equipo.");
}

#[test]
fn words_that_are_refused_twice_are_heard_no_more() {
    let agent = agent(ORCHESTRATOR, &[]);
    let mut stage = Stage::answering((0..6).map(|_| Answer::Text("¡Claro que sí!")));
    let outcome = Talk::begun(&agent).say(&agent, "cuánto vale", &mut stage);
    assert_eq!((stage.asked.len(), refused(&outcome).len()), (2, 2));
    assert_eq!(said(&outcome), PRICE);
}

#[test]
fn words_that_were_cut_off_are_not_sent() {
    let agent = open();
    let mut stage = Stage::answering([Answer::CutWords("¡Claro que sí, te lo")]);
    let outcome = Talk::begun(&agent).say(&agent, "cuánto vale", &mut stage);
    assert_eq!(said(&outcome), PRICE);
}

#[test]
fn words_are_shown_while_they_grow_only_where_they_may_be_sent() {
    let closed = agent(ORCHESTRATOR, &[]);
    let mut stage = Stage::answering([Answer::Text("")]);
    Talk::begun(&closed).say(&closed, "hola", &mut stage);
    assert_eq!(stage.previewed, [false], "the mode has no words of its own");
    let offered =
        |stage: &Stage| stage.asked[0].request.tools.iter().any(|tool| tool.name == "flow.reply");
    assert!(!offered(&stage));
    let open = open();
    let mut stage =
        Stage::answering([Answer::Calls(vec![say_price(), order()]), Answer::Text("Ya.")]);
    Talk::begun(&open).say(&open, "hola", &mut stage);
    assert_eq!(stage.previewed, [true, false], "something was said already");
    assert!(offered(&stage));
}

#[test]
fn words_longer_than_any_chat_are_refused() {
    let agent = open();
    let long = || Answer::Calls(vec![("flow.reply", json!({ "text": "ya ".repeat(401) }))]);
    let mut stage = Stage::answering([long(), long()]);
    let outcome = Talk::begun(&agent).say(&agent, "cuánto vale", &mut stage);
    assert_eq!(refused(&outcome), ["reply", "reply"]);
    assert_eq!(said(&outcome), PRICE);
}

#[test]
fn only_a_spent_budget_closes_and_a_model_that_is_away_does_not() {
    let closes = format!("{ORCHESTRATOR}budget: {{ session_tokens: 10, when_spent: close }}\n");
    let agent = agent(&closes, &[]);
    let mut stage = Stage::answering([Answer::Fails(ModelError::Failed("overloaded".to_owned()))]);
    let outcome = Talk::begun(&agent).say(&agent, "cuánto vale", &mut stage);
    assert_eq!(said(&outcome), PRICE);
    assert!(outcome.handoff.is_none());
}
