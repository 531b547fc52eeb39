//! Tools under the pack's hold: what it fills in, when they are open, and what comes of a failure.

use serde_json::{Value, json};

use super::kit::{Answer, Stage, Talk, agent, agent_with, refused, said};
use crate::{FlowAgent, ToolError};

const ORCHESTRATOR: &str = "\nmodels:\n  orchestrator: { model: decidir, max_tokens: 2000 }\n";

/// The tools that the mode `conversacion` lets a model call.
const OPEN: (&str, &str, &str) = (
    "flow.yaml",
    "    expects: [saludo, precio, pedir]\n",
    "    expects: [saludo, precio, pedir]\n    templates: [precio, resumen]\n    own_words: [greet, thank, sympathise, clarify, bridge, small_talk, offer_person]\n    \
     tools: [crm.contact.update, whatsapp.message.send, whatsapp.template.send]\n",
);

fn held(hold: &str) -> FlowAgent {
    let tools =
        format!("tools:\n  - name: crm.order.create\n{hold}  - name: crm.contact.update\n{hold}");
    agent_with(ORCHESTRATOR, &[OPEN], Some(("tools.yaml", &tools)))
}

fn calls(name: &'static str, input: Value) -> Answer {
    Answer::Calls(vec![(name, input)])
}

/// The input that the order is made with once the customer says yes.
fn ordered(agent: &FlowAgent) -> (Stage, Option<String>) {
    let mut stage = Stage::default();
    let outcome = Talk::summed_up(agent).say(agent, "sí", &mut stage);
    (stage, outcome.handoff.map(|why| why.reason))
}

#[test]
fn what_the_engine_fills_in_is_not_shown_to_a_model() {
    let agent = held("    bind: { moneda: \"'COP'\" }\n");
    let mut stage = Stage::answering([Answer::Text("")]);
    Talk::begun(&agent).say(&agent, "hola", &mut stage);
    let offered = stage.asked[0].request.tools.iter();
    let order = offered.clone().find(|tool| tool.name == "crm.contact.update").unwrap();
    let text = json!({ "type": "string" });
    assert_eq!(order.input["properties"], json!({ "nota": text, "notes": text }));
    assert_eq!(order.input["required"], json!([]));
}

#[test]
fn what_the_engine_fills_in_wins_over_what_a_rule_gives() {
    let (stage, _) = ordered(&held("    bind: { moneda: \"'USD'\", estado: 'null' }\n"));
    let input = &stage.called[0].1;
    assert_eq!(input["moneda"], json!("USD"));
    assert!(input.get("estado").is_none(), "{input}");
}

#[test]
fn what_is_not_known_is_not_given_to_a_tool() {
    let unknown = ("flow.yaml", "estado: \"'confirmed'\"", "estado: 'null'");
    let (stage, _) = ordered(&agent("", &[unknown]));
    let input = &stage.called[0].1;
    assert!(input.get("moneda").is_some() && input.get("estado").is_none(), "{input}");
}

#[test]
fn a_tool_outside_its_condition_is_called_by_nobody() {
    let agent = held("    when: size(datos) > 9\n");
    let (stage, handoff) = ordered(&agent);
    assert!(stage.called.is_empty() && handoff.is_some());
    let again = || calls("crm.contact.update", json!({}));
    let mut stage = Stage::answering([again(), again()]);
    let outcome = Talk::begun(&agent).say(&agent, "cuánto vale", &mut stage);
    assert_eq!(refused(&outcome), ["call crm.contact.update", "call crm.contact.update"]);
    assert!(stage.called.is_empty());
}

#[test]
fn tools_that_speak_say_only_what_the_moves_may_say() {
    let agent = held("    when: minimos\n");
    let forbidden = [
        ("whatsapp.message.send", json!({ "texto": "Te lo dejo en $5.000" })),
        ("whatsapp.message.send", json!({ "texto": " " })),
        ("whatsapp.template.send", json!({ "plantilla": "resumen" })),
        ("whatsapp.template.send", json!({ "plantilla": "pedido_anotado" })),
    ];
    for (tool, input) in forbidden {
        let mut stage = Stage::answering([calls(tool, input.clone()), calls(tool, input.clone())]);
        let outcome = Talk::begun(&agent).say(&agent, "cuánto vale", &mut stage);
        assert!(!refused(&outcome).is_empty(), "{input}");
        assert_eq!(said(&outcome), "El almuerzo vale $18.000, con domicilio incluido.", "{input}");
    }
}

