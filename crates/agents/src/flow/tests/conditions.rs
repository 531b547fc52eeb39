//! The facts that conditions are told: the pack's clock, what is new, and whether the customer says no.

use domain::{EventKind, OperatorEvent};
use serde_json::json;

use super::kit::{Stage, Talk, agent, said};

/// Whether the price is said where only this condition lets it.
fn says_price(condition: &str, before: &[&str]) -> bool {
    let rule = format!("precio: [{{ when: '{condition}', say: precio }}]");
    let agent = agent("", &[("flow.yaml", "precio: [{ say: precio }]", &rule)]);
    let mut talk = Talk::begun(&agent);
    for text in before {
        talk.say(&agent, text, &mut Stage::default());
    }
    said(&talk.say(&agent, "cuánto vale", &mut Stage::default())).contains("18.000")
}

#[test]
fn conditions_know_the_packs_clock_and_what_is_new() {
    // A Wednesday at three in the afternoon, which is ten in the morning in Bogotá.
    assert!(says_price("hora == 10", &[]));
    assert!(says_price("dia == 3", &[]));
    assert!(says_price("nuevo", &[]));
    assert!(!says_price("nuevo", &["hola"]));
    assert!(!says_price("cliente.conocido", &[]));
}

#[test]
fn every_fact_that_a_pack_may_name_is_known() {
    for fact in pack::facts::in_conditions() {
        assert!(says_price(&format!("[{fact}].size() == 1"), &[]), "{fact}");
    }
}

#[test]
fn a_no_is_known_to_conditions_unless_it_is_a_question() {
    let rule = (
        "flow.yaml",
        "cancelar: [{ say: cancelado }, { go: conversacion }]",
        "cancelar: [{ when: rechaza, say: cancelado, otherwise: [{ say: precio }] }]",
    );
    let agent = agent("", &[rule]);
    let rows =
        [("cancélalo por favor", "no mando nada"), ("no", "no mando nada"), ("no?", "18.000")];
    for (text, expected) in rows {
        let outcome = Talk::summed_up(&agent).say(&agent, text, &mut Stage::default());
        assert!(said(&outcome).contains(expected), "{text}: {}", said(&outcome));
    }
}

#[test]
fn what_a_person_has_looked_into_is_not_counted_again() {
    let agent = agent("", &[]);
    let mut talk = Talk::begun(&agent);
    talk.say(&agent, "hola", &mut Stage::default());
    talk.state.memory.insert("clarified".to_owned(), json!(2));
    talk.state.memory["talk"]["unhappy"] = json!(2);
    talk.state.memory["talk"]["since"] = json!(1);
    let returned = EventKind::Operator(OperatorEvent::Returned {
        by: "ana".to_owned(),
        note: None,
        mode: None,
        message: None,
    });
    talk.happens(&agent, returned, &mut Stage::default());
    let (memory, now) = (&talk.state.memory, super::kit::NOW.millis());
    assert!(memory.get("clarified").is_none());
    assert!(memory["talk"].get("unhappy").is_none_or(|unhappy| *unhappy == json!(0)));
    assert_eq!(memory["talk"]["since"], json!(now));
}
