//! Whether what was found is one thing, several to choose from, or nothing.

use std::cmp::Reverse;

use domain::Item;
use nlu::goods::Size;
use store::{Records, StoreResult};

use super::candidates::{self, Candidate};
use super::fit::{self, size_of};
use super::index::{DESCRIPTION, WHOLE};
use super::{Found, Hit, MOST_OPTIONS, MatchKind, Query};

/// An item that scores this much less than the best was not meant.
const CLEARLY_LESS: u32 = 15;
/// Variants read that are called by a size.
const CALLED: u32 = 1_000;
/// Read of a category to offer something from it.
const CATEGORY: u32 = 30;

pub(super) async fn reach(
    records: &mut dyn Records,
    query: &Query,
    limit: usize,
) -> StoreResult<Found> {
    let limit = limit.min(MOST_OPTIONS);
    let found = candidates::find(records, query).await?;
    if found.full.is_empty() {
        return Ok(nothing(found.partial, limit));
    }
    let best = found.full[0].score;
    // A word that only stands in a description does not name the goods.
    if best <= DESCRIPTION {
        return Ok(nothing(found.full, limit));
    }
    let (mut meant, others): (Vec<_>, Vec<_>) = found.full.into_iter().partition(|candidate| {
        let contained = candidate.contained && candidate.score >= WHOLE / 2;
        contained || candidate.score + CLEARLY_LESS > best
    });
    if meant.iter().any(|candidate| candidate.contained) {
        meant.retain(|candidate| candidate.contained);
    }
    let mut hits = fitting(query, &meant);
    // `agua de 2 litros` is the one that has the size, though another is called just `agua`.
    if hits.is_empty() && !query.sizes.is_empty() {
        let called = others.into_iter().filter(|candidate| candidate.score >= WHOLE / 2);
        hits = fitting(query, &called.collect::<Vec<_>>());
    }
    if hits.is_empty() {
        hits = called_so(records, query, &meant).await?;
    }
    match hits.len() {
        0 => Ok(nothing(meant, limit)),
        1 if !(query.counts_pieces() && fit::is_loose(&hits[0].item)) => {
            one(records, hits, limit).await
        }
        _ => several(records, hits, limit).await,
    }
}

fn nothing(instead: Vec<Candidate>, limit: usize) -> Found {
    let on_shelf = instead.into_iter().filter(|candidate| candidate.item.available > 0);
    let hits =
        on_shelf.map(|candidate| Hit { item: candidate.item, score: candidate.score, units: None });
    let alternatives = in_order(hits.collect()).into_iter().map(|hit| hit.item).take(limit);
    Found { kind: MatchKind::Nothing, items: Vec::new(), alternatives: alternatives.collect() }
}

/// `3 stella de litro`: those whose own names have the size that was said, whatever they hold.
async fn called_so(
    records: &mut dyn Records,
    query: &Query,
    meant: &[Candidate],
) -> StoreResult<Vec<Hit>> {
    let [size @ (Size::Millilitres(_) | Size::Grams(_) | Size::Relative(_))] = query.sizes[..]
    else {
        return Ok(Vec::new());
    };
    let called = records.postings(&[size.key()], CALLED).await?;
    let is_called =
        |candidate: &&Candidate| called.iter().any(|posting| posting.sku == candidate.item.sku);
    let meant: Vec<Candidate> = meant.iter().filter(is_called).cloned().collect();
    Ok(fitting(&Query { sizes: Vec::new(), ..query.clone() }, &meant))
}

/// The hits in the size that was said, or in which the quantity can be had.
fn fitting(query: &Query, meant: &[Candidate]) -> Vec<Hit> {
    let sized = meant.iter().filter(|candidate| {
        let item = &candidate.item;
        let siblings: Vec<&Item> = meant
            .iter()
            .map(|other| &other.item)
            .filter(|other| other.product == item.product)
            .collect();
        query.sizes.iter().all(|size| fit::has_size(*size, item, &siblings))
    });
    let sized: Vec<&Candidate> = sized.collect();
    let hit = |candidate: &Candidate, units| Hit {
        item: candidate.item.clone(),
        score: candidate.score,
        units,
    };
    if let Some(measure) = query.measure {
        let measured = sized.iter().filter_map(|candidate| {
            Some(hit(candidate, Some(fit::measured(measure, &candidate.item)?)))
        });
        return fewest_units(measured.collect());
    }
    let packed = |pieces: &u32| are_boxes(&sized) || are_dozens(*pieces, query, &sized);
    if let Some(pieces) = query.pieces.filter(packed) {
        let boxed = sized.iter().filter_map(|candidate| {
            Some(hit(candidate, Some(fit::boxed(pieces, &candidate.item)?)))
        });
        let boxed = fewest_units(boxed.collect());
        if !boxed.is_empty() {
            return boxed;
        }
        return sized.into_iter().map(|candidate| hit(candidate, None)).collect();
    }
    sized.into_iter().map(|candidate| hit(candidate, query.pieces)).collect()
}

