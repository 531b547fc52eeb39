//! Finding variants by the words of a customer.

use domain::{Item, Product};
use nlu::Normalized;
use store::{Posting, Records, StoreResult};

/// What a query led to.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub items: Vec<Hit>,
    pub verdict: Verdict,
    /// What else there is if what was asked for is out of stock.
    pub alternatives: Vec<Item>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub item: Item,
    pub score: f32,
}

/// Whether it is clear what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    One,
    Several,
    Nothing,
}

/// Under which terms each variant of a product is found.
pub fn index_terms(product: &Product) -> Vec<Posting> {
    let mut postings = Vec::new();
    for variant in &product.variants {
        let words = [&product.name, &variant.label].into_iter();
        let words = words.chain(&product.aliases).chain(&variant.aliases).chain(&product.brand);
        let mut terms: Vec<_> = words.flat_map(|text| terms(text)).collect();
        terms.sort();
        terms.dedup();
        let posting = |term| Posting { term, sku: variant.sku.clone(), weight: 1 };
        postings.extend(terms.into_iter().map(posting));
    }
    postings
}

/// What a query means among what is sold.
pub async fn search(records: &mut dyn Records, query: &str, limit: usize) -> StoreResult<Found> {
    let terms = terms(query);
    let postings = records.postings(&terms, 100).await?;
    let mut skus: Vec<_> = postings.iter().map(|posting| posting.sku.clone()).collect();
    skus.sort();
    skus.dedup();
    let all_terms = |item: &Item| {
        terms.iter().all(|term| postings.iter().any(|p| p.sku == item.sku && p.term == *term))
    };
    let mut items = records.items(&skus).await?;
    items.retain(all_terms);
    items.sort_by(|a, b| b.popularity.cmp(&a.popularity).then_with(|| a.sku.cmp(&b.sku)));
    items.truncate(limit);
    let verdict = match items.len() {
        0 => Verdict::Nothing,
        1 => Verdict::One,
        _ => Verdict::Several,
    };
    let items = items.into_iter().map(|item| Hit { item, score: 1.0 }).collect();
    Ok(Found { items, verdict, alternatives: Vec::new() })
}

fn terms(text: &str) -> Vec<String> {
    Normalized::new(text).words().iter().map(|word| word.text.clone()).collect()
}
