//! Where the search begins: the pack's own tests, played without a model, lead to every kind of place
//! that a conversation may stand in.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::{
    ContactId, ConversationId, Order, OrderId, OrderLine, OrderStatus, SessionStatus, Timestamp,
};
use futures::executor::block_on;
use llm::Script;
use pack::files::{Case, Expected, Step};
use rust_decimal::Decimal;
use serde_json::Map;
use store::{MemoryRecords, Records};
use uuid::Uuid;

use super::Prey;
use super::play::{Prices, Reached};
use super::scene::Scene;
use super::shown::Shown;
use crate::Rehearsal;
use crate::run::{begin, take};

/// The number of an order that is not the customer's, unlike any amount.
const STRANGERS: u32 = 987_654;

/// A conversation for every kind of place, the shortest ones first.
pub(super) fn starts(prey: &Prey<'_>) -> Result<Vec<Reached>, String> {
    let cases = prey.suite.cases.iter().map(|(_, _, case)| *case);
    let mut cases: Vec<&Case> = cases.filter(|case| plays(case)).collect();
    // A catalogue of the tests' own is smaller than the shop's, and shows as much.
    let small = cases.iter().any(|case| case.catalogue.is_some());
    cases.retain(|case| case.catalogue.is_some() || !small);
    cases.sort_by_key(|case| case.steps.len());
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for case in cases {
        walk(prey, case, &mut |start| {
            if seen.insert(start.scene.situation(prey, &start.shown).to_string()) {
                found.push(start);
            }
        })?;
    }
    found.sort_by_key(|start| start.story.steps.len());
    Ok(found)
}

/// A case in which no model speaks and no person takes part.
fn plays(case: &Case) -> bool {
    case.model.is_none() && case.steps.iter().all(|step| step.operator.is_none())
}

fn walk(prey: &Prey<'_>, case: &Case, each: &mut impl FnMut(Reached)) -> Result<(), String> {
    let mut rehearsal = begin(prey.suite, case)?;
    let prices = Arc::new(prices(rehearsal.records()));
    let mut records = rehearsal.records().clone();
    block_on(records.put_order(&strangers())).map_err(|error| error.to_string())?;
    rehearsal = rehearsal.with_records(records);
    // As in the test that a find is written as: there is a model, and it does not answer.
    rehearsal.with_model(&Script::default());
    let mut story = Case { steps: Vec::new(), ..case.clone() };
    let mut shown = Shown::default();
    let mut reach = |rehearsal: &Rehearsal, shown: &Shown, story: &Case| {
        let (rehearsal, shown, story) = (rehearsal.clone(), shown.clone(), story.clone());
        let (scene, prices) = (Scene::of(&rehearsal), Arc::clone(&prices));
        each(Reached { rehearsal, scene, shown, prices, story });
    };
    reach(&rehearsal, &shown, &story);
    for step in &case.steps {
        let before = Scene::of(&rehearsal);
        let turns = block_on(take(&mut rehearsal, step))?;
        shown = shown.after(prey, &turns, &[], (&before, &Scene::of(&rehearsal)));
        story.steps.push(Step { expect: Expected::default(), ..step.clone() });
        if rehearsal.status() != SessionStatus::Active {
            return Ok(());
        }
        reach(&rehearsal, &shown, &story);
    }
    Ok(())
}

fn prices(records: &MemoryRecords) -> Prices {
    let products = block_on(records.clone().products(None, u32::MAX)).unwrap_or_default();
    let variants = products.into_iter().flat_map(|product| product.variants);
    variants.map(|variant| (variant.sku, variant.price.amount)).collect()
}

/// An order of somebody else's.
fn strangers() -> Order {
    let other = Uuid::from_u128(u128::from(STRANGERS));
    let at = Timestamp::from_millis(0);
    Order {
        id: OrderId(other),
        number: STRANGERS,
        contact: ContactId(other),
        conversation: ConversationId(other),
        status: OrderStatus::Confirmed,
        lines: vec![OrderLine {
            product: "otro".to_owned(),
            title: "Otro".to_owned(),
            quantity: 1,
            unit_price: Decimal::ONE,
        }],
        currency: "USD".parse().expect("three capital letters"),
        total: Decimal::ONE,
        data: Map::new(),
        created_at: at,
        updated_at: at,
    }
}