/// Whether everything meant is sold several at a time, in more than one number: eggs are.
fn are_boxes(sized: &[&Candidate]) -> bool {
    let boxed = |candidate: &&Candidate| matches!(size_of(&candidate.item), Some(Size::Units(of)) if of > 1);
    sized.len() > 1 && sized.iter().all(boxed)
}

/// The least number that is sold as one where nobody says the pack.
const DOZEN: u32 = 12;

/// Whether pieces are wanted of what comes a dozen or more together, and no packs of it.
fn are_dozens(pieces: u32, query: &Query, sized: &[&Candidate]) -> bool {
    let dozens = |candidate: &&Candidate| matches!(size_of(&candidate.item), Some(Size::Units(of)) if of >= DOZEN);
    pieces >= DOZEN && query.containers.is_empty() && !sized.is_empty() && sized.iter().all(dozens)
}

/// Of each product, the variant that takes the fewest units.
fn fewest_units(hits: Vec<Hit>) -> Vec<Hit> {
    let fewest = |product: &str| {
        hits.iter().filter(|hit| hit.item.product == product).filter_map(|hit| hit.units).min()
    };
    hits.iter().filter(|hit| hit.units == fewest(&hit.item.product)).cloned().collect()
}

async fn one(records: &mut dyn Records, hits: Vec<Hit>, limit: usize) -> StoreResult<Found> {
    let alternatives = match hits.iter().find(|hit| hit.item.available == 0) {
        Some(gone) => instead_of(records, &gone.item, limit).await?,
        None => Vec::new(),
    };
    Ok(Found { kind: MatchKind::One, items: hits, alternatives })
}

/// Items on the shelf of the same product, then of its category.
async fn instead_of(
    records: &mut dyn Records,
    gone: &Item,
    limit: usize,
) -> StoreResult<Vec<Item>> {
    let skus: Vec<String> = match records.product(&gone.product).await? {
        Some(product) => product.variants.into_iter().map(|variant| variant.sku).collect(),
        None => Vec::new(),
    };
    let mut instead = records.items(&skus).await?;
    instead.sort_by_key(|item| (size_of(item), item.sku.clone()));
    let category = records.in_category(&gone.category, CATEGORY).await?;
    let others = category.into_iter().filter(|item| item.product != gone.product);
    instead.extend(others);
    instead.retain(|item| item.available > 0);
    instead.truncate(limit);
    Ok(instead)
}

/// To choose from: what is on the shelf, product by product, each from small to large.
async fn several(records: &mut dyn Records, hits: Vec<Hit>, limit: usize) -> StoreResult<Found> {
    let mut shown: Vec<Hit> = hits.iter().filter(|hit| hit.item.available > 0).cloned().collect();
    let alternatives = match shown.is_empty() {
        true => instead_of(records, &hits[0].item, limit).await?,
        false => Vec::new(),
    };
    if shown.is_empty() {
        shown = hits;
    }
    let mut items = in_order(shown);
    if items.len() > limit {
        items = most_different(items, limit);
    }
    Ok(Found { kind: MatchKind::Several, items, alternatives })
}

fn in_order(mut hits: Vec<Hit>) -> Vec<Hit> {
    // A product stands where its most bought variant would.
    let place = |product: &str, hits: &[Hit]| {
        let of_product = hits.iter().filter(|hit| hit.item.product == product);
        of_product.map(|hit| (hit.score, hit.item.popularity)).max().unwrap_or_default()
    };
    let keys: Vec<_> = hits
        .iter()
        .map(|hit| {
            let product = &hit.item.product;
            (Reverse(place(product, &hits)), product.clone(), size_of(&hit.item))
        })
        .collect();
    let mut keyed: Vec<_> = keys.into_iter().zip(hits.drain(..)).collect();
    keyed.sort_by(|(a, hit_a), (b, hit_b)| a.cmp(b).then(hit_a.item.sku.cmp(&hit_b.item.sku)));
    keyed.into_iter().map(|(_, hit)| hit).collect()
}

/// When not all can be shown: of each product its most bought variant, as far as they go.
fn most_different(hits: Vec<Hit>, limit: usize) -> Vec<Hit> {
    let best = |hit: &Hit| {
        let of_product = hits.iter().filter(|other| other.item.product == hit.item.product);
        of_product.max_by_key(|other| (other.item.popularity, Reverse(other.item.sku.clone())))
    };
    let is_best = |hit: &&Hit| best(hit).is_some_and(|best| best.item.sku == hit.item.sku);
    let mut kept: Vec<String> =
        hits.iter().filter(is_best).take(limit).map(|hit| hit.item.sku.clone()).collect();
    for hit in &hits {
        if kept.len() < limit && !kept.contains(&hit.item.sku) {
            kept.push(hit.item.sku.clone());
        }
    }
    hits.into_iter().filter(|hit| kept.contains(&hit.item.sku)).collect()
}
