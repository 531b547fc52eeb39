//! Every message of a customer, in every mode of every shipped pack, ends with a reply or a person,
//! and noise changes neither cart, order nor data.

mod stages;

use std::num::NonZero;
use std::thread::available_parallelism;

use eval::{Happened, Rehearsal};
use futures::executor::block_on;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use stages::{Shipped, Standing};

/// A line of the texts.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    kind: String,
    leaves: Leaves,
    text: String,
    /// How often it is written in a row.
    times: Option<usize>,
}

/// The things a text must leave alone.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Leaves {
    /// The text may mean something: it only has to be answered.
    Nothing,
    /// The cart, orders, choices and data that were there; it may be the answer to a free question.
    Given,
    /// All that there is, and what is asked for stays open.
    Everything,
}

impl Text {
    fn written(&self) -> String {
        self.text.repeat(self.times.unwrap_or(1))
    }
}

fn texts() -> Vec<Text> {
    let lines = include_str!("texts.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

/// The things noise must leave alone.
fn kept(customer: &Rehearsal) -> Value {
    let Some(state) = customer.state() else { return Value::Null };
    let memory = |name: &str| state.memory.get(name).cloned().unwrap_or_default();
    json!({
        "data": state.data,
        "choices": state.choices,
        "cart": memory("shop").get("cart").cloned().unwrap_or_default(),
    })
}

/// All that is wrong with what came of a message.
fn wrong(
    before: &Value,
    customer: &Rehearsal,
    happened: Option<&Happened>,
    leaves: Leaves,
) -> Vec<String> {
    let Some(happened) = happened else { return vec!["nobody was asked".to_owned()] };
    let mut wrong: Vec<String> = happened.error.clone().into_iter().collect();
    if happened.replies.iter().all(|reply| reply.trim().is_empty()) && happened.handoff.is_none() {
        wrong.push("nobody answers".to_owned());
    }
    if happened.replies.iter().any(|reply| reply.trim().is_empty()) {
        wrong.push("an empty message is sent".to_owned());
    }
    let said = happened.replies.iter().any(|reply| reply.contains("encontré ,"));
    wrong.extend(said.then(|| "it names nothing that it lacks".to_owned()));
    let after = kept(customer);
    if !leaves.alone(before, &after) {
        wrong.push(format!("{before} became {after}"));
    }
    let changed = |tool: &&domain::ToolUse| {
        tool.ok && ["confirm_order", "cancel_order", "modify_order"].contains(&tool.name.as_str())
    };
    let acted = happened.tools.iter().filter(|_| leaves != Leaves::Nothing).find(changed);
    wrong.extend(acted.map(|tool| format!("{} was called", tool.name)));
    wrong
}

impl Leaves {
    fn alone(self, before: &Value, after: &Value) -> bool {
        let is_none = |value: &Value| match value {
            Value::Object(map) => map.is_empty(),
            value => value.is_null(),
        };
        let same = |part: &str| {
            before[part] == after[part] || is_none(&before[part]) && is_none(&after[part])
        };
        let parts = ["cart", "choices"].into_iter().all(same);
        let no_data = Map::new();
        let given = before["data"].as_object().unwrap_or(&no_data);
        match self {
            Self::Nothing => true,
            Self::Given => parts && given.iter().all(|(name, value)| after["data"][name] == *value),
            Self::Everything => parts && same("data"),
        }
    }
}

fn written(standing: &Standing, from: &Rehearsal, text: &Text) -> Vec<String> {
    let mut customer = from.clone();
    let before = kept(&customer);
    let happened = block_on(customer.say(&[text.written()]));
    let wrong = wrong(&before, &customer, happened.as_ref(), text.leaves);
    let shown: String = text.text.chars().take(90).collect();
    let replies = happened.map(|happened| happened.replies).unwrap_or_default();
    wrong
        .into_iter()
        .map(|wrong| format!("{}: {} {shown:?}: {wrong} {replies:?}", standing.name, text.kind))
        .collect()
}

/// Writes every text wherever a conversation of a pack may stand.
fn all_of(pack: &str) {
    let (shipped, texts) = (Shipped::open(pack), texts());
    let threads = available_parallelism().map_or(1, NonZero::get);
    let mut failed = Vec::new();
    for standing in &shipped.standings {
        let from = shipped.bring(standing);
        let found = std::thread::scope(|scope| {
            let part = |part: usize| {
                let (from, texts) = (from.clone(), &texts);
                move || {
                    let own = texts.iter().skip(part).step_by(threads);
                    own.flat_map(|text| written(standing, &from, text)).collect::<Vec<_>>()
                }
            };
            let workers: Vec<_> = (0..threads).map(|at| scope.spawn(part(at))).collect();
            workers.into_iter().flat_map(|one| one.join().unwrap()).collect::<Vec<_>>()
        });
        failed.extend(found);
    }
    assert!(failed.is_empty(), "{} are wrong:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn in_the_grocery_nothing_written_is_met_with_silence_and_noise_does_nothing() {
    all_of("almacen");
}

#[test]
fn in_the_sale_nothing_written_is_met_with_silence_and_noise_does_nothing() {
    all_of("somnio");
}

#[test]
fn in_the_form_nothing_written_is_met_with_silence_and_noise_does_nothing() {
    all_of("registro");
}

#[test]
fn the_packs_own_conversations_come_out_as_written_and_need_no_last_resort() {
    let packs = ["almacen", "somnio", "registro"];
    let results = packs.into_iter().flat_map(|pack| Shipped::open(pack).converse());
    let failed = results.filter(|result| !result.failed.is_empty());
    let failed: Vec<String> =
        failed.map(|result| format!("{}: {:?}", result.name, result.failed)).collect();
    assert!(failed.is_empty(), "{} fail:\n{}", failed.len(), failed.join("\n"));
}

/// Words of orders, answers and noise in any order.
fn jumble() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "leche", "coca", "2", "la", "segunda", "esa", "sin", "no", "sí", "confirmo", "cancelar",
        "por", "favor", "quiero", "el", "más", "barato", "todo", "10", "%", ";", "?", "¿", "y",
        "cambiá", "sacá", "otra", "Ana", "Mitre", "450", "nada", "grande", "de", "un", "pedido",
        "\n", "1/2", "🙂", "<b>", "--", "ahora", "mi", "nombre", "es", "perdón", "mejor",
    ]);
    prop::collection::vec(words, 1..12).prop_map(|words| words.join(" "))
}

#[test]
fn no_text_at_all_is_met_with_silence() {
    for pack in ["almacen", "somnio", "registro"] {
        let shipped = Shipped::open(pack);
        let from: Vec<Rehearsal> =
            shipped.standings.iter().map(|standing| shipped.bring(standing)).collect();
        let place = 0..from.len();
        let text = prop_oneof![2 => jumble(), 1 => "\\PC{1,60}", 1 => ".{0,30}"];
        let mut runner =
            TestRunner::new(Config { cases: 128, failure_persistence: None, ..Config::default() });
        let outcome = runner.run(&(place, text), |(place, text)| {
            let mut customer = from[place].clone();
            let before = kept(&customer);
            let happened = block_on(customer.say(&[text]));
            let wrong = wrong(&before, &customer, happened.as_ref(), Leaves::Nothing);
            let name = shipped.standings[place].name;
            prop_assert!(wrong.is_empty(), "{pack}: {name}: {wrong:?}");
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }
}
