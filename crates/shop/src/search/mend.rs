//! A word that is in no index, read as the word it was meant to be.

use std::collections::HashMap;

use domain::Product;
use nlu::goods::{Term, shapes, terms};
use store::{Records, StoreResult};

use super::index::SHORTEST_MENDED;

/// Postings read for each shape of a word.
const POSTINGS: u32 = 100;
/// Variants whose words are compared.
const VARIANTS: usize = 30;
/// Products whose words are compared.
const PRODUCTS: usize = 8;
/// A word of two that were written as one has at least so many letters each.
const SHORTEST_HALF: usize = 3;

/// The words meant: one with a slip mended, or two that were written together.
pub(super) async fn mended(
    records: &mut dyn Records,
    word: &str,
) -> StoreResult<Option<Vec<String>>> {
    if word.chars().count() < SHORTEST_MENDED {
        return Ok(None);
    }
    if let Some(meant) = nearest(records, word).await? {
        return Ok(Some(vec![meant]));
    }
    halves(records, word).await
}

async fn nearest(records: &mut dyn Records, word: &str) -> StoreResult<Option<String>> {
    let mut shared: HashMap<String, u32> = HashMap::new();
    for posting in records.postings(&shapes(word), POSTINGS).await? {
        *shared.entry(posting.sku).or_default() += 1;
    }
    let mut skus: Vec<(String, u32)> = shared.into_iter().collect();
    skus.sort_by(|(a, shared_a), (b, shared_b)| (shared_b, a).cmp(&(shared_a, b)));
    skus.truncate(VARIANTS);
    let skus: Vec<String> = skus.into_iter().map(|(sku, _)| sku).collect();
    let items: HashMap<String, String> =
        records.items(&skus).await?.into_iter().map(|item| (item.sku, item.product)).collect();
    let mut products: Vec<&String> = Vec::new();
    for product in skus.iter().filter_map(|sku| items.get(sku)) {
        if !products.contains(&product) && products.len() < PRODUCTS {
            products.push(product);
        }
    }
    let mut best: Option<(usize, String)> = None;
    for id in products {
        let Some(product) = records.product(id).await? else { continue };
        for candidate in words_of(&product) {
            if let Some(slips) = slips(word, &candidate)
                && best.as_ref().is_none_or(|(fewest, _)| slips < *fewest)
            {
                best = Some((slips, candidate));
            }
        }
    }
    Ok(best.map(|(_, meant)| meant))
}

fn words_of(product: &Product) -> Vec<String> {
    let aliases = product.aliases.iter().chain(product.variants.iter().flat_map(|v| &v.aliases));
    let texts = std::iter::once(&product.name).chain(aliases).chain(&product.brand);
    let words = texts.flat_map(|text| terms(text)).filter_map(|term| match term {
        Term::Word(word) => Some(word),
        _ => None,
    });
    words.collect()
}

/// How many slips lie between a word and the one meant, if they can be slips: more in a longer
/// word, and never in the first letter, since otherwise words of other things are found.
fn slips(word: &str, meant: &str) -> Option<usize> {
    let length = word.chars().count().min(meant.chars().count());
    let most = match length {
        0..SHORTEST_MENDED => return None,
        4..=6 => 1,
        _ => 2,
    };
    let slips = strsim::osa_distance(word, meant);
    (slips <= most && word.chars().next() == meant.chars().next()).then_some(slips)
}

async fn halves(records: &mut dyn Records, word: &str) -> StoreResult<Option<Vec<String>>> {
    let letters: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
    let last = letters.len().saturating_sub(SHORTEST_HALF);
    let cuts: Vec<(String, String)> = letters
        .iter()
        .take(last + 1)
        .skip(SHORTEST_HALF)
        .map(|at| (word[..*at].to_owned(), word[*at..].to_owned()))
        .collect();
    let parts: Vec<String> = cuts.iter().flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
    if parts.is_empty() {
        return Ok(None);
    }
    let known = records.postings(&parts, 1).await?;
    let is_known = |part: &String| known.iter().any(|posting| posting.term == *part);
    let cut = cuts.into_iter().find(|(a, b)| is_known(a) && is_known(b));
    Ok(cut.map(|(a, b)| vec![a, b]))
}
