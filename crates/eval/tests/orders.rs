//! The labelled messages of the grocer's pack, written to the agent itself: whether the cart, what it
//! asks back and what it says it lacks are as a shopkeeper would have them. No model takes part.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use agents::{Agent, FlowAgent};
use domain::{Basket, Card, Content, Picked, Ticks};
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

    /// The result of a first message.
    fn hears(&self, text: &str) -> Happened {
        self.gets(vec![Content::text(text)])
    }

    /// The outcome of first messages of any kind.
    fn gets(&self, contents: Vec<Content>) -> Happened {
        let case = Case { now: Some("2026-11-17T15:00".to_owned()), ..Case::default() };
        let now = self.stage.time(&case).unwrap().unwrap();
        let records = self.stage.set(&case, now).unwrap();
        let agent = Arc::clone(&self.agent);
        let mut customer = Rehearsal::new(agent, Registry::builtin(), now).with_records(records);
        block_on(customer.send(contents)).unwrap()
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

#[test]
fn what_is_picked_from_the_channels_catalogue_is_in_the_cart_by_its_code() {
    let shop = Shop::open();
    let picked = |sku: &str, quantity: u32| Picked {
        sku: sku.to_owned(),
        quantity,
        price: Some("1".to_owned()),
        currency: Some("ARS".to_owned()),
    };
    let items = vec![
        picked("coca-cola-500", 2),
        picked("coca-cola", 5),
        picked("coca-cola-2250", 1),
        picked("fanta-naranja-500", 0),
    ];
    let basket = Content::Basket(Basket { catalog: None, items, note: None });
    let goods = |pairs: &[(&str, u64)]| -> Goods {
        pairs.iter().map(|(sku, units)| ((*sku).to_owned(), *units)).collect()
    };
    let happened = shop.gets(vec![basket.clone()]);
    let wanted = goods(&[("coca-cola-500", 2), ("coca-cola-2250", 1)]);
    assert_eq!(cart(&happened), wanted, "{:?}", happened.replies);
    let said = happened.replies.join(" ");
    assert!(said.contains("coca-cola"), "what has no such code is said to be missing: {said}");
    assert!(happened.options.is_empty(), "and is not guessed at: {:?}", happened.options);
    assert!(!said.to_lowercase().contains("fanta"), "of none nothing is said: {said}");
    let mut carts = happened.tools.iter().filter(|used| used.output.get("lines").is_some());
    let last = &carts.next_back().unwrap().output;
    assert!(last.to_string().contains("7600"), "at the shop's prices: {last}");

    let beside = shop.gets(vec![basket, Content::text("y 3 coca cola zero de 500")]);
    let mut wanted = wanted;
    wanted.insert("coca-cola-zero-500".to_owned(), 3);
    assert_eq!(cart(&beside), wanted, "{:?}", beside.replies);
}

#[test]
fn a_card_or_a_place_orders_nothing() {
    let shop = Shop::open();
    let card = Card {
        name: Some("Luis Paz".into()),
        phones: vec!["+54 9 11 5555 1234".into()],
        ..Card::default()
    };
    for content in [
        Content::Contacts { people: vec![card] },
        Content::Location { latitude: -34.6, longitude: -58.4, label: None, url: None },
        Content::Location {
            latitude: -34.6,
            longitude: -58.4,
            label: Some("Casa, Mitre 450".into()),
            url: None,
        },
    ] {
        let happened = shop.gets(vec![content.clone()]);
        assert_eq!(cart(&happened), Goods::new(), "{content:?}");
    }
}
