//! Decisions about the cart, one observation after the other, without a world.

use std::path::Path;
use std::sync::Arc;

use nlu::goods::Act;
use pack::Source;
use serde_json::{Value, json};

use super::change::change;
use super::look::{Item, Looked, MatchKind};
use super::{Asked, Wish};
use crate::flow::commerce::Moment;
use crate::flow::memory::Memory;
use crate::flow::plan::{Observed, Outside};
use crate::flow::turn::{Cause, Given, Served, State, Turn};
use crate::{FlowAgent, ToolError};

struct NoTicks;

impl domain::Ticks for NoTicks {
    fn nanos(&self) -> u64 {
        0
    }
}

fn almacen() -> FlowAgent {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/almacen");
    let source = Source::read(&folder).unwrap_or_else(|findings| panic!("{findings}"));
    let pack = pack::read(&source).unwrap_or_else(|findings| panic!("{findings}")).pack;
    let pack::Agent::Flow(spec) = pack.agents[0].agent.clone() else { panic!("no flow") };
    FlowAgent::new("almacen", Arc::new(pack), &spec, &source, Arc::new(NoTicks)).unwrap()
}

fn item(name: &str) -> Item {
    let (sku, title) = (name.to_owned(), name.to_owned());
    Item { sku, title, available: 1, ..Item::default() }
}

fn found(kind: MatchKind, names: &[&str]) -> Looked {
    Looked { kind, items: names.iter().map(|name| item(name)).collect(), ..Looked::default() }
}

fn cart(names: &[&str]) -> Value {
    let line = |name: &&str| json!({ "sku": name, "title": name, "product": name, "quantity": 2 });
    json!({ "lines": names.iter().map(line).collect::<Vec<_>>() })
}

/// The outcome of a decision: the calls that it asks for in order, what is then in the cart, and the
/// templates that it says.
#[derive(Debug, Default, PartialEq)]
struct Change {
    calls: Vec<String>,
    cart: Vec<String>,
    says: Vec<String>,
}

/// A wish for `wanted` in the place of the two pepsis in the cart.
fn swap(wanted: Looked) -> Wish {
    let (called, instead_of) = ("coca".to_owned(), Some("pepsi".to_owned()));
    Wish { act: Act::Replace, called, found: wanted, instead_of, sure: true, quantity: None }
}

/// Decides on a wish of a customer with two pepsis in the cart.
fn decided(agent: &FlowAgent, wish: Wish, answers: &[Observed]) -> Change {
    let now = domain::Timestamp::from_millis(1_767_798_000_000);
    let given = Given {
        now,
        moment: Moment::new(&agent.spec, now),
        cause: Cause::Unreadable,
        contact_name: None,
        consent: None,
        picked: Vec::new(),
        beside: String::new(),
        served: Served { orchestrator: false, writer: false },
    };
    let mode = agent.spec.mode_of_session("COLLECTING_ORDER");
    let (session, memory) = (domain::SessionState::default(), Memory::default());
    let mut turn = Turn::new(&agent.spec, &given, State { mode, session, memory });
    turn.state.memory.shop.cart = serde_json::from_value(cart(&["pepsi"])).unwrap();
    turn.reading.asked = Asked { wishes: vec![wish], ..Asked::default() };
    let mut calls = Vec::new();
    loop {
        let mut next = turn.clone();
        next.observe(answers[..calls.len()].to_vec());
        match change(&mut next) {
            Ok(_) => {
                let lines = next.state.memory.shop.cart.lines.iter();
                let cart = lines.map(|line| line.sku.clone()).collect();
                return Change { calls, cart, says: next.plan.templates().cloned().collect() };
            }
            Err(outside) => match *outside {
                Outside::Call { tool, input } => {
                    calls.push(format!("{tool} {}", input["sku"].as_str().unwrap()));
                }
                other => panic!("{other:?}"),
            },
        }
    }
}

/// Goods that are wanted instead, the tools' answers, the calls that are asked for and the cart at the end.
type Swap = (Looked, Vec<Observed>, &'static [&'static str], &'static [&'static str]);

