//! The labelled orders of the grocer's pack, against a shelf: how many come out as they must.

use nlu::goods::{Act, Ask, terms};
use serde::Deserialize;
use shop::catalogue::{self, ImportProducts};
use shop::search::{Found, MatchKind};
use store::{Deed, MemoryRecords};

use crate::take::{Taken, take};

const CATALOGUE: &str = include_str!("../../../../packs/almacen/data/catalogo.csv");
const ORDERS: &str = include_str!("../../../../packs/almacen/evals/pedidos.jsonl");
/// Written by someone who had not seen the rules.
const BLIND: &str = include_str!("../../../../packs/almacen/evals/ciegos.jsonl");
/// Written so too, after the rules had been mended on those.
const BLIND_AGAIN: &str = include_str!("../../../../packs/almacen/evals/ciegos2.jsonl");

/// The least share of each that must come out right.
const ORDERS_SHARE: f64 = 0.97;
const BLIND_SHARE: f64 = 0.97;
const BLIND_AGAIN_SHARE: f64 = 0.95;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    text: String,
    asks: Vec<Wanted>,
    /// The thread that the message is part of; `other` is neither order nor question.
    thread: String,
    /// The goods it asks about.
    about: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    act: String,
    /// In units of the sku where there is one, otherwise as it was said.
    quantity: Option<f64>,
    /// A quantity that is no number of units.
    #[serde(default)]
    measured: bool,
    /// Null where the shop does not have it.
    #[serde(default, deserialize_with = "present")]
    sku: Option<Option<String>>,
    /// Items that the customer must be asked to choose from, among others.
    options: Option<Vec<String>>,
    /// The goods as they are called, where that is all that matters.
    what: Option<String>,
    size: Option<String>,
    instead_of: Option<String>,
}

fn present<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(value).map(Some)
}

#[tokio::test]
async fn orders_come_out_as_they_are_labelled() {
    share(ORDERS, 320, ORDERS_SHARE).await;
}

#[tokio::test]
async fn orders_written_blind_come_out_as_they_are_labelled() {
    share(BLIND, 150, BLIND_SHARE).await;
}

#[tokio::test]
async fn orders_written_blind_after_the_mending_come_out_as_they_are_labelled() {
    share(BLIND_AGAIN, 100, BLIND_AGAIN_SHARE).await;
}

async fn share(orders: &str, count: usize, least: f64) {
    let mut records = shop().await;
    let orders: Vec<Order> =
        orders.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert!(orders.len() >= count, "{}", orders.len());
    let mut wrong = Vec::new();
    for order in &orders {
        if let Err(why) = check(&mut records, order).await {
            wrong.push(format!("{:?}: {why}", order.text));
        }
    }
    let share = 1.0 - wrong.len() as f64 / orders.len() as f64;
    let report = wrong.join("\n");
    println!("{:.1} % of {} right\n{report}", share * 100.0, orders.len());
    assert!(share >= least, "{:.1} % right\n{report}", share * 100.0);
}

/// The pack's own shop.
async fn shop() -> MemoryRecords {
    let reading = catalogue::read(CATALOGUE.as_bytes());
    assert_eq!(reading.errors, []);
    let mut records = MemoryRecords::default();
    let products = reading.products;
    let import = ImportProducts { products, replace: false, set_stock: false, dry_run: false };
    import.run(&mut records).await.unwrap();
    records
}

async fn check(records: &mut MemoryRecords, order: &Order) -> Result<(), String> {
    let taken = take(records, &order.text).await;
    if taken.lines.len() != order.asks.len() {
        return Err(format!("heard {:?}", said(&taken)));
    }
    for ((ask, found), wanted) in taken.lines.iter().zip(&order.asks) {
        same(ask, found, wanted).map_err(|why| format!("{why} in {:?}", said(&taken)))?;
    }
    let thread = match (taken.lines.is_empty(), taken.questions.is_empty()) {
        (true, true) => "other",
        (true, false) => "info",
        (false, true) => "order",
        (false, false) => "mixed",
    };
    // An order whose only ask hangs on a condition is still one.
    if thread != order.thread && !(order.thread == "mixed" && order.asks.is_empty()) {
        return Err(format!("thread {thread}"));
    }
    let about = taken.questions.iter().find_map(|question| question.about.as_deref());
    (about == order.about.as_deref()).then_some(()).ok_or(format!("about {about:?}"))
}

fn said(taken: &Taken) -> Vec<String> {
    let ask = |(ask, _): &(Ask, Found)| {
        format!("{:?} {:?} {:?}", ask.act, ask.quantity.map(|q| (q.value, q.unit)), ask.what)
    };
    taken.lines.iter().map(ask).collect()
}

fn same(ask: &Ask, found: &Found, wanted: &Wanted) -> Result<(), String> {
    let act = match ask.act {
        Act::Add => "add",
        Act::Remove => "remove",
        Act::Set => "set",
        Act::Replace => "replace",
    };
    if act != wanted.act {
        return Err(format!("act {act}"));
    }
    let instead_of = ask.instead_of.as_deref();
    if instead_of != wanted.instead_of.as_deref() {
        return Err(format!("instead of {instead_of:?}"));
    }
    if let Some(what) = &wanted.what {
        let size = ask.size.map(|size| size.key());
        let named = terms(what) == terms(&ask.what) && (!what.is_empty() || size == wanted.size);
        return named.then_some(()).ok_or(format!("what {:?} {size:?}", ask.what));
    }
    let skus: Vec<&str> = found.items.iter().map(|hit| hit.item.sku.as_str()).collect();
    let is_right = match (&wanted.sku, &wanted.options) {
        (Some(Some(sku)), _) => found.kind == MatchKind::One && skus == [sku],
        (_, Some(options)) => {
            found.kind == MatchKind::Several
                && options.iter().all(|sku| skus.contains(&sku.as_str()))
        }
        _ => found.kind == MatchKind::Nothing,
    };
    if !is_right {
        return Err(format!("found {:?} {skus:?}", found.kind));
    }
    let units = match (found.kind, found.items.first().and_then(|hit| hit.units)) {
        (MatchKind::One, units) => units.map(f64::from),
        _ => ask.quantity.and_then(|quantity| quantity.value.to_string().parse().ok()),
    };
    let counted = wanted.measured || units == wanted.quantity;
    counted.then_some(()).ok_or(format!("quantity {units:?}"))
}
