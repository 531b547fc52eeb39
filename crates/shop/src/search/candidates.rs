//! The variants that the words of a query lead to.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use domain::Item;
use nlu::goods::{Term, terms};
use store::{Records, StoreResult};

use super::index::WHOLE;
use super::{MOST_WORDS, Query, mend};

/// Postings read for a word; a word that has more is also looked for in what the others found.
const POSTINGS: u32 = 200;
/// Read for each where every word has more than that.
const MANY_POSTINGS: u32 = 5_000;
/// Items read for a query.
const ITEMS: usize = 100;
/// An item found by less than this of its name was not meant.
const WORTH_OFFERING: u32 = WHOLE / 2;
/// A kind of its own (`zero`, `descremada`, `sin gas`) that nobody asked for.
const UNASKED_KIND: u32 = 10;
/// An item that the query excludes.
const UNWANTED_KIND: u32 = 20;

#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) item: Item,
    pub(super) score: u32,
    /// The item is packed as the query says.
    pub(super) contained: bool,
}

/// The items that a query's words lead to.
#[derive(Default)]
pub(super) struct Candidates {
    /// Called by every word that was said, best first.
    pub(super) full: Vec<Candidate>,
    /// Called by some of them, best first; read only where none is called by all.
    pub(super) partial: Vec<Candidate>,
}

/// The variants of one word with their weights.
struct List {
    word: String,
    weights: HashMap<String, u32>,
    /// There are more than were read.
    cut: bool,
}

pub(super) async fn find(records: &mut dyn Records, query: &Query) -> StoreResult<Candidates> {
    if query.words.len() > MOST_WORDS {
        return Ok(Candidates::default());
    }
    let mut lists = lists(records, &query.words, POSTINGS).await?;
    let missed: Vec<String> = missed(&query.words, &lists);
    let mut lost = false;
    for word in missed {
        match mend::mended(records, &word).await? {
            Some(meant) => lists.extend(self::lists(records, &meant, POSTINGS).await?),
            None => lost = true,
        }
    }
    let containers = self::lists(records, &query.containers, POSTINGS).await?;
    let words: Vec<String> = lists.iter().map(|list| list.word.clone()).collect();
    if lists.len() > 1 && lists.iter().all(|list| list.cut) {
        lists = self::lists(records, &words, MANY_POSTINGS).await?;
    }
    let kind = if query.plain { UNWANTED_KIND } else { UNASKED_KIND };
    if !lost {
        let skus = in_all(&lists);
        let full = ranked(records, skus, &lists, &containers, (&words, kind)).await?;
        let full: Vec<_> = full.into_iter().filter(|found| is_called(found, &lists)).collect();
        if !full.is_empty() {
            let full = full.into_iter().map(|(candidate, _)| candidate).collect();
            return Ok(Candidates { full, partial: Vec::new() });
        }
    }
    let skus = lists.iter().flat_map(|list| list.weights.keys().cloned()).collect();
    let partial = ranked(records, skus, &lists, &containers, (&words, kind)).await?;
    let partial = partial.into_iter().map(|(candidate, _)| candidate);
    let partial = partial.filter(|candidate| candidate.score >= WORTH_OFFERING).collect();
    Ok(Candidates { full: Vec::new(), partial })
}

async fn lists(records: &mut dyn Records, words: &[String], limit: u32) -> StoreResult<Vec<List>> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let mut lists: BTreeMap<String, HashMap<String, u32>> = BTreeMap::new();
    for posting in records.postings(words, limit).await? {
        lists.entry(posting.term).or_default().insert(posting.sku, posting.weight);
    }
    let list = |(word, weights): (String, HashMap<String, u32>)| {
        let cut = weights.len() >= limit as usize;
        List { word, weights, cut }
    };
    Ok(lists.into_iter().map(list).collect())
}

fn missed(words: &[String], lists: &[List]) -> Vec<String> {
    let found = |word: &&String| lists.iter().any(|list| list.word == **word);
    words.iter().filter(|word| !found(word)).cloned().collect()
}

/// The skus that may be called by every word: those of the shortest list that every list has which
/// was read to its end.
fn in_all(lists: &[List]) -> Vec<String> {
    let Some(shortest) = lists.iter().min_by_key(|list| (list.cut, list.weights.len())) else {
        return Vec::new();
    };
    let every = |sku: &&String| {
        lists.iter().all(|list| list.weights.contains_key(*sku) || list.cut && !shortest.cut)
    };
    shortest.weights.keys().filter(every).cloned().collect()
}

/// Whether an item is called by the words whose lists were cut before it.
fn is_called((candidate, weights): &(Candidate, Vec<u32>), lists: &[List]) -> bool {
    let unread = lists.iter().zip(weights).filter(|(_, weight)| **weight == 0);
    let item = &candidate.item;
    let mut words = None;
    unread
        .into_iter()
        .all(|(list, _)| words.get_or_insert_with(|| words_of(item)).contains(&list.word))
}

fn words_of(item: &Item) -> Vec<String> {
    let brand = item.brand.as_deref().unwrap_or_default();
    let texts = [item.name.as_str(), item.label.as_str(), item.category.as_str(), brand];
    texts.into_iter().flat_map(terms).map(|term| term.key()).collect()
}

/// Reads the items that weigh most, with the weight of each word for them, best first.
async fn ranked(
    records: &mut dyn Records,
    mut skus: Vec<String>,
    lists: &[List],
    containers: &[List],
    (words, kind): (&[String], u32),
) -> StoreResult<Vec<(Candidate, Vec<u32>)>> {
    let weights = |sku: &str| -> Vec<u32> {
        lists.iter().map(|list| list.weights.get(sku).copied().unwrap_or_default()).collect()
    };
    let sum = |sku: &str| weights(sku).iter().sum::<u32>().min(WHOLE);
    skus.sort_by_cached_key(|sku| (Reverse(sum(sku)), sku.clone()));
    skus.dedup();
    skus.truncate(ITEMS);
    let contained = |sku: &str| containers.iter().any(|list| list.weights.contains_key(sku));
    let items = records.items(&skus).await?;
    let mut found: Vec<_> = items
        .into_iter()
        .map(|item| {
            let score = sum(&item.sku).saturating_sub(kind * unasked(&item, words));
            let (contained, weights) = (contained(&item.sku), weights(&item.sku));
            (Candidate { item, score, contained }, weights)
        })
        .collect();
    found.sort_by(|(a, _), (b, _)| {
        let key = |candidate: &Candidate| (candidate.score, candidate.item.popularity);
        key(b).cmp(&key(a)).then_with(|| a.item.sku.cmp(&b.item.sku))
    });
    Ok(found)
}

/// How many kinds an item is of that nobody asked for.
fn unasked(item: &Item, words: &[String]) -> u32 {
    let kinds = terms(&item.name).into_iter().filter(|term| match term {
        Term::Word(word) => is_kind(word) && !words.contains(word),
        _ => false,
    });
    u32::try_from(kinds.count()).unwrap_or_default()
}

/// Words that make of goods another kind, as they are indexed.
static KINDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let words = terms("zero light descremada deslactosada integral leudante");
    words.into_iter().map(|term| term.key()).collect()
});

fn is_kind(word: &str) -> bool {
    word.starts_with("sin:") || KINDS.contains(word)
}