#[test]
fn one_thing_takes_the_place_of_another_only_once_it_is_in_the_cart() {
    let agent = almacen();
    let answered = |names: &[&str]| Observed::Called(Ok(cart(names)));
    let refused = || Observed::Called(Err(ToolError::Refused("there is not enough".to_owned())));
    let unknown = || Observed::Called(Err(ToolError::Unknown("no answer".to_owned())));
    let rows: [Swap; 7] = [
        (
            found(MatchKind::One, &["coca"]),
            vec![answered(&["pepsi", "coca"]), answered(&["coca"])],
            &["add_to_cart coca", "remove_from_cart pepsi"],
            &["coca"],
        ),
        (found(MatchKind::One, &["coca"]), vec![refused()], &["add_to_cart coca"], &["pepsi"]),
        (found(MatchKind::One, &["coca"]), vec![unknown()], &["add_to_cart coca"], &["pepsi"]),
        (
            found(MatchKind::One, &["coca"]),
            vec![Observed::Called(Ok(json!({ "ok": true })))],
            &["add_to_cart coca"],
            &["pepsi"],
        ),
        (found(MatchKind::Several, &["coca 500", "coca 1500"]), vec![], &[], &["pepsi"]),
        (found(MatchKind::Nothing, &[]), vec![], &[], &["pepsi"]),
        // The same thing again is no swap: its number stays.
        (
            found(MatchKind::One, &["pepsi"]),
            vec![answered(&["pepsi"])],
            &["update_cart_item pepsi"],
            &["pepsi"],
        ),
    ];
    for (at, (wanted, answers, calls, left)) in rows.into_iter().enumerate() {
        let change = decided(&agent, swap(wanted), &answers);
        assert_eq!(change.calls, calls, "row {at}");
        assert_eq!(change.cart, left, "row {at}");
    }
}

#[test]
fn a_customer_is_told_when_something_could_not_be_taken_out() {
    let agent = almacen();
    let failed = &agent.spec.flow.messages.failed;
    let refused = || Observed::Called(Err(ToolError::Refused("the cart is away".to_owned())));
    let answered = |names: &[&str]| Observed::Called(Ok(cart(names)));
    let take_out = || Wish { act: Act::Remove, called: "pepsi".to_owned(), ..Wish::default() };
    let both = vec![answered(&["pepsi", "coca"]), refused()];
    for (wish, answers, told) in [
        (take_out(), vec![refused()], true),
        (take_out(), vec![answered(&[])], false),
        (swap(found(MatchKind::One, &["coca"])), both, true),
    ] {
        let change = decided(&agent, wish, &answers);
        assert_eq!(change.says.contains(failed), told, "{change:?}");
        assert_eq!(change.cart.contains(&"pepsi".to_owned()), told, "{change:?}");
    }
}

#[test]
fn an_answer_of_the_catalogue_that_nobody_can_read_does_not_say_that_there_is_nothing() {
    let item = json!({ "sku": "coca", "title": "Coca", "available": 3 });
    for unreadable in [
        json!({ "ok": true }),
        json!({}),
        json!([]),
        json!({ "match": "one" }),
        json!({ "items": [item] }),
        json!({ "match": "unknown", "items": [] }),
        json!({ "match": "one", "items": [{}] }),
    ] {
        assert!(serde_json::from_value::<Looked>(unreadable.clone()).is_err(), "{unreadable}");
    }
    for name in ["match", "verdict"] {
        let read = json!({ name: "one", "items": [item], "alternatives": [] });
        assert_eq!(serde_json::from_value::<Looked>(read).unwrap().kind, MatchKind::One);
    }

    let agent = almacen();
    let failed = &agent.spec.flow.messages.failed;
    let missing = &agent.spec.flow.shop.as_ref().unwrap().messages.missing;
    let wish = |kind| Wish { called: "coca".to_owned(), ..swap(found(kind, &[])) };
    for act in [Act::Add, Act::Set, Act::Replace] {
        let says = |kind| decided(&agent, Wish { act, ..wish(kind) }, &[]).says;
        assert_eq!(says(MatchKind::Unknown), std::slice::from_ref(failed), "{act:?}");
        assert_eq!(says(MatchKind::Nothing), std::slice::from_ref(missing), "{act:?}");
    }
}
