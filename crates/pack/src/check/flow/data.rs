//! States of what a flow has collected, with what follows from them: `faltan` and `minimos`.

use serde_json::{Map, Value as Json, json};

use super::scope::{Field, Scope};
use super::worlds::{Uses, subsets};
use crate::Facts;

/// More states than these are not all tried.
const MOST: usize = 2_000;

/// States of the data that may make a difference, and whether they are all such.
pub(super) fn states(scope: &Scope<'_>, uses: &Uses) -> (Vec<Facts>, bool) {
    let asks_minimum = uses.has("minimos") || uses.has("faltan");
    let relevant: Vec<&Field<'_>> = scope
        .fields
        .iter()
        .filter(|field| {
            let written = || uses.texts.iter().any(|text| text == field.name);
            uses.keys.iter().any(|key| key == field.name)
                || written()
                || (asks_minimum && scope.minimum.contains(&field.name))
                || (asks_minimum && scope.sometimes.contains(&field.name))
        })
        .collect();
    let names: Vec<&str> = relevant.iter().map(|field| field.name).collect();
    let mut states = Vec::new();
    let mut sure = true;
    for present in subsets(&names) {
        let fields = relevant.iter().filter(|field| present.contains(&field.name));
        let (data, all) = filled(fields.copied(), uses);
        sure &= all;
        for data in data {
            states.push(state(scope, data.clone(), &[]));
            // Whether those are needed is for other facts to say.
            if asks_minimum && !scope.sometimes.is_empty() {
                states.push(state(scope, data.clone(), &scope.sometimes));
            }
            let declined: Vec<&str> = scope
                .fields
                .iter()
                .filter(|field| field.is_optional && !data.contains_key(field.name))
                .map(|field| field.name)
                .collect();
            if asks_minimum && declined.iter().any(|name| scope.minimum.contains(name)) {
                states.push(state(scope, data, &declined));
            }
        }
    }
    let everything = scope.fields.iter().map(|field| (field.name.to_owned(), sample(field)));
    states.push(state(scope, everything.collect(), &[]));
    (states, sure)
}

/// The facts of collected data; `declined` are fields the customer goes without.
fn state(scope: &Scope<'_>, data: Map<String, Json>, declined: &[&str]) -> Facts {
    let has = |name: &&&str| data.contains_key(**name) || declined.contains(*name);
    let needed = scope.minimum.iter().chain(&scope.sometimes);
    let missing: Vec<&str> = needed.filter(|name| !has(name)).copied().collect();
    Map::from_iter([
        ("minimos".to_owned(), json!(missing.is_empty())),
        ("faltan".to_owned(), json!(missing)),
        ("datos".to_owned(), Json::Object(data)),
    ])
}

/// Every way to fill the fields that an expression looks into; the others have any value.
fn filled<'a>(
    fields: impl Iterator<Item = &'a Field<'a>>,
    uses: &Uses,
) -> (Vec<Map<String, Json>>, bool) {
    let mut all = vec![Map::new()];
    let mut sure = true;
    for field in fields {
        let mut values = vec![sample(field)];
        if uses.keys.iter().any(|key| key == field.name) {
            match field.is_number {
                true => values.extend(uses.numbers(&[0.0, 1_000_000.0])),
                false => values.extend(uses.texts.iter().map(|text| json!(text))),
            }
        }
        let mut next = Vec::new();
        for data in &all {
            for value in &values {
                let mut data = data.clone();
                data.insert(field.name.to_owned(), value.clone());
                next.push(data);
            }
        }
        sure &= next.len() <= MOST;
        next.truncate(MOST);
        all = next;
    }
    (all, sure)
}

fn sample(field: &Field<'_>) -> Json {
    if field.is_number { json!(1) } else { json!("x") }
}
