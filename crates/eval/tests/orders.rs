//! The labelled messages of the grocer's pack, written to the agent itself: whether the cart, what it
//! asks back and what it says it lacks are as a shopkeeper would have them. No model takes part.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use agents::{Agent, FlowAgent};
use domain::Ticks;
use eval::{Happened, Rehearsal, Stage};
use futures::executor::block_on;
use pack::files::Case;
use pack::{Pack, Source};
use serde_json::Value;
use tools::Registry;

struct Still;

impl Ticks for Still {
    fn nanos(&self) -> u64 {
        0
    }
}

/// The pack's shop on a weekday afternoon.
struct Shop {
    agent: Arc<dyn Agent>,
    stage: Stage,
    source: Source,
}

impl Shop {
    fn open() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/almacen");
        let source = Source::read(&folder).unwrap_or_else(|findings| panic!("{findings}"));
        let read = pack::read(&source).unwrap_or_else(|findings| panic!("{findings}"));
        let pack: Arc<Pack> = Arc::new(read.pack);
        let pack::Agent::Flow(spec) = &pack.agents[0].agent else { panic!("a flow") };
        let agent = FlowAgent::new("almacen", Arc::clone(&pack), spec, &source, Arc::new(Still));
        let stage = Stage::of(&pack, &source).unwrap();
        Self { agent: Arc::new(agent.unwrap()), stage, source }
    }

    /// What comes of a first message.
    fn hears(&self, text: &str) -> Happened {
        let case = Case { now: Some("2026-11-17T15:00".to_owned()), ..Case::default() };
        let now = self.stage.time(&case).unwrap().unwrap();
        let records = self.stage.set(&case, now).unwrap();
        let agent = Arc::clone(&self.agent);
        let mut customer = Rehearsal::new(agent, Registry::builtin(), now).with_records(records);
        block_on(customer.say(&[text.to_owned()])).unwrap()
    }
}

/// Units by sku.
type Goods = BTreeMap<String, u64>;

fn cart(happened: &Happened) -> Goods {
    let answers = happened.tools.iter().rev().filter(|used| used.ok);
    let cart = answers.filter_map(|used| used.output.get("lines")?.as_array()).next();
    let line = |line: &Value| Some((line["sku"].as_str()?.to_owned(), line["quantity"].as_u64()?));
    cart.into_iter().flatten().filter_map(line).collect()
}

/// Why a message came out otherwise than labelled.
fn mistake(happened: &Happened, order: &Value) -> Option<String> {
    let asks = order["asks"].as_array().unwrap();
    let mut wanted = Goods::new();
    for ask in asks {
        if let Some(sku) = ask["sku"].as_str() {
            let units = ask["quantity"].as_f64().unwrap_or(1.0);
            *wanted.entry(sku.to_owned()).or_default() += units as u64;
        }
    }
    let got = cart(happened);
    if got != wanted {
        return Some(format!("the cart is {got:?}, not {wanted:?}"));
    }
    let asks_back = asks.iter().any(|ask| ask.get("options").is_some());
    if asks_back == happened.options.is_empty() {
        return Some(format!("it offers {:?}", happened.options));
    }
    let unsold = |ask: &Value| ask.get("sku").is_some_and(Value::is_null);
    let lacks = order.get("about").is_some() || asks.iter().any(unsold);
    let regrets = happened.replies.iter().any(|reply| reply.contains("No encontré"));
    (regrets && !lacks).then(|| happened.replies.join(" "))
}

/// The messages that only put something into the cart, or order nothing: all that can be told from
/// a first message.
fn share(shop: &Shop, file: &str, least: f64) {
    let (mut all, mut mistakes) = (0, Vec::new());
    for line in shop.source.get(file).unwrap().lines() {
        let order: Value = serde_json::from_str(line).unwrap();
        let (text, asks) = (order["text"].as_str().unwrap(), order["asks"].as_array().unwrap());
        if asks.iter().any(|ask| ask["act"] != "add" || ask.get("what").is_some()) {
            continue;
        }
        all += 1;
        let mistake = mistake(&shop.hears(text), &order);
        mistakes.extend(mistake.map(|why| format!("{text:?}: {why}")));
    }
    let share = 100.0 - mistakes.len() as f64 * 100.0 / f64::from(all);
    let report = format!("{file}: {share:.1} % of {all}\n{}", mistakes.join("\n"));
    println!("{report}");
    assert!(share >= least, "{report}");
}

#[test]
fn customers_get_what_they_wrote_for() {
    let shop = Shop::open();
    share(&shop, "evals/pedidos.jsonl", 97.0);
    share(&shop, "evals/ciegos.jsonl", 96.0);
    share(&shop, "evals/ciegos2.jsonl", 93.0);
}
