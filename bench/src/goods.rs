//! The cost of an order: hearing a message, and finding its goods among twenty thousand products.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::Result;
use async_trait::async_trait;
use domain::{ChannelKind, Clock, Currency, SystemClock, Ticks, Workspace};
use nlu::goods::{hear, terms};
use serde_json::{Value, json};
use shop::catalogue::{ImportProducts, Listed, ListedVariant};
use shop::search::search;
use store::{Deed, DeedError, Records, Store};
use uuid::Uuid;

use crate::measure::Measures;
use crate::plan::Plan;
use crate::rig;
use crate::spread::Spread;
use crate::stopwatch::Stopwatch;

const ORDERS: [&str; 8] = [
    "2 cocas de litro y medio y una fanta naranja chica",
    "hola buenas, me das 2 kg de papa, medio kilo de pan y una docena de huevos porfa",
    "sacá la fanta y poné 3 cocas de 2.25",
    "tenés yerba playadito? mandame 1 de kilo",
    "agregá 2 pepsi, ¿hasta qué hora abren?",
    "coca cola 1.5 x 2\nsprite 2.25 x 1\nleche entera x 3",
    "cambiá la pepsi por coca de litro y medio",
    "eh buenas quería ver si me podías mandar dos cocas de dos veinticinco y un pan lactal gracias",
];

/// Words of names; a product is one of each.
const KINDS: [&str; 40] = [
    "Aceite",
    "Aceitunas",
    "Agua",
    "Alfajor",
    "Arroz",
    "Atún",
    "Avena",
    "Azúcar",
    "Café",
    "Cerveza",
    "Champú",
    "Chocolate",
    "Choclo",
    "Crema",
    "Desodorante",
    "Detergente",
    "Dulce",
    "Esponja",
    "Fideos",
    "Galletitas",
    "Gaseosa",
    "Harina",
    "Helado",
    "Jabón",
    "Jugo",
    "Lavandina",
    "Leche",
    "Lentejas",
    "Manteca",
    "Mayonesa",
    "Mermelada",
    "Miel",
    "Mostaza",
    "Pan",
    "Papel",
    "Polenta",
    "Queso",
    "Sal",
    "Vino",
    "Yerba",
];
const TASTES: [&str; 10] = [
    "clásica", "durazno", "frutilla", "integral", "limón", "manzana", "naranja", "pomelo", "suave",
    "vainilla",
];
const BRANDS: usize = 50;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let passes = plan.pick(500, 20);
    let hearing = |at: usize| drop(black_box(hear(ORDERS[at])));
    measures.add("goods.hear", median_us(passes, hearing));
    let naming = |at: usize| drop(black_box(terms(ORDERS[at])));
    measures.add("goods.terms", median_us(passes, naming));
    let database = plan.empty_database().await?;
    rig::prepare(&database, ChannelKind::Webchat, "demo").await?;
    let store = database.open().await?;
    let catalogue = catalogue()?;
    let watch = Stopwatch::start();
    fill(&*store, &catalogue).await?;
    measures.add("goods.import", catalogue.len() as f64 / watch.seconds());
    let workspace = Workspace::named(rig::WORKSPACE).id;
    for (name, query) in [
        ("goods.search", "yerba don bruno suave 500"),
        ("goods.search_common", "yerba"),
        ("goods.search_commonest", "don suave"),
        ("goods.search_mended", "yerba doña carmneza suave 500"),
        ("goods.search_nothing", "fernet branca"),
    ] {
        let mut readings = Vec::new();
        for _ in 0..plan.pick(200, 20) {
            let (deed, now) = (Arc::new(Find(query)), SystemClock::default().now());
            let watch = Stopwatch::start();
            black_box(store.consult(workspace, deed, now).await?);
            readings.push(watch.nanos() as f64 / 1000.0);
        }
        measures.add(name, Spread::of(readings).p50());
    }
    Ok(())
}

/// Looks for goods as a tool does; how many it found.
struct Find(&'static str);

#[async_trait]
impl Deed for Find {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        Ok(json!(search(records, self.0, 10).await?.items.len()))
    }
}

/// Microseconds a message, in the median of many passes over all of them.
fn median_us(passes: usize, part: impl Fn(usize)) -> f64 {
    let mut readings = Vec::new();
    for _ in 0..passes {
        let watch = Stopwatch::start();
        (0..ORDERS.len()).for_each(&part);
        readings.push(watch.nanos() as f64 / 1000.0 / ORDERS.len() as f64);
    }
    Spread::of(readings).p50()
}

async fn fill(store: &dyn Store, catalogue: &[Listed]) -> Result<()> {
    let workspace = Workspace::named(rig::WORKSPACE).id;
    for (at, products) in (1..).zip(catalogue.chunks(ImportProducts::BATCH)) {
        let import = ImportProducts {
            products: products.to_vec(),
            replace: false,
            set_stock: false,
            dry_run: false,
        };
        let (id, now) = (Uuid::from_u128(at), SystemClock::default().now());
        store
            .perform(workspace, "bench", "catalogue.import", "goods", id, Arc::new(import), now)
            .await?;
    }
    Ok(())
}

fn catalogue() -> Result<Vec<Listed>> {
    let currency: Currency = "ARS".parse()?;
    let mut all = Vec::new();
    for (place, kind) in KINDS.into_iter().enumerate() {
        for taste in TASTES {
            for brand in 0..BRANDS {
                let product = format!("{place}-{taste}-{brand}");
                let variant = |label: &str| ListedVariant {
                    sku: format!("{product}-{label}"),
                    label: label.to_owned(),
                    price: 100.into(),
                    currency,
                    stock: Some(10),
                    aliases: Vec::new(),
                    active: true,
                    data: None,
                };
                all.push(Listed {
                    name: format!("{kind} {} {taste}", brand_name(brand)),
                    category: kind.to_owned(),
                    brand: Some(brand_name(brand)),
                    description: String::new(),
                    aliases: Vec::new(),
                    variants: vec![variant("500 g"), variant("1 kg")],
                    product,
                });
            }
        }
    }
    Ok(all)
}

fn brand_name(number: usize) -> String {
    const FIRST: [&str; 5] = ["Don", "Doña", "La", "San", "Los"];
    const SECOND: [&str; 10] = [
        "Bruno",
        "Carmenza",
        "Delicia",
        "Esperanza",
        "Fortín",
        "Gauchos",
        "Huerta",
        "Ignacio",
        "Jilgueros",
        "Lucero",
    ];
    format!("{} {}", FIRST[number % FIRST.len()], SECOND[number / FIRST.len() % SECOND.len()])
}
