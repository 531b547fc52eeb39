//! The goods on sale: looked for, looked at, listed.

use async_trait::async_trait;
use domain::{Item, Product};
use nlu::Normalized;
use nlu::goods::{Act, hear};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};

use crate::Request;
use crate::search::{Found, Hit, MOST_OPTIONS, MatchKind, search, seek};
use crate::view;

/// How much is told where nothing else is said.
const OF_A_CATEGORY: u32 = 20;
const OF_EACH_CATEGORY: u32 = 3;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// The customer's own words for it, with how many if that was said: `2 cocas de litro y medio`.
    #[schemars(length(min = 1, max = 200))]
    query: String,
    #[schemars(range(min = 1, max = 10))]
    limit: Option<usize>,
    /// The query is a sku, to the letter.
    #[serde(default)]
    by_sku: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Details {
    /// The code of a variant.
    #[schemars(length(min = 1, max = 64))]
    sku: Option<String>,
    /// The code of a product.
    #[schemars(length(min = 1, max = 64))]
    product: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Categories {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// All of them if left out.
    #[schemars(length(min = 1, max = 100))]
    category: Option<String>,
    /// How many of each category.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u32>,
}

/// The item with this very code, as catalogues outside name what is picked from them.
async fn coded(records: &mut dyn Records, sku: &str) -> Result<Found, DeedError> {
    let item = records.items(&[sku.to_owned()]).await?.into_iter().next();
    let kind = if item.is_some() { MatchKind::One } else { MatchKind::Nothing };
    let items = item.into_iter().map(|item| Hit { item, score: 100, units: None }).collect();
    Ok(Found { kind, items, alternatives: Vec::new() })
}

#[async_trait]
impl Deed for Request<Search> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let Search { query, limit, by_sku } = &self.input;
        let limit = limit.unwrap_or(MOST_OPTIONS);
        let found = match hear(query).asks.as_slice() {
            _ if *by_sku => coded(records, query).await?,
            // «una docena de huevos»: how many are wanted says which box.
            [ask] if ask.act == Act::Add => seek(records, ask, limit).await?,
            _ => search(records, query, limit).await?,
        };
        let kind = match found.kind {
            MatchKind::One => "one",
            MatchKind::Several => "several",
            MatchKind::Nothing => "nothing",
        };
        let shown = |hit: &Hit| {
            let mut item = view::item(&hit.item);
            item["score"] = json!(hit.score);
            item["units"] = json!(hit.units);
            item
        };
        let items: Vec<_> = found.items.iter().map(shown).collect();
        let alternatives = view::items(&found.alternatives);
        Ok(json!({ "match": kind, "items": items, "alternatives": alternatives }))
    }
}

#[async_trait]
impl Deed for Request<Details> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let (named, id) = match (&self.input.sku, &self.input.product) {
            (Some(sku), None) => {
                let items = records.items(std::slice::from_ref(sku)).await?;
                (sku, items.into_iter().next().map(|item| item.product))
            }
            (None, Some(product)) => (product, Some(product.clone())),
            _ => return DeedError::refused("name either a `sku` or a `product`"),
        };
        let product = match id {
            Some(id) => records.product(&id).await?.filter(|product| product.active),
            None => None,
        };
        match product {
            Some(product) => details(records, &product).await,
            None => DeedError::refused(format!("`{named}` is not sold: look with search_products")),
        }
    }
}

async fn details(records: &mut dyn Records, product: &Product) -> Result<Value, DeedError> {
    let skus: Vec<_> = product.variants.iter().map(|variant| variant.sku.clone()).collect();
    let mut sold = records.items(&skus).await?;
    let place = |item: &Item| skus.iter().position(|sku| *sku == item.sku);
    sold.sort_by_key(place);
    Ok(json!({
        "product": product.id, "name": product.name, "category": product.category,
        "brand": product.brand, "description": product.description,
        "variants": view::items(&sold),
    }))
}

#[async_trait]
impl Deed for Request<Categories> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let categories = records.categories().await?;
        let view = |(name, products): (String, u32)| json!({ "name": name, "products": products });
        Ok(json!({ "categories": categories.into_iter().map(view).collect::<Vec<_>>() }))
    }
}

#[async_trait]
impl Deed for Request<Catalog> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let all = records.categories().await?;
        let (chosen, limit) = match &self.input.category {
            Some(asked) => (vec![named(&all, asked)?], OF_A_CATEGORY),
            None => (all, OF_EACH_CATEGORY),
        };
        let mut categories = Vec::new();
        for (name, products) in chosen {
            let items = records.in_category(&name, self.input.limit.unwrap_or(limit)).await?;
            let items = view::items(&items);
            categories.push(json!({ "name": name, "products": products, "items": items }));
        }
        Ok(json!({ "categories": categories }))
    }
}

/// The category of that name, whatever its accents and capitals.
fn named(all: &[(String, u32)], asked: &str) -> Result<(String, u32), DeedError> {
    let plain = |text: &str| Normalized::new(text).plain().to_owned();
    let wanted = plain(asked);
    match all.iter().find(|(name, _)| plain(name) == wanted) {
        Some(category) => Ok(category.clone()),
        None => {
            let names: Vec<_> = all.iter().map(|(name, _)| name.as_str()).collect();
            let text = format!("there is no category `{asked}`: there are {}", names.join(", "));
            DeedError::refused(text)
        }
    }
}