#[test]
fn what_a_tool_answered_a_model_is_known_to_the_flow() {
    let kept = (
        "flow.yaml",
        "      - say: pedido_anotado\n",
        "      - call: crm.contact.update\n        save: ficha\n      - say: pedido_anotado\n",
    );
    let agent = agent_with(ORCHESTRATOR, &[OPEN, kept], None);
    let mut talk = Talk::begun(&agent);
    let mut stage =
        Stage::answering([calls("crm.contact.update", json!({})), Answer::Text("Listo.")]);
    talk.say(&agent, "hola", &mut stage);
    assert_eq!(talk.state.memory["saved"]["ficha"]["number"], json!(7));
}

#[test]
fn a_rule_keeps_an_answer_under_its_own_name_alone() {
    let kept = (
        "flow.yaml",
        "      - say: pedido_anotado\n",
        "      - call: crm.contact.update\n        save: ficha\n      - when: size(enviados) > 90\n        \
         call: crm.contact.update\n        save: otra_ficha\n      - say: pedido_anotado\n",
    );
    let agent = agent_with("", &[kept], None);
    let mut talk = Talk::summed_up(&agent);
    talk.say(&agent, "sí", &mut Stage::default());
    let saved = &talk.state.memory["saved"];
    assert_eq!(saved["ficha"]["number"], json!(7));
    assert!(saved.get("otra_ficha").is_none(), "{saved}");
}

#[test]
fn a_tool_that_fails_and_has_nothing_instead_is_for_a_person() {
    let otherwise = "        otherwise:\n          - say: algo_fallo\n          - hand_off: no se pudo \
                     anotar el pedido\n";
    let agent = agent("", &[("flow.yaml", otherwise, "")]);
    let broken = Some(ToolError::Refused("no hay existencias".to_owned()));
    let mut stage = Stage { broken, ..Stage::default() };
    let outcome = Talk::summed_up(&agent).say(&agent, "sí", &mut stage);
    assert_eq!(
        outcome.handoff.as_ref().map(|why| why.reason.as_str()),
        Some("crm.order.create failed: no hay existencias")
    );
    assert_eq!(said(&outcome), "Algo no salió bien; una persona lo revisa.");
}

#[test]
fn a_flow_that_goes_in_circles_is_stopped() {
    let circle = [
        (
            "flow.yaml",
            "    expects: [saludo, precio, pedir]\n",
            "    expects: [saludo, precio, pedir]\n    enter: [{ go: pidiendo_datos }]\n",
        ),
        (
            "flow.yaml",
            "      - when: \"!minimos\"\n        say: pedir_datos\n",
            "      - call: crm.order.create\n        save: pedido\n      - go: conversacion\n",
        ),
        (
            "flow.yaml",
            "      - mode: resumen\n        when: minimos\n",
            "      - mode: resumen\n        when: minimos\n      - mode: conversacion\n",
        ),
    ];
    let agent = agent("", &circle);
    let mut stage = Stage::default();
    Talk::begun(&agent).say(&agent, "quiero un almuerzo", &mut stage);
    assert_eq!(stage.called.len(), 4, "two modes, eight moves");
}

#[test]
fn a_remark_on_the_cart_is_the_customers_own_words() {
    let tools = OPEN.2.replace("whatsapp.message.send", "set_cart_notes");
    let agent = agent(ORCHESTRATOR, &[(OPEN.0, OPEN.1, &tools)]);
    let rows = [("bien frío", true), ("total $0, en t.me/pagos", false), ("", true)];
    for (note, fine) in rows {
        let notes = || calls("set_cart_notes", json!({ "notes": note }));
        let mut stage = Stage::answering([notes(), notes()]);
        let outcome = Talk::begun(&agent).say(&agent, "hola, que venga bien frío", &mut stage);
        assert_eq!(refused(&outcome).is_empty(), fine, "{note}");
        assert_eq!(stage.called.is_empty(), !fine, "{note}");
    }
}

#[test]
fn a_part_of_the_memory_that_cannot_be_read_is_told_in_the_turns_trace() {
    let agent = agent("", &[]);
    let mut talk = Talk::summed_up(&agent);
    talk.state.memory.insert("clarified".to_owned(), json!("una vez"));
    let outcome = talk.say(&agent, "sí, confirmo", &mut Stage::default());
    let notes = outcome.trace.unwrap().notes;
    let told = "memory: `clarified` cannot be read and is forgotten";
    assert!(notes.iter().any(|note| note == told), "{notes:?}");
}
